import assert from "node:assert/strict";
import type { UserMessage } from "../../../src/agent/types.ts";
import { userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { withNotes } from "../../../src/extension/approvals/planMode.ts";
import { transcriptText } from "../../../src/extension/chat/agents/transcriptText.ts";
import { typedText } from "../../../src/protocol/messageTexts.ts";

describe("what a message shows of what was sent", () => {
  const attachments = [{ kind: "file", path: "a.ts" }];
  const brought: UserMessage = {
    ...userMessage("look"),
    content: [
      { type: "text", text: "look" },
      { type: "text", text: "<attached_file>" },
    ],
    meta: { attachments },
  };

  it("is what was typed, not the notes for the model", () => {
    for (const message of [userMessage("look"), brought]) {
      assert.equal(typedText(withNotes(message, ["<mode>\nPlan.\n</mode>"])), "look");
    }
    assert.deepEqual(withNotes(brought, ["note"]).meta?.attachments, attachments);
  });

  it("is all of it where nothing was typed", () => {
    const { content } = brought;
    assert.equal(typedText({ ...userMessage(""), content }), "look\n\n<attached_file>");
  });

  it("is copied without the notes for the model", () => {
    assert.equal(transcriptText([withNotes(userMessage("look"), ["note"])]), transcriptText([userMessage("look")]));
  });
});
