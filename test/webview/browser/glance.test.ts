import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { oneHunk } from "../gallery/scenes.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { type Recording, recording, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const moments = 200;
/** As many as work at once by the default of the setting. */
const maxParallel = 8;

/** Numbers that look random and are the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface Worker {
  meta: AgentMeta;
  parent: Worker | undefined;
  title: string;
  status: "running" | "waiting" | "failed" | "done";
  /** Of its branch. */
  cents: number;
  approvalId: string;
}

/** A run of 20 agents over three levels, which goes on step by step, and what is true of it by its own account. */
function scriptedRun(seed: number) {
  const random = randomFrom(seed);
  const log: Recording = recording();
  const main: Worker = {
    ...{ meta: log.agent("main"), parent: undefined, title: "main", status: "running", cents: 0, approvalId: "" },
  };
  log.user(main.meta, "Look at everything.");
  const workers: Worker[] = [];
  let requests = 0;
  const any = (list: readonly Worker[]) => list[random(list.length)];
  const at = (...wanted: Worker["status"][]) => workers.filter(({ status }) => wanted.includes(status));
  const hasWorkingChild = (worker: Worker) =>
    workers.some(({ parent, status }) => parent === worker && (status === "running" || status === "waiting"));

  function spawn(): void {
    if (workers.length === 20 || at("running", "waiting").length >= maxParallel) return;
    const parents = [main, ...at("running").filter(({ parent }) => parent === main)];
    const parent = any(parents) ?? main;
    const title = `Task ${String(workers.length + 1).padStart(2, "0")}`;
    const task = { agent: "explore", title, task: title, context: "" };
    log.answer(parent.meta, [toolCall(`call ${title}`, "delegate_to_agent", task)]);
    log.toolStart(parent.meta, `call ${title}`, "delegate_to_agent", "Delegate", task);
    const meta = log.agent("explore", parent.meta, `call ${title}`, title);
    workers.push({ meta, parent, title, status: "running", cents: 0, approvalId: "" });
  }

  function spend(worker: Worker | undefined): void {
    if (worker === undefined) return;
    const cents = 1 + random(9);
    log.spend(worker.meta, { input: 100 * cents, output: 10, cost: cents / 100 }, random(90));
    for (let each: Worker | undefined = worker; each !== undefined; each = each.parent) each.cents += cents;
  }

  function work(worker: Worker | undefined): void {
    if (worker === undefined) return;
    const id = `work ${++requests}`;
    log.answer(worker.meta, [text("I look."), toolCall(id, "read_file", { path: "a.ts" })]);
    log.toolStart(worker.meta, id, "read_file", "Read", { path: "a.ts" });
    if (random(2) === 0) log.toolEnd(worker.meta, id, "read_file", "text");
  }

  function ask(worker: Worker | undefined): void {
    // One that has given work away waits for that.
    if (worker === undefined || hasWorkingChild(worker)) return;
    worker.status = "waiting";
    worker.approvalId = `a${++requests}`;
    const asker = { agentId: worker.meta.id, agentPath: ["main", "explore"], callId: worker.approvalId };
    log.host({ type: "approval_requested", approval: { ...oneHunk, ...asker, id: worker.approvalId } });
  }

  function answer(worker: Worker | undefined): void {
    if (worker === undefined) return;
    worker.status = "running";
    log.host({ type: "approval_closed", approvalId: worker.approvalId, outcome: "accepted" });
  }

  function end(worker: Worker | undefined): void {
    if (worker === undefined || hasWorkingChild(worker)) return;
    const hasFailed = random(5) === 0;
    worker.status = hasFailed ? "failed" : "done";
    log.end(worker.meta, hasFailed ? "error" : "done", hasFailed ? "The model is gone." : undefined);
  }

  const steps = [
    spawn,
    () => spend(any([main, ...at("running")])),
    () => work(any(at("running"))),
    () => ask(any(at("running"))),
    () => answer(any(at("waiting"))),
    () => workers.length >= maxParallel && random(2) === 0 && end(any(at("running"))),
  ];
  return {
    ...{ log, main, workers, at },
    step: () => steps[workers.length < 4 ? 0 : random(steps.length)]?.(),
  };
}

/** Names of tasks by what is to be known of them at a glance. */
interface Glance {
  running: string[];
  waiting: string[];
  failed: string[];
  costsMost: string[];
}

function truth({ workers, at }: ReturnType<typeof scriptedRun>): Glance {
  const titles = (list: readonly Worker[]) => list.map(({ title }) => title).toSorted();
  const most = Math.max(...workers.map(({ cents }) => cents));
  return {
    running: titles(at("running")),
    waiting: titles(at("waiting")),
    failed: titles(at("failed")),
    costsMost: most > 0 ? titles(workers.filter(({ cents }) => cents === most)) : [],
  };
}

/** What a screen reader gets from the tree. */
async function heard({ page }: PanelPage): Promise<Glance> {
  const tree = await page.getByRole("tree", { name: "Agents" }).ariaSnapshot();
  const rows = [...tree.matchAll(/treeitem "(Task \d\d) ?, ([^"]*)"/g)].map(([, title = "", details = ""]) => ({
    title,
    status: details.split(", ")[1] ?? "",
    cents: Math.round(Number(/\$([\d.]+)/.exec(details)?.[1] ?? 0) * 100),
  }));
  const withStatus = (...wanted: string[]) =>
    rows.flatMap(({ title, status }) => (wanted.includes(status) ? [title] : [])).toSorted();
  const most = Math.max(0, ...rows.map(({ cents }) => cents));
  return {
    running: withStatus("running"),
    waiting: withStatus("needs approval"),
    failed: withStatus("failed"),
    costsMost: most > 0 ? rows.flatMap(({ title, cents }) => (cents === most ? [title] : [])).toSorted() : [],
  };
}

/** Agents whose rows are not whole in view, each with its status. */
async function outOfView({ page }: PanelPage): Promise<{ agent: string; status: string }[]> {
  return page.evaluate(() => {
    const tree = document.querySelector("[role=tree]")?.getBoundingClientRect();
    const rows = [...document.querySelectorAll<HTMLElement>("[role=treeitem]")];
    const top = rows[0]?.getBoundingClientRect().bottom ?? 0;
    const isSeen = (row: HTMLElement) => {
      const box = row.getBoundingClientRect();
      return tree !== undefined && box.bottom <= tree.bottom + 1 && (row === rows[0] || box.top >= top - 1);
    };
    const unseen = rows.filter((row) => !isSeen(row));
    return unseen.map(({ dataset: { agent = "", status = "" } }) => ({ agent, status }));
  });
}

/** Posts what came of a few steps, and waits for the tree to say so: it is shown a few times a second. */
async function goOn(panel: PanelPage, run: ReturnType<typeof scriptedRun>, where: string): Promise<void> {
  const seq = run.log.lastSeq;
  for (let step = 0; step < 3; step++) run.step();
  await panel.post(run.log.since(seq));
  await says(panel, run, where);
}

async function says(panel: PanelPage, run: ReturnType<typeof scriptedRun>, where: string): Promise<void> {
  const expected = truth(run);
  let now = await heard(panel);
  for (let wait = 0; wait < 40 && JSON.stringify(now) !== JSON.stringify(expected); wait++) {
    await panel.drawn();
    now = await heard(panel);
  }
  assert.deepEqual(now, expected, where);
}

/** Runs in the page: how many agents the bar above the rows says run, wait and failed; undefined where it is not in view. */
function counted(): (string | null)[] | undefined {
  const buttons = [...document.querySelectorAll(".tree-tab.counted")];
  const isSeen = buttons.every((button) => {
    const { left, top, right, bottom } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  });
  const counts = buttons.map((button) => button.querySelector(".choice-count")?.getAttribute("data-count") ?? null);
  return isSeen && counts.length > 0 ? counts : undefined;
}

/** Runs in the page: the answers of the card that are not whole in view, and whether the transcript can be read. */
function hiddenParts(): string[] {
  const buttons = [...document.querySelectorAll(".approval-answer vscode-button")];
  const cut = buttons.filter((button) => {
    const { left, top, right, bottom } = button.getBoundingClientRect();
    const corners = [
      [left + 2, top + 2],
      [right - 3, bottom - 3],
    ] as const;
    return corners.some(([x, y]) => document.elementFromPoint(x, y)?.closest("vscode-button") !== button);
  });
  const room = document.querySelector("[role=log]")?.clientHeight ?? 0;
  return [...cut.map((button) => button.textContent?.trim() ?? ""), ...(room >= 160 ? [] : [`transcript: ${room} px`])];
}

describe("a run of 20 agents over three levels", function () {
  this.timeout(300_000);
  const show = usePanel();

  it(`says at ${moments} moments who runs, waits and failed, and who costs most, as the log has it`, async () => {
    const run = scriptedRun(7);
    const panel = await show([run.log.chat()], { width: 400, height: 900 });
    for (let moment = 0; moment < moments; moment++) {
      await goOn(panel, run, `moment ${moment}`);
      for (const height of [900, 650]) {
        await panel.page.setViewportSize({ width: 400, height });
        await says(panel, run, `moment ${moment}, ${height} px`);
        const unseen = await outOfView(panel);
        const states = unseen.map(({ status }) => status);
        // Where the panel is low, more do not fit beside a card that shows what it asks for.
        const active = 1 + run.at("running", "waiting", "failed").length;
        if (height === 900 || run.at("waiting").length === 0 || active <= 6)
          assert.deepEqual(
            states.filter((status) => status !== "done"),
            [],
            `moment ${moment}, ${height} px`,
          );
        // One that waits is always in view.
        const waits = run.at("waiting").length;
        assert.ok(waits === 0 || states.filter((status) => status === "waiting").length < waits, `moment ${moment}`);
      }
    }
    assert.equal(run.workers.length, 20);
    // One row represents what is finished, and opens to it.
    const rows = panel.page.getByRole("treeitem", { name: /^Task/ });
    const folded = panel.page.getByRole("treeitem", { name: /^\d+ finished [\d.]+k? tokens, \$\d/ });
    const count = await rows.count();
    assert.ok(count < 20, `${count} rows`);
    await folded.click();
    await rows.nth(19).waitFor({ state: "attached" });
    await panel.page.keyboard.press("ArrowLeft");
    await rows.nth(count).waitFor({ state: "detached" });
    assert.equal(await rows.count(), count);
  });

  it(`keeps the answers whole at 400 × 650 with plan and details open, and counts who is out of view, at ${moments} moments`, async () => {
    const run = scriptedRun(11);
    const items = ["Look", "Fix", "Test", "Report"].map((text, at) => ({
      text,
      status: at === 1 ? ("in_progress" as const) : ("pending" as const),
    }));
    run.log.host({ type: "plan_changed", agentId: run.main.meta.id, items });
    const panel = await show([run.log.chat()], { width: 400, height: 650 });
    const { page } = panel;
    await page.locator(".plan-head").click();
    await goOn(panel, run, "at first");
    await page.getByRole("treeitem", { name: /^main/ }).focus();
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("group", { name: "Details of main", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Ask Agent" }).focus();
    // Under the pointer no row moves.
    await page.mouse.move(200, 640);
    let waited = 0;
    for (let moment = 0; moment < moments; moment++) {
      const where = `moment ${moment}`;
      await goOn(panel, run, where);
      assert.deepEqual(await page.evaluate(hiddenParts), [], where);
      const unseen = (await outOfView(panel)).map(({ status }) => status);
      const waits = run.at("waiting").length;
      if (waits > 0) waited++;
      assert.ok(waits === 0 || unseen.filter((status) => status === "waiting").length < waits, where);
      if (unseen.every((status) => status === "done")) continue;
      const counts = [run.at("running").length + 1, waits, run.at("failed").length].map(String);
      assert.deepEqual(await page.evaluate(counted), counts, where);
    }
    assert.ok(waited > 50, `${waited} moments with a card`);
  });
});
