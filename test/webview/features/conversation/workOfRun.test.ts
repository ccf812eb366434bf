import assert from "node:assert/strict";
import { workOfRun } from "../../../../src/webview/features/conversation/workOfRun.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { edited } from "../../gallery/editScenes.ts";
import { type Recording, recording, text } from "../../support/recording.ts";

function resultOf(log: Recording) {
  const { tree, runs } = applyHostMessage(emptyChatState(), log.chat()).state;
  const root = tree.nodes.main;
  assert.ok(root !== undefined);
  return workOfRun(tree, root, runs);
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

  it("is empty in a chat without edits or agents", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.answer(main, [text("Hello")]);
    log.end(main, "done");
    assert.deepEqual(resultOf(log).files, []);
  });
});
