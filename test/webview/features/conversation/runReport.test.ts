import assert from "node:assert/strict";
import { reportInputs, reportMarkdown, reportOfRun } from "../../../../src/webview/features/conversation/runReport.ts";
import { workOfRun } from "../../../../src/webview/features/conversation/workOfRun.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { reported } from "../../gallery/changesScenes.ts";
import { type Recording, recording, text } from "../../support/recording.ts";

function reportOf(log: Recording) {
  const { tree, runs, host } = applyHostMessage(emptyChatState(), log.chat()).state;
  const root = tree.nodes.main;
  assert.ok(root !== undefined);
  const { starts, before, after } = runs;
  const run = { startedAt: starts.at(-1) ?? 0, before, after };
  return { report: reportOfRun(tree, root, run, host), work: workOfRun(tree, root, run) };
}

describe("the report of a run", () => {
  it("has each command with its exit code, who ran it, and which were tests", () => {
    const { commands } = reportOf(reported()).report;
    assert.deepEqual(
      commands.map(({ command, exitCode, agent, isTest }) => [command, exitCode, agent, isTest]),
      [
        ["npm run lint", 0, "main", false],
        ["npm test", 1, "main", true],
      ],
    );
  });

  it("counts what went through by the user's answer, by a rule and in the sandbox", () => {
    const { approvals } = reportOf(reported()).report;
    assert.deepEqual(approvals, { byYou: 1, rejected: 0, byRule: 1, inSandbox: 1 });
  });

  it("shares out tokens and cost among agents and models, and they add up", () => {
    const { report, work } = reportOf(reported());
    assert.equal(
      report.agents.reduce((sum, { tokens }) => sum + tokens, 0),
      work.tokens,
    );
    assert.deepEqual(
      report.agents.map(({ name, cost }) => [name, cost.toFixed(2)]),
      [
        ["main", "0.12"],
        ["Fix the totals", "0.14"],
        ["Move the rounding", "0.06"],
      ],
    );
  });

  it("names what is open, and is copied as Markdown", () => {
    const { report, work } = reportOf(reported());
    assert.deepEqual(report.open, ["2 edits to keep or undo", "Planned: Update the README"]);
    const copied = reportMarkdown("Count each item", work, report);
    assert.match(copied, /^## Count each item\n\nOutcome: done\n\n### Files\n\n- `src\/cart\/totals.ts` \+6 −3 \(/);
    assert.match(copied, /- exit 1: `npm test` \(main\)/);
    assert.match(copied, /### Approvals\n\n- 1 by you · 1 by rule · 1 in the sandbox\n/);
  });

  it("is made of what stays the same for an ended run while the next one works", () => {
    const log = recording();
    const main = log.agent("main");
    const inputs = (state = applyHostMessage(emptyChatState(), log.chat()).state) => {
      const [run] = state.runs.ended;
      const root = state.tree.nodes.main;
      assert.ok(run !== undefined && root !== undefined);
      return { state, list: reportInputs(state.tree, root, run, state.host) };
    };
    log.user(main, "One");
    const child = log.agent("explore", main);
    log.answer(child, [text("Found")]);
    log.end(child, "done");
    log.answer(main, [text("One")]);
    log.end(main, "done");
    log.event(main, { type: "agent_start" });
    const { state, list } = inputs();
    const before = log.lastSeq;
    log.user(main, "Two");
    log.answer(main, [text("Two")]);
    const later = inputs(applyHostMessage(state, log.since(before)).state).list;
    assert.deepEqual([later.length, later.every((each, index) => each === list[index])], [list.length, true]);
    log.answer(child, [text("More")]);
    const other = inputs(applyHostMessage(state, log.since(before)).state).list;
    assert.ok(other.some((each, index) => each !== list[index]));
  });

  it("says of a plain answer that nothing was run and nothing is open", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.answer(main, [text("Hello")]);
    log.end(main, "done");
    const { commands, open } = reportOf(log).report;
    assert.deepEqual([commands, open], [[], []]);
  });
});
