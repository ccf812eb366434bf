import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import type { AgentMeta } from "../../../src/agent/types.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import type { ArborPanel } from "../panel.ts";
import { answerCard, ask } from "../run.ts";
import { sessionFile } from "./sessionFile.ts";
import { useSession } from "./wire/session.ts";

const leastMoments = 200;
const question = "Look everywhere";
/** The next one of those that lead gets to work when no more of its colleagues' workers are at work. */
const maxWorkers = 3;

interface Scripted {
  title: string;
  /** Each waits at a gate. */
  answers: number;
  workers: Scripted[];
}

const titleOf = (number: number) => `Task ${String(number).padStart(2, "0")}`;
const secretOf = ({ title }: Scripted, turn: number) => `.env.${title.replace(" ", "")}-${turn}`;
const gateOf = ({ title }: Scripted, turn: number) => `${title}, answer ${turn}`;

/** Four that lead and fifteen that work, with main twenty agents. */
const leads = [1, 6, 11, 16].map((first): Scripted => {
  const numbers = [1, 2, 3, 4].map((after) => first + after).filter((number) => number < 20);
  const workers = numbers.map((number) => ({ title: titleOf(number), answers: 10 + (number % 3), workers: [] }));
  return { title: titleOf(first), answers: 2, workers };
});
const agents = leads.flatMap((lead) => [lead, ...lead.workers]);

function answer(words: string, turn: number, cents: number, steps: Step[]): Rule {
  return { when: { lastUser: words, turn }, reply: { steps, usage: { input: 1000, output: 100 * (cents - 1) } } };
}

const spawn = (those: readonly Scripted[]): Step => ({
  tool: "spawn_agents",
  arguments: {
    tasks: those.map(({ title, workers }) => ({
      agent: workers.length > 0 ? "edit" : "explore",
      title,
      task: `${title}: look.`,
      context: "",
    })),
  },
});

/** Of a worker's answers each third wants to read a secret; each fifth worker's last one is refused. */
function answersOf(agent: Scripted, number: number): Rule[] {
  return Array.from({ length: agent.answers }, (_, turn): Rule => {
    const { title, workers, answers } = agent;
    const words = `${title}: look.`;
    const gate: Step = { gate: gateOf(agent, turn) };
    const cents = 2 + ((number * 7 + turn * 3) % 9);
    if (turn === answers - 1) {
      const body = { type: "error", error: { type: "invalid_request_error", message: "Nothing is known of this." } };
      if (workers.length === 0 && number % 5 === 3)
        return { when: { lastUser: words, turn }, reply: { status: 400, body, holdAt: gateOf(agent, turn) } };
      return answer(words, turn, cents, [gate, { text: "It is seen." }]);
    }
    const secret: Step = { tool: "read_file", arguments: { path: secretOf(agent, turn) } };
    const work: Step = turn % 3 === 1 ? secret : { tool: "list_files" };
    return answer(words, turn, cents, [gate, { text: "I look." }, workers.length > 0 ? spawn(workers) : work]);
  });
}

/** What is to be known at a glance: titles by state, and what the rows say of costs, in cents. */
interface Glance {
  running: string[];
  waiting: string[];
  failed: string[];
  costsMost: string[];
}

interface Account {
  meta: AgentMeta;
  status: "running" | "waiting" | "failed" | "done";
  /** Of its branch. */
  cents: number;
}

/** What the session's file says of each agent. */
async function logged(file: string): Promise<Account[]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  const accounts = new Map<string, Account & { own: number }>();
  const asked = new Map<string, string>();
  for (const line of lines) {
    const entry = JSON.parse(line) as Partial<LogEntry>;
    if ("agent" in entry && entry.agent !== undefined) {
      const { agent: event } = entry;
      const meta = event.agent;
      const account = accounts.get(meta.id) ?? { meta, status: "running", cents: 0, own: 0 };
      accounts.set(meta.id, account);
      if (event.type === "usage") account.own = event.own.cost * 100;
      if (event.type === "agent_end") account.status = event.reason === "done" ? "done" : "failed";
    }
    if (!("host" in entry) || entry.host === undefined) continue;
    if (entry.host.type === "approval_requested") asked.set(entry.host.approval.id, entry.host.approval.agentId);
    if (entry.host.type === "approval_closed") asked.delete(entry.host.approvalId);
  }
  for (const account of accounts.values()) {
    if ([...asked.values()].includes(account.meta.id)) account.status = "waiting";
    for (let each = accounts.get(account.meta.id); each !== undefined; each = accounts.get(each.meta.parentId ?? ""))
      each.cents += account.own;
  }
  return [...accounts.values()].map(({ meta, status, cents }) => ({ meta, status, cents: Math.round(cents) }));
}

function glanceAt(all: readonly { title: string; status: string; cents: number }[]): Glance {
  const titles = (list: typeof all) => list.map(({ title }) => title).toSorted();
  const at = (wanted: string) => titles(all.filter(({ status }) => status === wanted));
  const most = Math.max(...all.map(({ cents }) => cents));
  return {
    ...{ running: at("running"), waiting: at("waiting"), failed: at("failed") },
    costsMost: most > 0 ? titles(all.filter(({ cents }) => cents === most)) : [],
  };
}

const states: Readonly<Record<string, string>> = { "needs approval": "waiting", queued: "running" };

/** What a screen reader gets from the rows of the tree, below main's. */
async function heard({ tree }: ArborPanel): Promise<{ title: string; status: string; cents: number }[]> {
  const rows = (await tree.ariaSnapshot()).matchAll(/treeitem "(Task \d\d) ?, ([^"]*)"/g);
  return [...rows].map(([, title = "", details = ""]) => {
    const status = details.split(", ")[1] ?? "";
    const cents = Math.round(Number(/\$([\d.]+)/.exec(details)?.[1] ?? 0) * 100);
    return { title, status: states[status] ?? status, cents };
  });
}

/** The states of the agents whose rows are not whole in view. */
async function unseen({ tree, rows }: ArborPanel): Promise<string[]> {
  const bottom = await tree.evaluate((element) => element.getBoundingClientRect().bottom);
  return rows.evaluateAll((elements, bottom) => {
    const top = elements[0]?.getBoundingClientRect().bottom ?? 0;
    const hidden = elements.filter((element, at) => {
      const box = element.getBoundingClientRect();
      return box.bottom > bottom + 1 || (at > 0 && box.top < top - 1);
    });
    return hidden.map((element) => element.getAttribute("data-status") ?? "");
  }, bottom);
}

/** How many agents the bar above the tree says run, wait and failed, main among them; undefined where it is not whole in view. */
async function counted({ frame }: ArborPanel): Promise<Record<string, number> | undefined> {
  return frame.locator(".tree-tab.counted").evaluateAll((buttons) => {
    const isSeen = buttons.every((button) => {
      const { left, top, right, bottom } = button.getBoundingClientRect();
      const { ownerDocument: page } = button;
      const hit = page.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return button.contains(hit) && right <= page.documentElement.clientWidth;
    });
    const counts = buttons.map((button) => [
      (button.getAttribute("aria-label") ?? "").toLowerCase(),
      // The log does not say who is queued.
      Number(button.querySelector(".choice-count")?.getAttribute("data-count")) +
        Number(button.querySelector(".choice-count")?.getAttribute("data-halted")),
    ]);
    return isSeen && counts.length > 0 ? Object.fromEntries(counts) : undefined;
  });
}

describe("A run of 20 agents over three levels, in an editor", () => {
  const session = useSession("anthropic", async (workspace) => {
    for (const agent of agents)
      for (let turn = 0; turn < agent.answers; turn++)
        await writeFile(path.join(workspace, secretOf(agent, turn)), "TOKEN=sk-0815\n");
  });

  before(async () => {
    const { editor, panel, fake } = session();
    await fake.script(
      answer(question, 0, 3, [{ text: "All shall look." }, spawn(leads)]),
      answer(question, 1, 3, [{ text: "All is seen." }]),
      ...agents.flatMap((agent, index) => answersOf(agent, index + 1)),
    );
    // The panel itself is to be 400 × 900.
    const shown = () => panel.frame.locator(":root").evaluate((root) => root.clientHeight);
    await editor.page.setViewportSize({ width: 1280, height: 1000 });
    await editor.setPanelWidth(400);
    await editor.page.setViewportSize({ width: 1280, height: 1900 - (await shown()) });
    await eventually(async () => assert.equal(await shown(), 900));
  });

  /** The same at 400 × 650: what is not in view there is counted above the rows. */
  async function checkLow(file: string, moment: number): Promise<void> {
    const { editor, panel } = session();
    if ((await logged(file)).length < 2) return;
    const { width, height } = editor.page.viewportSize() ?? { width: 1280, height: 1000 };
    await editor.page.setViewportSize({ width, height: height - 250 });
    await eventually(async () => {
      assert.equal(await panel.frame.locator(":root").evaluate((root) => root.clientHeight), 650);
      const hidden = (await unseen(panel)).filter((status) => status !== "done");
      const log = await logged(file);
      const at = (wanted: string) => log.filter(({ status }) => status === wanted).length;
      const all = { running: at("running"), waiting: at("waiting"), failed: at("failed") };
      if (hidden.length > 0) assert.deepEqual(await counted(panel), all, `moment ${moment}: ${hidden} are not in view`);
    });
    await editor.page.setViewportSize({ width, height });
    await eventually(async () =>
      assert.equal(await panel.frame.locator(":root").evaluate((root) => root.clientHeight), 900),
    );
  }

  it("says at each of its moments who runs, waits and failed, and who costs most, as the log has it", async () => {
    const { editor, panel, fake } = session();
    const picks = fc.sample(fc.nat(), { seed: 7, numRuns: 5_000 });
    const any = <T>(list: readonly T[]) => list[(picks.pop() ?? 0) % list.length];
    const released = new Map<Scripted, number>();
    await ask(panel, question);
    const file = await eventually(() => sessionFile(editor, question));

    /** All that the run lets happen now; none where it is at work on its own. */
    function steps(log: readonly Account[]): (() => Promise<unknown>)[] {
      const at = (status: Account["status"]) => log.filter((account) => account.status === status);
      const isAtWork = ({ title }: Scripted) => at("running").some(({ meta }) => meta.label === title);
      const workers = log.filter(({ meta, status }) => meta.depth === 2 && /running|waiting/.test(status)).length;
      const mayGoOn = (agent: Scripted) => {
        const turn = released.get(agent) ?? 0;
        return turn < agent.answers && isAtWork(agent) && (agent.workers.length === 0 || workers <= maxWorkers);
      };
      const releases = agents.filter(mayGoOn).map((agent) => async () => {
        const turn = released.get(agent) ?? 0;
        released.set(agent, turn + 1);
        await fake.release(gateOf(agent, turn));
      });
      const answers = at("waiting").map(() => () => answerCard(panel, any(["all", "none"] as const) ?? "all"));
      return [...releases, ...answers];
    }

    let moments = 0;
    for (;;) {
      const log = await eventually(async () => {
        const now = await logged(file);
        const below = now.filter(({ meta }) => meta.depth > 0);
        const expected = below.map(({ meta, ...account }) => ({ ...account, title: meta.label ?? "" }));
        const rows = await heard(panel);
        assert.deepEqual(glanceAt(rows), glanceAt(expected), `moment ${moments}`);
        for (const row of rows) assert.equal(row.cents, expected.find(({ title }) => title === row.title)?.cents);
        const hidden = (await unseen(panel)).filter((status) => status !== "done");
        assert.deepEqual(hidden, [], `moment ${moments}: not in view`);
        return now;
      });
      if (log.some(({ meta, status }) => meta.depth === 0 && status !== "running")) break;
      await checkLow(file, moments);
      const step = any(steps(log));
      if (step === undefined) continue;
      moments += 1;
      await step();
    }
    await panel.messagesOf("main").filter({ hasText: "All is seen." }).waitFor();
    const all = await logged(file);
    assert.equal(all.length, 20);
    assert.deepEqual([...new Set(all.map(({ meta }) => meta.depth))].toSorted(), [0, 1, 2]);
    assert.ok(all.some(({ status }) => status === "failed"));
    assert.ok(moments >= leastMoments, `${moments} moments`);
  }).timeout(1_200_000);
});
