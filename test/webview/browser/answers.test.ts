import assert from "node:assert/strict";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { oneHunk, twoHunks } from "../gallery/scenes.ts";
import { chatId, recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** Two agents, each of which has an edit that waits. */
function twoAskers() {
  const log = recording();
  const main = log.agent("main");
  const [first, second] = [log.agent("first", main), log.agent("second", main)];
  const approval = (id: string, { id: agentId, name = "" }: typeof first): Approval => ({
    ...oneHunk,
    ...{
      id,
      agentId,
      agentPath: ["main", name],
      files: oneHunk.files.map((file) => ({ ...file, path: `${name}.ts` })),
    },
  });
  log.host({ type: "approval_requested", approval: approval("a1", first) });
  log.host({ type: "approval_requested", approval: approval("a2", second) });
  return log;
}

describe("answers in the panel", function () {
  // Thousands of schedules take minutes on a machine with other work.
  this.timeout(600_000);
  const show = usePanel();

  it("go to the agent whose row was selected", async () => {
    const panel = await show([twoAskers().chat()]);
    const { page } = panel;
    await page.getByRole("treeitem", { name: /^second/ }).click();
    await page.getByRole("group", { name: "Approval: edit_file second.ts" }).waitFor();
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByRole("treeitem", { name: /^first/ }).click();
    await page.getByRole("group", { name: "Approval: edit_file first.ts" }).waitFor();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    const decided = (await panel.intents()).filter(({ type }) => type === "decide");
    assert.deepEqual(decided, [
      { type: "decide", approvalId: "a2", decision: "rejected" },
      { type: "decide", approvalId: "a1", decision: "accepted" },
    ]);
  });

  it("wait until a card was in view for a moment, and a double click answers once", async () => {
    const log = twoAskers();
    const panel = await show();
    const { page } = panel;
    await page.clock.install({ time: 0 });
    await panel.post(log.chat());
    await page.clock.runFor(100);
    const accept = page.getByRole("button", { name: "Accept", exact: true });
    await accept.click({ force: true });
    await page.keyboard.press("Control+Enter");
    assert.equal((await panel.intents()).filter(({ type }) => type === "decide").length, 0);
    assert.equal(await accept.isDisabled(), true);
    await page.clock.runFor(400);
    await accept.dblclick();
    await page.keyboard.press("Control+Enter");
    assert.equal((await panel.intents()).filter(({ type }) => type === "decide").length, 1);
  });

  it("are given to nothing but what the user saw, in thousands of schedules", async () => {
    // Cards are loaded when the first is shown.
    const log = twoAskers();
    const panel = await show([log.chat()]);
    const { lastSeq } = log;
    for (const approvalId of ["a1", "a2"]) log.host({ type: "approval_closed", approvalId, outcome: "canceled" });
    await panel.post(log.since(lastSeq));
    await panel.drawn();
    const outcome = await panel.page.evaluate(playSchedules, {
      ...{ chatId, seq: log.lastSeq, schedules: 5_000, seed: 20_251 },
      approvals: [oneHunk, twoHunks],
    });
    assert.deepEqual(outcome.strays, []);
    assert.deepEqual(panel.problems, []);
    // The user is not merely refused.
    assert.ok(outcome.answered > 2_000, `${outcome.answered} answers`);
    assert.ok(outcome.swallowed > 200, `${outcome.swallowed} swallowed`);
  });
});

interface Play {
  chatId: string;
  seq: number;
  schedules: number;
  seed: number;
  approvals: Approval[];
}

/**
 * Runs in the page, with its clock. In each schedule approvals come, are withdrawn and are answered elsewhere, while a
 * user looks at the card, and a hand's time later clicks or presses what is there then.
 */
async function playSchedules({ chatId, seq: from, schedules, seed, approvals }: Play) {
  let now = 1_000_000;
  let timers: { at: number; run: () => void }[] = [];
  let frames: ((time: number) => void)[] = [];
  const strays: string[] = [];
  let [seq, ids, answered, swallowed] = [from, 0, 0, 0];
  let open: string[] = [];
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const own = { setTimeout: globalThis.setTimeout, requestAnimationFrame: globalThis.requestAnimationFrame };
  Object.assign(globalThis, {
    setTimeout: (run: () => void, delay = 0) => timers.push({ at: now + delay, run }),
    clearTimeout: (id: number) => {
      const timer = timers[id - 1];
      if (timer !== undefined) timer.at = Number.POSITIVE_INFINITY;
    },
    requestAnimationFrame: (run: (time: number) => void) => frames.push(run),
    // What is drawn is in view.
    IntersectionObserver: class {
      readonly #seen: (entries: { isIntersecting: boolean }[]) => void;
      constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
        this.#seen = seen;
      }
      observe() {
        this.#seen([{ isIntersecting: true }]);
      }
      disconnect() {}
    },
  });

  async function pass(ms: number): Promise<void> {
    const end = now + ms;
    while (now < end) {
      // Where nothing is drawn nothing happens before the next timer.
      now = Math.min(end, frames.length > 0 ? now + 16 : Math.max(now + 1, Math.min(...timers.map(({ at }) => at))));
      const drawn = frames;
      frames = [];
      for (const run of drawn) run(now);
      for (const timer of timers) {
        if (timer.at > now) continue;
        timer.at = Number.POSITIVE_INFINITY;
        timer.run();
      }
      if (timers.every(({ at }) => at === Number.POSITIVE_INFINITY)) timers = [];
      for (let turn = 0; turn < 4; turn++) await null;
    }
  }

  function post(...events: Extract<LogEntry, { host: unknown }>["host"][]): void {
    const afterSeq = seq;
    const entries = events.map((host) => ({ seq: ++seq, host }));
    const data = JSON.stringify({ type: "entries", chatId, afterSeq, upToSeq: seq, entries });
    globalThis.dispatchEvent(new MessageEvent("message", { data }));
  }

  function arrive(): void {
    const id = `s${++ids}`;
    const [one = approvals[0], two = one] = approvals;
    const sample = random(3) === 0 ? two : one;
    if (sample === undefined) return;
    open.push(id);
    const files = sample.files.map((file) => ({ ...file, path: `${id}.ts` }));
    post({ type: "approval_requested", approval: { ...sample, id, files } });
  }

  function leave(outcome: "accepted" | "canceled", id = open[random(open.length)]): void {
    if (id === undefined) return;
    open = open.filter((each) => each !== id);
    post({ type: "approval_closed", approvalId: id, outcome });
  }

  /** The approval that a user who looks now sees, if any. */
  const seenNow = () =>
    /\bs\d+(?=\.ts)/.exec(document.querySelector(".approval")?.getAttribute("aria-label") ?? "")?.[0];

  function act(): void {
    const buttons = [
      ...document.querySelectorAll<HTMLElement>(".approval-answer vscode-button, .hunk-head .icon-button"),
    ];
    const key = random(4);
    if (key < 2) {
      const options = { key: key === 0 ? "Enter" : "Backspace", ctrlKey: true, bubbles: true };
      (document.querySelector(".approval") ?? document.body).dispatchEvent(new KeyboardEvent("keydown", options));
    } else buttons[random(buttons.length)]?.click();
  }

  for (let schedule = 0; schedule < schedules; schedule++) {
    while (open.length < 1 + random(3)) arrive();
    await pass(random(2) === 0 ? 48 : 400);
    const looked = seenNow();
    const before = globalThis.posted.length;
    // What happens while the hand is on its way.
    const event = random(5);
    if (event === 0) arrive();
    else if (event === 1) leave("canceled");
    else if (event === 2 && looked !== undefined) leave("accepted", looked);
    await pass(32 + random(200));
    act();
    if (random(3) === 0) {
      await pass(64);
      act();
    }
    const decided = globalThis.posted.slice(before).filter((intent) => intent.type === "decide");
    for (const { approvalId } of decided)
      if (approvalId !== looked) strays.push(`${schedule}: ${approvalId}, not ${looked}`);
    if (decided.length === 0) swallowed++;
    else answered++;
    if (decided.some(({ hunkId }) => hunkId === undefined)) leave("accepted", looked);
    globalThis.posted.length = 0;
  }
  Object.assign(globalThis, own);
  return { strays: strays.slice(0, 5), answered, swallowed };
}
