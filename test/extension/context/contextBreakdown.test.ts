import assert from "node:assert/strict";
import * as z from "zod";
import { type AgentMessage, type AgentState, defineTool, userMessage } from "../../../src/agent/index.ts";
import { freezePlain } from "../../../src/agent/vocabulary/plainJson.ts";
import { breakDownContext } from "../../../src/extension/context/contextBreakdown.ts";

const edit = defineTool({
  name: "edit_file",
  description: "Changes a file.",
  schema: z.object({ path: z.string(), text: z.string() }),
  execute: () => "done",
});

function call(index: number): AgentMessage {
  return freezePlain({
    ...{ role: "assistant", id: `m${index}`, model: "m", provider: "p", stopReason: "toolUse", timestamp: 1 },
    content: [
      { type: "toolCall", id: `c${index}`, name: "edit_file", arguments: { path: "a.ts", text: "x".repeat(400) } },
    ],
  } as const) as AgentMessage;
}

function stateOf(messages: readonly AgentMessage[]): AgentState {
  return {
    systemPrompt: "s".repeat(400),
    model: { id: "m", provider: "p", contextWindow: 10_000 },
    thinkingLevel: "off",
    tools: [edit],
    messages: [...messages],
    isStreaming: true,
    pendingToolCalls: [],
    turnIndex: 1,
    checkpoints: [],
  };
}

/** How many texts of JSON are written. */
function writesOf(work: () => void): number {
  const { stringify } = JSON;
  let writes = 0;
  Object.assign(JSON, {
    stringify(...given: Parameters<typeof stringify>) {
      writes += 1;
      return stringify(...given);
    },
  });
  try {
    work();
  } finally {
    Object.assign(JSON, { stringify });
  }
  return writes;
}

describe("how a context divides", () => {
  it("is estimated from the lengths of its parts", () => {
    const { system, tools, messages } = breakDownContext(stateOf([userMessage("u".repeat(40)), call(1)]), 0);
    assert.equal(system, 100);
    assert.ok(tools > 20 && tools < 100, `${tools}`);
    assert.ok(messages > 110 && messages < 150, `${messages}`);
  });

  it("is measured by what is new: neither tools nor earlier calls are written as JSON again", () => {
    const earlier = Array.from({ length: 50 }, (_, index) => call(index));
    breakDownContext(stateOf(earlier), 1_000);
    const latest = call(50);
    assert.equal(
      writesOf(() => void breakDownContext(stateOf([...earlier, latest]), 1_000)),
      1,
    );
  });

  it("counts a message again that can still be changed", () => {
    const message = userMessage("u".repeat(40));
    const before = breakDownContext(stateOf([message]), 0).messages;
    message.content.push({ type: "text", text: "u".repeat(400) });
    assert.equal(breakDownContext(stateOf([message]), 0).messages, before + 100);
  });
});
