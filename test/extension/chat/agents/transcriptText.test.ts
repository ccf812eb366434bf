import assert from "node:assert/strict";
import { transcriptText } from "../../../../src/extension/chat/agents/transcriptText.ts";
import { assistant, user } from "../../../support/events.ts";
import { calling, result, summary, toolCall } from "../../../support/messages.ts";

describe("transcript as text", () => {
  it("says who said what, which tools were called and what they answered", () => {
    const text = transcriptText([
      user("u1", "Where is it?"),
      calling("a1", toolCall("c1", "search_text", { query: "it" })),
      result("c1", "a.ts:1", { toolName: "search_text" }),
      assistant("a2", "In a.ts."),
    ]);
    assert.equal(
      text,
      `## User

Where is it?

## Agent

**Call of search_text**

\`\`\`
{
  "query": "it"
}
\`\`\`

**Result of search_text**

\`\`\`
a.ts:1
\`\`\`

## Agent

In a.ts.`,
    );
  });

  it("keeps a text from ending the fence it is in", () => {
    const lines = transcriptText([result("c1", "````\n# Not a title", { isError: true })]).split("\n");
    assert.equal(lines[0], "**Result of tool (error)**");
    assert.equal(lines[2], "`````");
    assert.equal(lines.at(-1), "`````");
  });

  it("says why an answer failed and what was summarized, and leaves out what is empty", () => {
    const failed = { ...assistant("a1", ""), stopReason: "error" as const, errorMessage: "No connection." };
    assert.equal(
      transcriptText([summary("s1", "They talked."), assistant("a0", ""), failed]),
      "## Summary of earlier messages\n\nThey talked.\n\n## Agent\n\n**Failed:** No connection.",
    );
  });
});
