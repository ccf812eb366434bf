import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { figuresOf, withFigures } from "./figures.ts";
import { limitRow, ratioRow, table } from "./report.ts";

const row = (own: number[], goal: number) =>
  ratioRow(
    "deltas",
    { floor: [10, 20, 30], arbor: own, pi: [20, 40, undefined], ai: [undefined, undefined, undefined] },
    {
      unit: "ms",
      goal,
    },
  );
const cellsOf = (line = "") =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("Figures of the bench", () => {
  it("gives the median of the rounds' ratios, and of peers those of the rounds they ended", () => {
    const line = table([row([10, 22, 90], 1)]).split("\n")[2];
    assert.deepEqual(cellsOf(line), ["deltas", "20.0 ms", "22.0 ms", "1.10", "2.00", "failed", "1", "MISSED"]);
  });

  it("shows each run in a cell, and a goal as met only where all runs meet it", () => {
    const line = table([row([9, 18, 27], 1)], [row([11, 22, 33], 1)]).split("\n")[2];
    assert.deepEqual(cellsOf(line).slice(3, 4), ["0.90 / 1.10"]);
    assert.equal(cellsOf(line).at(-1), "MISSED");
    assert.equal(cellsOf(table([row([9, 18, 27], 1)]).split("\n")[2]).at(-1), "met");
  });

  it("says of a row that failed in one run why it did", () => {
    const line = table([row([9, 18, 27], 1)], [{ title: "deltas", failed: "not done after 300 s" }]).split("\n")[2];
    assert.equal(cellsOf(line)[3], "0.90 / failed");
    assert.equal(cellsOf(line).at(-1), "FAILED: not done after 300 s");
  });

  it("has the rows of later runs, too, where the first one failed before it had them", () => {
    const lines = table([{ title: "all", failed: "it | ended" }], [row([9, 18, 27], 1)])
      .split("\n")
      .slice(2);
    assert.deepEqual(
      lines.map((line) => line.split(" | ")[0]),
      ["| all", "| deltas"],
    );
    assert.match(lines[0] ?? "", /FAILED: it \\\| ended \|$/);
    assert.deepEqual(cellsOf(lines[1]).slice(3, 4), ["failed / 0.90"]);
    assert.equal(cellsOf(lines[1]).at(-1), "FAILED: not measured");
  });

  it("meets no goal with figures that are none", () => {
    const lost = [
      ratioRow("pace", { each: [-1, 2, 3], ours: [1, 1, 1] }, { unit: "ms", goal: 1 }),
      limitRow("tasks", [], { unit: "ms", goal: 50 }),
    ];
    assert.deepEqual(
      lost.map(({ failed }) => failed),
      ["nothing to compare with", "no figure"],
    );
  });

  it("writes figures between the marks of the page and nowhere else", () => {
    const marks = ["<!-- written by `npm run bench -- --write` -->", "<!-- end of what is written -->"];
    const page = `before\n${marks[0]}\nold\n${marks[1]}\nafter`;
    const run = { date: "2026-11-24T02:00:00.000Z", before: "load 0.1", after: "load 0.2" };
    const written = withFigures(page, figuresOf([{ ...run, measured: { library: [row([9, 18, 27], 1)] } }]));
    assert.match(written, /^before\n.*### library.*\| deltas .*\nafter$/s);
    assert.doesNotMatch(written, /old/);
    assert.throws(() => withFigures("no marks", "figures"), /no place for figures/);
  });
});
