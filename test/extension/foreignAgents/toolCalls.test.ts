import assert from "node:assert/strict";
import { sessionUpdateSchema } from "../../../src/extension/foreignAgents/protocol.ts";
import { argumentsOf, newCall, resultText, updatedCall } from "../../../src/extension/foreignAgents/toolCalls.ts";

function callAfter(updates: readonly object[]) {
  return updates.reduce<ReturnType<typeof newCall>>((call, update) => {
    const { update: parsed } = sessionUpdateSchema.parse({ sessionId: "s", update: { toolCallId: "c", ...update } });
    assert.ok(parsed.sessionUpdate === "tool_call" || parsed.sessionUpdate === "tool_call_update");
    return updatedCall(call, parsed);
  }, newCall("ours"));
}

const started = {
  ...{ sessionUpdate: "tool_call", name: "exec_command", kind: "execute", status: "in_progress" },
  content: [{ type: "terminal", terminalId: "c" }],
};
const printed = (data: string) => ({
  sessionUpdate: "tool_call_update",
  _meta: { terminal_output_delta: { data, terminal_id: "c" } },
});

describe("a call of another program", () => {
  it("has what its command printed as its result, as Codex reports it: piece by piece", () => {
    const ended = { ...printed("two\n"), status: "completed", rawOutput: { exit_code: 0 } };
    assert.equal(resultText(callAfter([started, printed("one\n"), ended])), "one\ntwo\n");
  });

  it("has what it reports otherwise where nothing was printed", () => {
    const ended = { sessionUpdate: "tool_call_update", status: "completed", rawOutput: { output: "fine" } };
    assert.equal(resultText(callAfter([started, ended])), "fine");
  });

  it("holds no more of what is printed than is shown", () => {
    const flood = Array.from({ length: 100 }, () => printed("x".repeat(1_000)));
    const call = callAfter([started, ...flood]);
    assert.ok(call.printed.length < 25_000);
    assert.ok(resultText(call).endsWith("[…]"));
  });

  it("that changes files is about them, even where they are in its changes alone", () => {
    const content = [{ type: "diff", path: "/ws/a.ts", oldText: "one", newText: "two" }];
    const call = callAfter([{ sessionUpdate: "tool_call", kind: "edit", title: "Editing files", content }]);
    assert.deepEqual(argumentsOf(call), { paths: ["/ws/a.ts"] });
  });
});
