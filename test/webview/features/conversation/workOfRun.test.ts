import assert from "node:assert/strict";
import { workOfRun } from "../../../../src/webview/features/conversation/workOfRun.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { edited } from "../../gallery/editScenes.ts";
import { type Recording, recording, text, toolCall } from "../../support/recording.ts";

function resultOf(log: Recording) {
  const { tree, runs } = applyHostMessage(emptyChatState(), log.chat()).state;
  const root = tree.nodes.main;
  assert.ok(root !== undefined);
  const { starts, before, after } = runs;
  return workOfRun(tree, root, { startedAt: starts.at(-1) ?? 0, before, after });
}

/** Of all runs but the latest. */
function earlierResults(log: Recording) {
  const { tree, runs } = applyHostMessage(emptyChatState(), log.chat()).state;
  const root = tree.nodes.main ?? assert.fail();
  return runs.ended.map((run) => ({ ...workOfRun(tree, root, run), last: run.last, elapsedMs: run.elapsedMs }));
}

describe("the result of a run", () => {
  it("counts each file once, with all who changed it, and nothing that was rejected", () => {
    const { files, added, removed, agents } = resultOf(edited());
    assert.deepEqual(
      files.map((file) => [file.path, file.added, file.removed, file.agents.map(({ title }) => title).join(", ")]),
      [
        ["src/cart/totals.ts", 6, 3, "main, Fix the totals"],
        ["test/cart/totals.test.ts", 3, 0, "main"],
        ["src/cart/round.ts", 0, 0, "Move the rounding"],
      ],
    );
    assert.equal(files.find(({ path }) => path === "src/cart/round.ts")?.movedTo, "src/money/round.ts");
    assert.deepEqual([added, removed], [9, 3]);
    assert.deepEqual(
      agents.map(({ title }) => title),
      ["Fix the totals", "Move the rounding"],
    );
  });

  it("adds up the tokens and the cost of all its agents", () => {
    const { tokens, cost } = resultOf(edited());
    assert.equal(tokens, 21_000 + 1_200 + 9_000 + 600 + 8_200 + 12_000 + 1_000);
    assert.equal(cost.toFixed(2), "0.32");
  });

  it("has nothing of the runs before, and names the message that began it", () => {
    const log = edited();
    const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
    const first = resultOf(log);
    assert.equal(first.messageId, "m1");
    log.event(main, { type: "agent_start" });
    log.user(main, "And now?");
    log.answer(main, [text("Nothing more.")]);
    log.spend(main, { input: 100, output: 10, cost: 0.01 }, 1);
    log.end(main, "done");
    const second = resultOf(log);
    assert.deepEqual([second.files, second.agents, second.tokens], [[], [], 110]);
    assert.notEqual(second.messageId, first.messageId);
  });

  it("stays the same once another run has begun, whatever that does", () => {
    const log = edited();
    const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
    const { messageId, ...first } = resultOf(log);
    const [last] = [applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes.main?.messages.at(-1)?.id];
    log.event(main, { type: "agent_start" });
    log.user(main, "The same again");
    log.answer(main, [toolCall("again", "delegate_to_agent", {})]);
    const agent = log.agent("explore", main, "again", "Look again");
    log.spend(agent, { input: 500, cost: 0.5 });
    log.end(agent, "done");
    log.end(main, "done");
    const [earlier, ...none] = earlierResults(log);
    assert.deepEqual(none, []);
    const { elapsedMs = 0, ...rest } = earlier ?? assert.fail();
    assert.deepEqual(rest, { ...first, messageId, last });
    assert.ok(elapsedMs > 0);
  });

  it("has nothing of a run in which only a context was summarized", () => {
    const log = edited();
    const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
    for (let run = 0; run < 2; run++) {
      log.event(main, { type: "agent_start" });
      log.end(main, "done");
    }
    log.event(main, { type: "agent_start" });
    assert.equal(earlierResults(log).length, 1);
  });

  it("is empty in a chat without edits or agents", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.answer(main, [text("Hello")]);
    log.end(main, "done");
    assert.deepEqual(resultOf(log).files, []);
  });
});
