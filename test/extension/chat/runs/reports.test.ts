import assert from "node:assert/strict";
import { reportFlag } from "../../../../src/extension/chat/runs/reportFlags.ts";
import { gate, ofType, results, seen, tool } from "../../../support/agents.ts";
import { type ArrangedRuns, arrangedRuns, byName } from "../../../support/chatRuns.ts";
import { call, calls, type Reply, text } from "../../../support/scriptedModel.ts";

const task = (agent: string) => ({ agent, task: `work of ${agent}`, context: "" });
const delegate = (agent: string): Reply => call("delegate_to_agent", task(agent));
const spawn = (...agents: string[]): Reply => call("spawn_agents", { tasks: agents.map(task) });
const flagOf = (report: string) => reportFlag({ text: report, reason: "done", stopReason: "stop" });

/** The id of a sub-agent by its name. */
function idOf({ events }: ArrangedRuns, name: string): string {
  const id = events.find(({ agent }) => agent.name === name)?.agent.id;
  assert.ok(id !== undefined, `${name} has not run`);
  return id;
}

const ended = (arranged: ArrangedRuns, name: string) =>
  seen(arranged.agent, (event) => event.type === "agent_end" && event.agent.name === name);
/** What the latest request of an agent showed it. */
const shown = ({ requests }: ArrangedRuns, name: string) =>
  JSON.stringify(requests.findLast(({ model }) => model.id === name)?.messages);

describe("reports of sub-agents", () => {
  it("are flagged where they are empty, cut off, or only point elsewhere", () => {
    assert.equal(flagOf(" \n"), "empty");
    assert.equal(reportFlag({ text: "Half of", reason: "done", stopReason: "length" }), "cut");
    assert.equal(reportFlag({ text: "Half of", reason: "limit" }), "cut");
    for (const pointing of [
      "See docs/report.md.",
      "Done. See `findings.md` for the details.",
      "I have finished the audit.\nThe full report was written to notes/audit.md.",
      "For the results, see file out.txt",
      "As described above.",
      "Everything is as described above.",
      "Please refer to my previous message.",
      "The findings are listed above.",
      "Siehe bericht.md.",
      "Wie oben beschrieben.",
    ])
      assert.equal(flagOf(pointing), "pointer", pointing);
  });

  it("are not flagged where they say something, were stopped or failed", () => {
    for (const saying of [
      "OK",
      "The port is 3000, see config.ts:12.",
      "The bug is in src/auth.ts line 10: a missing await. See auth.ts.",
      "I renamed `login` to `signIn` in three files.",
      "Nothing.",
      "No test fails. I have written the summary: all 12 pass.",
      `As described above. ${"The store keeps each fact once. ".repeat(5)}`,
    ])
      assert.equal(flagOf(saying), undefined, saying);
    for (const reason of ["aborted", "error"]) assert.equal(reportFlag({ text: "", reason }), undefined);
  });

  it("go to the parent with a note where they have a flag, before its next request", async () => {
    const arranged = arrangedRuns(byName({ main: [delegate("explore"), text("end")], explore: [text("")] }), {
      agents: ["explore"],
    });
    await arranged.agent.send("go").result;
    assert.match(shown(arranged, "main"), /<report_check>[^<]*report is empty/);
    const types = arranged.log
      .entriesAfter(0)
      ?.flatMap((entry) => ("host" in entry ? entry.host.type : entry.agent.type));
    const flagged = types?.indexOf("report_checked") ?? -1;
    assert.ok(flagged > 0 && flagged < (types?.lastIndexOf("turn_start") ?? 0), String(types));
    assert.deepEqual(arranged.host().reports, {
      [idOf(arranged, "explore")]: { agentId: idOf(arranged, "explore"), flag: "empty" },
    });
  });

  it("go to the parent as they are where they say something, and no entry of the log is made", async () => {
    const arranged = arrangedRuns(byName({ main: [delegate("explore"), text("end")], explore: [text("Found it.")] }), {
      agents: ["explore"],
    });
    await arranged.agent.send("go").result;
    assert.deepEqual(results(arranged.agent.messages), ["Found it."]);
    assert.deepEqual(
      arranged.hostEvents.filter(({ type }) => type === "report_checked"),
      [],
    );
  });

  it("are asked for again in the agent's context, and the parent's result holds the new one while it waits for others", async () => {
    const slow = gate();
    const arranged = arrangedRuns(
      byName({
        main: [spawn("explore", "edit"), text("end")],
        explore: [call("look"), text("See notes.md."), text("The bug is in a.ts:3.")],
        edit: [text("Edited.", { until: slow.opened })],
      }),
      { agents: ["explore", "edit"], main: { tools: [tool("look")] } },
    );
    const held = arranged.seen("report_checked");
    const run = arranged.agent.send("go").result;
    assert.deepEqual((await held).isHeld, true);
    const again = ended(arranged, "explore");
    await arranged.runs.reports.askAgain(idOf(arranged, "explore"), "Name the line");
    await again;
    assert.match(shown(arranged, "explore"), /work of explore.*See notes\.md\..*Name the line/);
    slow.open();
    await run;
    assert.deepEqual(JSON.parse(results(arranged.agent.messages)[0] ?? ""), [
      { agent: "explore", result: "The bug is in a.ts:3." },
      { agent: "edit", result: "Edited." },
    ]);
    const { flag, isHeld } = arranged.host().reports[idOf(arranged, "explore")] ?? {};
    assert.deepEqual({ flag, isHeld }, { flag: undefined, isHeld: undefined });
  });

  it("are held as long as another call of the parent runs, and only so long", async () => {
    const slow = gate();
    const arranged = arrangedRuns(
      byName({
        main: [calls({ name: "delegate_to_agent", args: task("explore") }, { name: "wait" }), text("end")],
        explore: [text(""), text("Found it.")],
      }),
      { agents: ["explore"], main: { tools: [tool("wait", () => slow.opened.then(() => "over"))] } },
    );
    const held = arranged.seen("report_checked");
    const run = arranged.agent.send("go").result;
    await held;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(arranged.requests.length, 2);
    slow.open();
    await run;
    assert.match(results(arranged.agent.messages)[0] ?? "", /report is empty/);
  });

  it("with a flag wait a moment for a user who looks, and no longer than they take to ask again", async () => {
    const arranged = arrangedRuns(
      byName({ main: [delegate("explore"), text("end")], explore: [text(""), text("Found it.")] }),
      { agents: ["explore"], isWatched: () => true },
    );
    const held = arranged.seen("report_checked");
    const run = arranged.agent.send("go").result;
    await held;
    await arranged.runs.reports.askAgain(idOf(arranged, "explore"));
    await run;
    assert.deepEqual(results(arranged.agent.messages), ["Found it."]);
    assert.match(shown(arranged, "explore"), /Your report was empty\. Report again now/);
  });

  it("are given up with their run: a stop does not wait for the user", async () => {
    const arranged = arrangedRuns(byName({ main: [delegate("explore")], explore: [text("")] }), {
      agents: ["explore"],
      isWatched: () => true,
    });
    const held = arranged.seen("report_checked");
    const run = arranged.agent.send("go").result;
    await held;
    await arranged.agent.abort();
    assert.equal((await run).reason, "aborted");
  });

  it("come as a note where the parent has gone on: with its next request, or the next message", async () => {
    const thinking = gate();
    const arranged = arrangedRuns(
      byName({
        main: [delegate("explore"), call("look"), text("end", { until: thinking.opened }), text("more"), text("last")],
        explore: [call("look"), text("Short."), text("Whole."), text("Wholly.")],
      }),
      { agents: ["explore"], main: { tools: [tool("look")] } },
    );
    const run = arranged.agent.send("go").result;
    await seen(
      arranged.agent,
      ({ type, agent }) => type === "turn_start" && agent.depth === 0 && arranged.requests.length > 3,
    );
    await arranged.runs.reports.askAgain(idOf(arranged, "explore"), "All of it");
    thinking.open();
    await run;
    assert.match(shown(arranged, "explore"), /work of explore.*Short\..*All of it/);
    assert.match(shown(arranged, "main"), /the user asked it again: All of it.{2,8}Its new report:.{2,8}Whole\./);
    await arranged.runs.reports.askAgain(idOf(arranged, "explore"), "Still more");
    assert.equal(ofType(arranged.events, "agent_start").filter(({ agent }) => agent.name === "explore").length, 3);
    await arranged.agent.send("and now?").result;
    assert.match(shown(arranged, "main"), /Wholly\..*and now\?/);
    const [, ...siblings] = new Set(arranged.events.map(({ agent }) => agent.id));
    assert.equal(siblings.length, 1, "it is the same agent");
  });

  it("can be asked for again and again below an agent that has ended, also after that was asked again", async () => {
    const arranged = arrangedRuns(
      byName({
        main: [delegate("explore"), text("end")],
        explore: [delegate("edit"), text("Found it."), text("Found more.")],
        edit: [text("First."), text("Second."), text("Third."), text("Fourth.")],
      }),
      { agents: ["explore", "edit"] },
    );
    await arranged.agent.send("go").result;
    const { reports } = arranged.runs;
    await reports.askAgain(idOf(arranged, "edit"), "Two");
    assert.ok(arranged.agent.find(idOf(arranged, "edit")), "it can be stopped and steered");
    await reports.askAgain(idOf(arranged, "edit"), "Three");
    await reports.askAgain(idOf(arranged, "explore"), "More");
    await reports.askAgain(idOf(arranged, "edit"), "Four");
    assert.match(shown(arranged, "edit"), /First\..*Two.*Second\..*Three.*Third\..*Four/);
    assert.equal(new Set(arranged.events.map(({ agent }) => agent.id)).size, 3, "all are the same agents");
  });

  it("come as a note to the agent's parent where that was asked again itself and still works", async () => {
    const thinking = gate();
    const arranged = arrangedRuns(
      byName({
        main: [delegate("explore"), text("end")],
        explore: [
          delegate("edit"),
          text("Found it."),
          { ...call("look"), until: thinking.opened },
          text("Found more."),
        ],
        edit: [text("First."), text("Second.")],
      }),
      { agents: ["explore", "edit"], main: { tools: [tool("look")] } },
    );
    await arranged.agent.send("go").result;
    const { reports } = arranged.runs;
    const asked = reports.askAgain(idOf(arranged, "explore"), "More");
    await reports.askAgain(idOf(arranged, "edit"), "Two");
    thinking.open();
    await asked;
    assert.match(shown(arranged, "explore"), /asked it again: Two.{2,8}Its new report:.{2,8}Second\./);
  });

  it("can't be asked for again of an agent that is not known any more", async () => {
    const arranged = arrangedRuns([text("end")]);
    await arranged.agent.send("go").result;
    await assert.rejects(arranged.runs.reports.askAgain("gone"), /Retry gives its task/);
    await assert.rejects(arranged.runs.reports.askAgain(arranged.agent.id), /Retry gives its task/);
  });
});
