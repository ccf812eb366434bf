import assert from "node:assert/strict";
import fc from "fast-check";
import { emptyTree, reduceTree } from "../../../src/agent/tree.ts";
import type { AgentTree } from "../../../src/agent/types.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { applyHostMessage, emptyChatState } from "../../../src/webview/model/chatState.ts";
import { withEarlier } from "../../../src/webview/model/earlier.ts";
import { recording, text, toolCall } from "../support/recording.ts";

const fold = (entries: readonly LogEntry[]): AgentTree =>
  entries.reduce((tree, entry) => ("agent" in entry ? reduceTree(tree, entry.agent) : tree), emptyTree());

/** Two turns with a sub-agent each. */
function conversation(): LogEntry[] {
  const log = recording();
  const main = log.agent("main");
  for (const turn of [1, 2]) {
    log.user(main, `Question ${turn}`);
    log.answer(main, [toolCall(`c${turn}`, "delegate_to_agent", {})]);
    log.toolStart(main, `c${turn}`, "delegate_to_agent", "Delegate", {});
    const child = log.agent("explore", main, `c${turn}`);
    log.answer(child, [text(`found ${turn}`)]);
    log.spend(child, { input: 10, output: 1 });
    log.end(child, "done");
    log.toolEnd(main, `c${turn}`, "delegate_to_agent", `found ${turn}`);
    log.answer(main, [text(`Answer ${turn}`)]);
    log.spend(main, { input: 100, output: 10 });
  }
  log.end(main, "done");
  return log.entries;
}

/** All that is shown of a tree; where an agent started is not known of one whose start was not sent. */
function shown(tree: AgentTree) {
  return Object.fromEntries(
    Object.values(tree.nodes).map(({ meta, status, messages, tools, children, own, total }) => [
      meta.id,
      { status, messages: messages.map(({ id }) => id), tools: Object.keys(tools), children, own, total },
    ]),
  );
}

describe("a chat with what lies before its log", () => {
  it("shows what a panel shows that had all of it, wherever the log was cut between two messages", () => {
    const entries = conversation();
    const whole = shown(fold(entries));
    const cuts = entries.flatMap((entry, index) =>
      "agent" in entry && entry.agent.type === "message_start" && entry.agent.agent.depth === 0 ? [index] : [],
    );
    fc.assert(
      fc.property(fc.constantFrom(...cuts), (cut) => {
        const joined = shown(withEarlier(fold(entries.slice(cut)), entries.slice(0, cut)));
        for (const [id, node] of Object.entries(whole)) {
          const { own, total, ...said } = node;
          const { own: _own, total: _total, ...saidToo } = joined[id] ?? node;
          assert.deepEqual(saidToo, said, id);
          assert.ok(joined[id] !== undefined && own !== undefined && total !== undefined);
        }
      }),
    );
  });

  it("has the child below its parent whose start lay before", () => {
    const entries = conversation();
    const childStart = entries.findIndex((entry) => "agent" in entry && entry.agent.agent.depth === 1);
    const late = fold(entries.slice(childStart));
    const joined = withEarlier(late, entries.slice(0, childStart));
    assert.deepEqual(joined.roots, ["main"]);
    assert.equal(joined.nodes.main?.children.length, 2);
  });

  it("takes nothing of another chat, and knows when there is no more", () => {
    const entries = conversation();
    const state = { ...emptyChatState(), chatId: "a", hasEarlier: true };
    const other = applyHostMessage(state, { type: "earlier", chatId: "b", entries, hasEarlier: false });
    assert.equal(other.state, state);
    const own = applyHostMessage(state, { type: "earlier", chatId: "a", entries, hasEarlier: false });
    assert.deepEqual([own.state.hasEarlier, Object.keys(own.state.tree.nodes).length], [false, 3]);
  });
});
