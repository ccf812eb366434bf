import assert from "node:assert/strict";
import { comparisonTable, type EvalResults, parseResults, resultsTable, type TaskOutcome } from "./results.ts";

const outcome = (task: string, more: Partial<TaskOutcome> = {}): TaskOutcome => ({
  ...{
    task,
    passed: true,
    problems: [],
    turns: 4,
    seconds: 10,
    questions: 0,
    approvals: 2,
    delegated: 0,
    answer: "",
    calls: [],
  },
  usage: { input: 1_000, output: 500, cacheRead: 3_000, cacheWrite: 0, cost: 0.02 },
  ...more,
});
const results = (model: string, outcomes: TaskOutcome[]): EvalResults => ({
  ...{ version: 1, model, startedAt: "2026-01-31T10:00:00.000Z", outcomes },
});
const first = results("a/small", [
  outcome("rename"),
  outcome("rename", { passed: false, problems: ["README.md was changed.\nTwice."], turns: 7, seconds: 11 }),
  outcome("locate", { questions: 1 }),
  outcome("sweep"),
]);

describe("the results of evals", () => {
  it("are a table of means by task, with sums in the last line and why tasks failed", () => {
    assert.equal(
      resultsTable(first),
      [
        "task    passed  tokens  cached     cost  turns  seconds  questions",
        "──────  ──────  ──────  ──────  ───────  ─────  ───────  ─────────",
        "rename     1/2   4,500     75%  $0.0200    5.5     10.5          0",
        "locate     1/1   4,500     75%  $0.0200      4       10          1",
        "sweep      1/1   4,500     75%  $0.0200      4       10          0",
        "──────  ──────  ──────  ──────  ───────  ─────  ───────  ─────────",
        "All        3/4  13,500     75%  $0.0600   13.5     30.5          1",
        "",
        "Failed:",
        "rename",
        "  README.md was changed.",
        "  Twice.",
      ].join("\n"),
    );
  });

  it("of two runs are set side by side, with what became better or worse", () => {
    const second = results("a/large", [
      outcome("rename"),
      outcome("locate", { passed: false, problems: ["No."], turns: 9 }),
      outcome("verify"),
    ]);
    assert.equal(
      comparisonTable(first, second),
      [
        "a/small, 2026-01-31T10:00:00.000Z → a/large, 2026-01-31T10:00:00.000Z",
        "",
        "task       passed          tokens  cached     cost     turns    seconds  questions",
        "──────  ─────────  ──────  ──────  ──────  ───────  ────────  ─────────  ─────────",
        "rename  1/2 → 1/1  better   4,500     75%  $0.0200   5.5 → 4  10.5 → 10          0",
        "locate  1/1 → 0/1   worse   4,500     75%  $0.0200     4 → 9         10      1 → 0",
        "──────  ─────────  ──────  ──────  ──────  ───────  ────────  ─────────  ─────────",
        "All     2/3 → 1/2   worse   9,000     75%  $0.0400  9.5 → 13  20.5 → 20      1 → 0",
        "Only the first run has sweep.",
        "Only the second run has verify.",
      ].join("\n"),
    );
  });

  it("are read as they were written, and nothing else is", () => {
    assert.deepEqual(parseResults(JSON.stringify(first), "a.json"), first);
    assert.throws(() => parseResults("{}", "b.json"), /b\.json holds no results/);
  });
});
