import assert from "node:assert/strict";
import fc from "fast-check";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { workOfRun } from "../../../src/webview/features/conversation/workOfRun.ts";
import { chatId, recording, text, toolCall } from "../support/recording.ts";
import { testPanel } from "../support/testPanel.ts";

/** A chat of three runs of the same request, each with its own agents and files, and where each run begins. */
function threeRuns() {
  const log = recording();
  const main = log.agent("main");
  const starts: number[] = [];
  for (let run = 1; run <= 3; run++) {
    if (run > 1) log.event(main, { type: "agent_start" });
    starts.push(log.lastSeq);
    log.user(main, "Round the prices");
    log.answer(main, [toolCall(`c${run}`, "spawn_agents", {})]);
    log.toolStart(main, `c${run}`, "spawn_agents", "Delegate", {});
    for (const task of ["a", "b"]) {
      const agent = log.agent("edit", main, `c${run}`, `Run ${run} ${task}`);
      const path = `run${run}/${task}.ts`;
      log.answer(agent, [toolCall(`${run}${task}`, "edit_file", { path })]);
      log.toolStart(agent, `${run}${task}`, "edit_file", "Edit", { path });
      const edit = { path, change: "update", added: 1, removed: 0, accepted: 1, rejected: 0 } as const;
      log.editEnd(agent, `${run}${task}`, "edit_file", [edit]);
      log.spend(agent, { input: 100, cost: 0.1 });
      log.end(agent, "done");
    }
    log.toolEnd(main, `c${run}`, "spawn_agents", "done");
    log.answer(main, [text("Rounded.")]);
    log.end(main, "done");
  }
  return { log, starts };
}

/** The host's posts from one entry to the next, some of them whole again, as after a reload. */
type Step =
  | { type: "post"; count: number }
  | { type: "frame" }
  | { type: "moment" }
  | { type: "reload"; isCut: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("post" as const), count: fc.integer({ min: 1, max: 12 }) }) },
    { weight: 4, arbitrary: fc.constant({ type: "frame" as const }) },
    { weight: 2, arbitrary: fc.constant({ type: "moment" as const }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("reload" as const), isCut: fc.boolean() }) },
  ),
  { minLength: 20, maxLength: 60 },
);

describe("the runs of a chat", () => {
  const { log, starts } = threeRuns();
  const whole = log.chat() as Extract<HostMessage, { type: "chat" }>;

  it("are never shown for one another, however the host's posts come", () => {
    fc.assert(
      fc.property(steps, (schedule) => {
        const { panel, timing } = testPanel(() => {});
        const receive = (message: HostMessage) => panel.receive({ data: JSON.stringify(message) });
        let seq = 0;
        const chat = (from: number): HostMessage => ({
          ...whole,
          upToSeq: seq,
          entries: whole.entries.filter((entry) => entry.seq > from && entry.seq <= seq),
          hasEarlier: from > 0,
        });
        receive(chat(0));
        for (const step of schedule) {
          if (step.type === "frame") timing.runFrame();
          else if (step.type === "moment") timing.runLater();
          else if (step.type === "post") {
            const [from, upToSeq] = [seq, Math.min(seq + step.count, log.lastSeq)];
            const entries = whole.entries.filter((entry) => entry.seq > from && entry.seq <= upToSeq);
            seq = upToSeq;
            receive({ type: "entries", chatId, afterSeq: from, upToSeq, entries });
          } else receive(chat(step.isCut ? (starts.findLast((start) => start <= seq) ?? 0) : 0));
          check(panel);
        }
      }),
      { numRuns: 300 },
    );
  });

  /** What is on the page at this moment. */
  function check({ tree, chat, conversation }: ReturnType<typeof testPanel>["panel"]): void {
    const root = chat.liveSelected.value;
    if (root === undefined) return;
    const asked = root.messages.filter(({ role }) => role === "user").length;
    const unfolded = tree.rows.value.filter(({ level, isGroup }) => level === 2 && !isGroup).map(({ name }) => name);
    const runs = new Set(unfolded.map((name) => name.split(" ")[1]));
    assert.ok(runs.size <= 1, `side by side: ${unfolded.join(", ")}`);
    const shown = conversation.runs.value;
    if (shown.latest === undefined || shown.root === undefined) return;
    const result = workOfRun(shown.tree, shown.root, shown.latest);
    const folders = new Set(result.files.map(({ path }) => path.split("/")[0]));
    assert.ok(folders.size <= 1, `files of several runs: ${[...folders].join(", ")}`);
    // Once the page shows that the next run goes on, nothing of the one before is shown for it.
    if (root.status === "running" && asked > 0 && chat.hasEarlier.value === false) {
      for (const run of runs) assert.ok(Number(run) >= asked, `agents of run ${run} in run ${asked}`);
    }
  }
});
