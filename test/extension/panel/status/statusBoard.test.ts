import assert from "node:assert/strict";
import { PanelStatusBoard } from "../../../../src/extension/panel/status/statusBoard.ts";
import { panelStatus } from "../../../support/hostMessages.ts";

/** What the panel would show, read when it is allowed to be. */
function newBoard() {
  const reads: PromiseWithResolvers<void>[] = [];
  const shown: number[] = [];
  const facts = { problemCount: 0 };
  const read = async () => {
    const allowed = Promise.withResolvers<void>();
    reads.push(allowed);
    const { problemCount } = facts;
    await allowed.promise;
    return { ...panelStatus, problemCount };
  };
  const board = new PanelStatusBoard(panelStatus, read, ({ problemCount }) => shown.push(problemCount));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { board, reads, shown, facts, settled };
}

describe("the status beside a chat", () => {
  it("is read once more, for all that changed while it was read", async () => {
    const { board, reads, shown, facts, settled } = newBoard();
    facts.problemCount = 1;
    const first = board.refresh();
    for (const problemCount of [2, 3]) {
      facts.problemCount = problemCount;
      void board.refresh();
    }
    reads[0]?.resolve();
    await settled();
    reads[1]?.resolve();
    await first;
    assert.deepEqual(shown, [1, 3]);
    assert.equal(reads.length, 2);
    assert.equal(board.current.problemCount, 3);
  });

  it("is the latest, whenever it changed during or after a read", async () => {
    for (let steps = 0; steps < 20; steps++) {
      const { board, reads, facts, settled } = newBoard();
      facts.problemCount = 1;
      void board.refresh();
      reads[0]?.resolve();
      for (let step = 0; step < steps; step++) await undefined;
      facts.problemCount = 2;
      void board.refresh();
      await settled();
      reads[1]?.resolve();
      await settled();
      assert.equal(board.current.problemCount, 2, `changed ${steps} steps after the read`);
    }
  });

  it("is read for what changed meanwhile, although the read before failed", async () => {
    const { board, reads, shown, facts, settled } = newBoard();
    const failing = board.refresh();
    facts.problemCount = 4;
    void board.refresh().catch(() => undefined);
    reads[0]?.reject(new Error("The window closes."));
    await settled();
    reads[1]?.resolve();
    await assert.rejects(failing, /The window closes/);
    await settled();
    assert.deepEqual(shown, [4]);
  });
});
