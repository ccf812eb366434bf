import assert from "node:assert/strict";
import type { TreeNode } from "../../../../src/agent/types.ts";
import { liveLine } from "../../../../src/webview/features/agents/liveLine.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chatState.ts";
import { type Recording, recording, text, toolCall } from "../../support/recording.ts";

function lineOf(record: (log: Recording, agent: ReturnType<Recording["agent"]>) => void): string {
  const log = recording();
  record(log, log.agent("main"));
  const node: TreeNode | undefined = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes.main;
  assert.ok(node !== undefined);
  return liveLine(node, node.status);
}

const args = { path: "src/a.ts" };

describe("live line of an agent", () => {
  it("is the tool that runs", () => {
    const line = lineOf((log, main) => {
      log.answer(main, [text("I read."), toolCall("c1", "read_file", args)]);
      log.toolStart(main, "c1", "read_file", "Read", args);
    });
    assert.equal(line, "Read a.ts");
  });

  it("is the line that is being written, without its marks", () => {
    assert.equal(
      lineOf((log, main) => log.streaming(main, "# Title\n\n- **first**\n- the `second` po")),
      "the second po",
    );
  });

  it("falls back to the last tool between two turns", () => {
    const line = lineOf((log, main) => {
      log.answer(main, [toolCall("c1", "read_file", args)]);
      log.toolStart(main, "c1", "read_file", "Read", args);
      log.toolEnd(main, "c1", "read_file", "text");
    });
    assert.equal(line, "Read a.ts");
  });

  it("says that an agent starts before anything else is known", () => {
    assert.equal(
      lineOf(() => undefined),
      "starting",
    );
  });

  it("says why a sub-agent failed", () => {
    const log = recording();
    const child = log.agent("docs", log.agent("main"));
    log.end(child, "error", "The key was\nrejected");
    const node = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes[child.id];
    assert.ok(node !== undefined);
    assert.equal(liveLine(node, node.status), "The key was rejected");
  });

  it("sums up what is done, and how else it ended", () => {
    assert.equal(
      lineOf((log, main) => {
        log.toolStart(main, "c1", "read_file", "Read", args);
        log.end(main, "done");
      }),
      "1 tool",
    );
    assert.equal(
      lineOf((log, main) => log.end(main, "error", "The key was\nrejected")),
      "failed",
      "of the root agent a notice tells why",
    );
    assert.equal(
      lineOf((log, main) => log.end(main, "aborted")),
      "stopped",
    );
  });
});
