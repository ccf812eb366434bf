import assert from "node:assert/strict";
import fc from "fast-check";
import { fallingGroups } from "../../scripts/test/groups.mjs";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** When the last of `lanes` is free, each having taken the next run whenever it was. */
function ending(runs: readonly number[], lanes: number): number {
  const free = Array.from({ length: lanes }, () => 0);
  for (const run of runs) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] ?? 0) + run;
  }
  return Math.max(...free);
}

describe("Test files in groups", () => {
  const seconds = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 80 });

  it("are all there once, in as many groups as wanted at most, the longest first", () => {
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 12 }), (all, count) => {
        const files = all.map((_, index) => String(index));
        const groups = fallingGroups(files, count, (file) => all[Number(file)] ?? 0);
        assert.deepEqual(groups.flat().toSorted(), files.toSorted());
        assert.ok(groups.length <= count && groups.every((group) => group.length > 0));
        const lengths = groups.map((group) => sum(group.map((file) => all[Number(file)] ?? 0)));
        assert.deepEqual(
          lengths,
          lengths.toSorted((one, other) => other - one),
        );
      }),
    );
  });

  it("let all lanes end at about the same time, whenever each becomes free", () => {
    // As the driven files are: a few are long.
    const all = [180, 170, 110, 110, 110, 100, 95, 75, ...Array.from({ length: 40 }, () => 45)];
    const files = all.map((_, index) => String(index));
    const groups = fallingGroups(files, 10, (file) => all[Number(file)] ?? 0);
    const lengths = groups.map((group) => sum(group.map((file) => all[Number(file)] ?? 0)));
    for (const busy of [0, 100, 200, 300, 400, 500]) {
      const runs = [busy, 250, ...lengths];
      const waste = ending(runs, 3) - sum(runs) / 3;
      assert.ok(waste < 60, `with one lane busy for ${busy} s, the last ends ${waste} s after a fair share`);
    }
  });
});
