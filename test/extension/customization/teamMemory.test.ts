import assert from "node:assert/strict";
import { type RecalledWorker, TeamMemory } from "../../../src/extension/customization/teamMemory.ts";

function arrange() {
  let reads = 0;
  const memory = new TeamMemory(async () => {
    reads++;
    return [];
  });
  const ask = (answer: (recalled: RecalledWorker) => Promise<void>, askerId = "lead") =>
    memory.inTurn({ team: "audit", worker: "reader", askerId }, answer);
  return { ask, reads: () => reads };
}

describe("a team's memory", () => {
  it("reads the log once for a question, and again for one that waited for another answer", async () => {
    const { ask, reads } = arrange();
    await ask(async () => {});
    assert.equal(reads(), 1);
    await ask(async () => {});
    assert.equal(reads(), 2);
    const first = Promise.withResolvers<void>();
    const readAtAnswer: number[] = [];
    const answers = [
      ask(async () => {
        readAtAnswer.push(reads());
        await first.promise;
      }),
      ask(async () => void readAtAnswer.push(reads()), "other"),
    ];
    first.resolve();
    await Promise.all(answers);
    assert.deepEqual(
      readAtAnswer,
      [4, 5],
      "what the worker knew before the first answer is not what it knows after it",
    );
  });
});
