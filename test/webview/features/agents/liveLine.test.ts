import assert from "node:assert/strict";
import type { TreeNode } from "../../../../src/agent/types.ts";
import { liveLine } from "../../../../src/webview/features/agents/liveLine.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { chatId, type Recording, recording, text, toolCall } from "../../support/recording.ts";

function lineOf(record: (log: Recording, agent: ReturnType<Recording["agent"]>) => void): string {
  const log = recording();
  record(log, log.agent("main"));
  const node: TreeNode | undefined = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes.main;
  assert.ok(node !== undefined);
  return liveLine(node, { status: node.status });
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

  it("is what an agent writes that no one opened, from the line that the host sent of it", () => {
    const log = recording();
    const child = log.agent("docs", log.agent("main"));
    log.answer(child, [toolCall("c1", "read_file", args)]);
    log.toolStart(child, "c1", "read_file", "Read", args);
    log.toolEnd(child, "c1", "read_file", "text");
    let { state } = applyHostMessage(emptyChatState(), log.chat());
    const line = () => {
      const node = state.tree.nodes[child.id];
      return node === undefined ? "" : liveLine(node, { status: node.status, writes: state.activity[child.id] });
    };
    const write = (kind: "text" | "thinking", written: string) => {
      state = applyHostMessage(state, {
        type: "activity",
        chatId,
        lines: { [child.id]: { kind, text: written } },
      }).state;
    };
    write("thinking", "");
    assert.equal(line(), "thinking");
    write("text", "- The `login` is");
    assert.equal(line(), "The login is");
    const { lastSeq } = state;
    log.toolStart(child, "c2", "search_text", "Search", { query: "login" });
    state = applyHostMessage(state, log.since(lastSeq)).state;
    assert.equal(line(), 'Search "login"');
    log.toolEnd(child, "c2", "search_text", "none");
    state = applyHostMessage(state, log.since(state.lastSeq)).state;
    assert.equal(line(), 'Search "login"', "what it wrote before is over");
  });

  it("says that an agent thinks as long as it writes nothing else", () => {
    const line = lineOf((log, main) => {
      const messageId = log.streaming(main, "I look. ");
      log.event(main, { type: "message_update", messageId, delta: { type: "thinking_start", index: 1 } });
      const delta = { type: "thinking_delta" as const, index: 1, delta: "Is it so?" };
      log.event(main, { type: "message_update", messageId, delta });
    });
    assert.equal(line, "thinking");
  });

  it("says why a sub-agent failed", () => {
    const log = recording();
    const child = log.agent("docs", log.agent("main"));
    log.end(child, "error", "The key was\nrejected");
    const node = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes[child.id];
    assert.ok(node !== undefined);
    assert.equal(liveLine(node, { status: node.status }), "The key was rejected");
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
      "a notice shows why the root agent failed",
    );
    assert.equal(
      lineOf((log, main) => log.end(main, "aborted")),
      "stopped",
    );
  });
});
