import assert from "node:assert/strict";
import fc from "fast-check";
import { contextTokens } from "../../../../src/agent/index.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { budgetKey } from "../../../../src/protocol/runs.ts";
import { gate, ofType, results, tool } from "../../../support/agents.ts";
import { type ArrangedRuns, arrangedRuns, byName } from "../../../support/chatRuns.ts";
import { call, fail, type Reply, text } from "../../../support/scriptedModel.ts";

const look = tool("look");
const spending = (reply: Reply, input: number, output = 0): Reply => ({ ...reply, usage: { input, output } });
const task = (agent: string, budget?: object) => ({
  agent,
  task: `work of ${agent}`,
  context: "",
  ...(budget && { budget }),
});

function idOf({ events }: ArrangedRuns, name: string): string {
  return events.find(({ agent }) => agent.name === name)?.agent.id ?? assert.fail(`${name} has not run`);
}

/** Answers each question about a budget as soon as no event is under way. */
function deciding(arranged: ArrangedRuns, decide: () => "extend" | "wrapUp" | "stop"): ArrangedRuns {
  arranged.log.onAppend((entry) => {
    if (!("host" in entry) || entry.host.type !== "budget_asked") return;
    const { id } = entry.host.question;
    queueMicrotask(() => arranged.runs.answerBudget(id, decide()));
  });
  return arranged;
}

const useOf = (arranged: ArrangedRuns, name: string) => arranged.host().runs.uses[idOf(arranged, name)];
const endOf = ({ events }: ArrangedRuns, name: string) =>
  ofType(events, "agent_end").findLast(({ agent }) => agent.name === name)?.reason;

describe("an envelope that comes with a task", () => {
  it("stops that agent, is asked about, and leaves its sibling and its parent alone", async () => {
    const arranged = arrangedRuns(
      byName({
        main: [call("spawn_agents", { tasks: [task("cheap", { requests: 1 }), task("free")] }), text("end")],
        cheap: [text("So far.", { calls: [{ name: "look" }] })],
        free: [call("look"), call("look"), text("All of it.")],
      }),
      { agents: ["cheap", "free"], main: { tools: [look] } },
    );
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    const { question } = await asked;
    assert.deepEqual([question.agentPath, question.figure, question.allowed], [["cheap"], "turns", 1]);
    arranged.runs.answerBudget(question.id, "stop");
    assert.equal((await run).reason, "done");
    assert.deepEqual([endOf(arranged, "cheap"), endOf(arranged, "free")], ["limit", "done"]);
    assert.match(results(arranged.agent.messages)[0] ?? "", /So far\..*budget of 1 request.*All of it\./);
  });

  it("is never above what its parent has left, and never above what each sub-agent may use", async () => {
    const given = { cost: 100, tokens: 100_000, requests: 50, minutes: 60 };
    const arranged = arrangedRuns(
      byName({
        main: [spending(call("delegate_to_agent", task("a", given)), 400), text("end")],
        a: [spending(call("delegate_to_agent", task("b", given)), 100), text("a")],
        b: [text("b")],
      }),
      { agents: ["a", "b"], defaultBudget: () => ({ tokens: 2_000, turns: 10 }) },
    );
    arranged.runs.setBudget({ scope: "eachSubAgent" }, { minutes: 5 });
    await arranged.agent.send("go").result;
    const limitsOf = (name: string) =>
      arranged.host().runs.budgets[budgetKey({ scope: "agent", agentId: idOf(arranged, name) })];
    assert.deepEqual(limitsOf("a"), { cost: 100, tokens: 1_600, turns: 9, minutes: 5 });
    const { cost = 0, ...ofB } = limitsOf("b") ?? {};
    assert.ok(cost < 100 && cost > 99.99, String(cost));
    assert.deepEqual(ofB, { tokens: 1_500, turns: 8, minutes: 5 });
  });

  it("of nothing is refused, and no one begins", async () => {
    const arranged = arrangedRuns([call("delegate_to_agent", task("a", { requests: 0 })), text("end")], {
      agents: ["a"],
    });
    await arranged.agent.send("go").result;
    assert.match(results(arranged.agent.messages)[0] ?? "", /budget is above 0/);
    assert.equal(arranged.requests.length, 2);
  });
});

describe("an envelope", () => {
  it("smaller than one request lets none be sent that is known to take more, and Extend makes room for it at once", async () => {
    const arranged = deciding(
      arrangedRuns([spending(call("look"), 900), spending(text("end"), 1_000)], {
        main: { tools: [look] },
        defaultBudget: () => ({ tokens: 1_000 }),
      }),
      () => "extend",
    );
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    const { question } = await asked;
    assert.equal(arranged.requests.length, 1);
    assert.deepEqual([question.used, question.allowed, question.next, question.step], [900, 1_000, 900, 1_000]);
    await run;
    assert.equal(arranged.hostEvents.filter(({ type }) => type === "budget_asked").length, 1);
    const tiny = deciding(arrangedRuns([text("end")], { defaultBudget: () => ({ tokens: 10 }) }), () => "extend");
    const refused = tiny.seen("budget_asked");
    const long = tiny.agent.send("word ".repeat(200)).result;
    const { question: first } = await refused;
    assert.deepEqual([first.used, first.allowed], [0, 10]);
    assert.ok((first.next ?? 0) > 100 && first.allowed + first.step >= (first.next ?? 0), JSON.stringify(first));
    assert.equal((await long).reason, "done");
    assert.equal(tiny.requests.length, 1);
  });

  it("counts what siblings' requests under way are known to take", async () => {
    const [slow, underWay] = [gate(), gate()];
    const script = byName({
      main: [call("spawn_agents", { tasks: [task("a"), task("b")] }), text("end")],
      a: [spending(call("look"), 300), spending(text("a", { until: slow.opened }), 300)],
      b: [spending(call("wait"), 300), spending(text("b"), 300)],
    });
    let ofA = 0;
    const arranged = deciding(
      arrangedRuns(
        (request) => {
          if (request.model.id === "a" && ++ofA === 2) underWay.open();
          return script(request);
        },
        {
          agents: ["a", "b"],
          // b makes its second request while that of a is under way.
          main: { tools: [look, tool("wait", () => underWay.opened.then(() => "over"))] },
          defaultBudget: () => ({ tokens: 1_000 }),
        },
      ),
      () => "stop",
    );
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    const { question } = await asked;
    assert.deepEqual([question.used, question.next], [600, 600]);
    slow.open();
    await run;
    assert.deepEqual([endOf(arranged, "a"), endOf(arranged, "b")], ["done", "limit"]);
  });

  it("counts a request that failed once when it is made again", async () => {
    const arranged = arrangedRuns(
      [spending(call("look"), 300), fail("reset", { text: "en" }), spending(text("end"), 300)],
      {
        main: { tools: [look], turnRetries: 1, clock: { wait: async () => {}, random: () => 0 } },
        defaultBudget: () => ({ tokens: 700 }),
      },
    );
    const { reason } = await arranged.agent.send("go").result;
    assert.deepEqual([reason, arranged.requests.length], ["done", 3]);
    assert.deepEqual(arranged.host().runs.questions, []);
  });

  it("is said to be as full as it is, with each request and when it is given", async () => {
    const slow = gate();
    const arranged = arrangedRuns(
      byName({
        main: [call("delegate_to_agent", task("a", { tokens: 1_000 })), text("end")],
        a: [spending(call("look"), 200, 50), spending(text("a", { until: slow.opened }), 100)],
      }),
      { agents: ["a"], main: { tools: [look] } },
    );
    const run = arranged.agent.send("go").result;
    const turns = (await arranged.seen("budget_used")).used.turns;
    assert.equal(turns, 1, "also before the provider has said what the request used");
    const use = await arranged.seen("budget_used");
    assert.deepEqual([use.agentId, use.used.tokens, use.allowed], [idOf(arranged, "a"), 250, { tokens: 1_000 }]);
    arranged.runs.setBudget({ scope: "agent", agentId: use.agentId }, { tokens: 500 });
    assert.deepEqual(useOf(arranged, "a")?.allowed, { tokens: 500 });
    slow.open();
    await run;
    assert.equal(useOf(arranged, "a")?.used.tokens, 350);
    assert.equal(useOf(arranged, "a")?.used.turns, 2);
  });

  it("of cost says of a model without a price that it is not counted", async () => {
    const { price: _unknown, ...model } = { id: "free", provider: "test", contextWindow: 1_000, price: undefined };
    const arranged = arrangedRuns([spending(text("end"), 200)], {
      main: { model },
      defaultBudget: () => ({ cost: 1 }),
    });
    const said = arranged.seen("notice_shown");
    await arranged.agent.send("go").result;
    assert.match((await said).notice.text, /can't count free: its price is not known/);
    assert.equal(Object.values(arranged.host().runs.uses)[0]?.isUncounted, true);
  });

  it("counts what was spent before a reload: of the run, of an agent, with what was extended", async () => {
    const before = deciding(
      arrangedRuns([spending(call("look"), 300), spending(call("look"), 400), spending(text("end"), 100)], {
        main: { tools: [look], id: "root" },
        defaultBudget: () => ({ tokens: 500, minutes: 60, turns: 50 }),
      }),
      () => "extend",
    );
    await before.agent.send("go").result;
    const kept = (before.log.entriesAfter(0) ?? []).flatMap((entry: LogEntry) => ("host" in entry ? [entry.host] : []));
    const after = arrangedRuns([spending(text("more"), 50)], {
      main: { id: "root" },
      defaultBudget: () => ({ tokens: 500, minutes: 60, turns: 50 }),
      host: kept,
    });
    const restored = after.host().runs.uses.root ?? assert.fail();
    assert.deepEqual([restored.used.tokens, restored.used.turns, restored.allowed.tokens], [800, 3, 1_500]);
    after.agent.addMessage([...before.agent.messages.slice(0, -1)]);
    const resumed = after.agent.continue({ children: {} });
    await resumed;
    const { used, allowed } = after.host().runs.uses.root ?? assert.fail();
    assert.deepEqual([used.turns, allowed.tokens], [4, 1_500]);
    assert.equal(used.tokens, 850);
  });

  it("begins again with a new run", async () => {
    const arranged = arrangedRuns([spending(text("one"), 300), spending(text("two"), 100)], {
      defaultBudget: () => ({ tokens: 500 }),
    });
    await arranged.agent.send("go").result;
    await arranged.agent.send("again").result;
    assert.equal(Object.values(arranged.host().runs.uses)[0]?.used.tokens, 100);
  });
});

/** An agent of a random tree: what each of its answers costs, and whom it asks with which. */
interface Plan {
  name: string;
  answers: { input: number; output: number; ticks: number; children: Plan[] }[];
  /** Given by its parent with the task. */
  given: { tokens?: number; requests?: number } | undefined;
  /** Given by the user when it starts. */
  byUser: { tokens?: number; turns?: number } | undefined;
}

const amounts = fc.option(
  fc.record(
    { tokens: fc.integer({ min: 50, max: 3_000 }), turns: fc.integer({ min: 1, max: 6 }) },
    { requiredKeys: [] },
  ),
  { nil: undefined, freq: 2 },
);

function plans(depth: number): fc.Arbitrary<Omit<Plan, "name">> {
  const children = depth === 0 ? fc.constant([]) : fc.array(plans(depth - 1), { maxLength: 3 });
  const answer = fc.record({
    input: fc.integer({ min: 1, max: 600 }),
    output: fc.integer({ min: 0, max: 200 }),
    ticks: fc.nat(4),
    children,
  });
  return fc.record({
    answers: fc.array(answer, { minLength: 1, maxLength: 3 }),
    given: amounts.map(
      (each) => each && { ...(each.tokens && { tokens: each.tokens }), ...(each.turns && { requests: each.turns }) },
    ),
    byUser: amounts,
  }) as fc.Arbitrary<Omit<Plan, "name">>;
}

/** Names everybody, so that each has a script of its own. */
function named(plan: Omit<Plan, "name">, all: Plan[] = []): { root: Plan; all: Plan[] } {
  const root: Plan = { ...plan, name: `agent${all.length}.`, answers: [] };
  all.push(root);
  for (const answer of plan.answers) {
    root.answers.push({ ...answer, children: answer.children.map((child) => named(child, all).root) });
  }
  return { root, all };
}

const ticks = async (count: number) => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
};

describe("envelopes of 300 random trees", () => {
  it("are exceeded by no more than requests under way, stop exactly their branches, and let siblings go on", async function () {
    this.timeout(120_000);
    let stops = 0;
    await fc.assert(
      fc.asyncProperty(
        plans(2),
        fc.array(fc.constantFrom("stop", "stop", "extend"), { minLength: 1 }),
        async (plan, words) => {
          const { root, all } = named(plan);
          root.name = "main";
          const left = new Map(all.map(({ name, answers }) => [name, [...answers]]));
          let decided = 0;
          /** By owner: how many requests had been let through when it was stopped. */
          const stopped = new Map<string, number>();
          const inFlight = new Map<string, number>();
          const last = new Map<string, number>();
          const made = new Map<string, number>();
          const spent = new Map<string, { tokens: number; turns: number }>();
          const parents = new Map<string, string | undefined>();
          const lineage = (id: string): string[] => {
            const parent = parents.get(id);
            return [id, ...(parent === undefined ? [] : lineage(parent))];
          };
          const arranged: ArrangedRuns = arrangedRuns(
            ({ model }) => {
              const answer = left.get(model.id)?.shift() ?? assert.fail(`${model.id} asked again`);
              const id = idOf(arranged, model.id);
              made.set(model.id, (made.get(model.id) ?? 0) + 1);
              for (const ownerId of lineage(id)) {
                const sum = spent.get(ownerId) ?? { tokens: 0, turns: 0 };
                const limits = allowedNow(arranged, ownerId);
                const under = [...inFlight].filter(([other]) => other !== id && lineage(other).includes(ownerId));
                const known = under.reduce((total, [, least]) => total + least, last.get(id) ?? 0);
                assert.ok(sum.turns < (limits.turns ?? Number.POSITIVE_INFINITY), "requests");
                assert.ok(sum.tokens < (limits.tokens ?? Number.POSITIVE_INFINITY), "tokens");
                assert.ok(sum.tokens + known <= (limits.tokens ?? Number.POSITIVE_INFINITY), "with those under way");
                spent.set(ownerId, { ...sum, turns: sum.turns + 1 });
              }
              inFlight.set(id, last.get(id) ?? 0);
              const tasks = answer.children.map(({ name, given }) => task(name, given));
              const more = (left.get(model.id)?.length ?? 0) > 0;
              const reply =
                tasks.length > 0 ? call("spawn_agents", { tasks }) : more ? call("look") : text(`${model.id} is done`);
              const isOver = tasks.length > 0 && !more;
              if (isOver) left.get(model.id)?.push({ input: 1, output: 0, ticks: 0, children: [] });
              return { ...reply, usage: { input: answer.input, output: answer.output }, until: ticks(answer.ticks) };
            },
            {
              agents: all.slice(1).map(({ name }) => name),
              main: { tools: [look] },
              model: { contextWindow: 1_000_000 },
            },
          );
          arranged.agent.subscribe((event) => {
            const { id, name = "", parentId } = event.agent;
            if (event.type === "agent_start") {
              parents.set(id, parentId);
              const { byUser } = all.find((each) => each.name === name) ?? {};
              const key = budgetKey({ scope: "agent", agentId: id });
              if (byUser !== undefined && arranged.host().runs.budgets[key] === undefined && parentId !== undefined)
                arranged.runs.setBudget({ scope: "agent", agentId: id }, byUser);
              if (parentId === undefined && byUser !== undefined) arranged.runs.setBudget({ scope: "tree" }, byUser);
            }
            if (event.type !== "usage") return;
            inFlight.delete(id);
            last.set(id, contextTokens(event.delta));
            for (const ownerId of lineage(id)) {
              const sum = spent.get(ownerId) ?? { tokens: 0, turns: 0 };
              spent.set(ownerId, { ...sum, tokens: sum.tokens + event.delta.input + event.delta.output });
            }
          });
          const owners = new Map<string, string>();
          arranged.log.onAppend((entry) => {
            if (!("host" in entry)) return;
            if (entry.host.type === "budget_asked") {
              const { id, agentId } = entry.host.question;
              owners.set(id, agentId);
              const word = words[decided++ % words.length] === "extend" ? "extend" : "stop";
              queueMicrotask(() => arranged.runs.answerBudget(id, word));
            }
            if (entry.host.type === "budget_answered" && entry.host.decision === "stop") {
              const ownerId = owners.get(entry.host.questionId) ?? "";
              stopped.set(ownerId, arranged.log.host.runs.uses[ownerId]?.used.turns ?? -1);
              stops += 1;
            }
          });
          await arranged.agent.send("go").result;
          for (const [id] of parents) {
            const end = ofType(arranged.events, "agent_end").find(({ agent }) => agent.id === id);
            const isStopped = lineage(id).some((ownerId) => stopped.has(ownerId));
            if (!isStopped) assert.equal(end?.reason, "done");
            const name = end?.agent.name ?? "";
            if (end?.reason === "done") assert.deepEqual(left.get(name), [], `${name} has made all its requests`);
            else assert.equal(end?.reason, "limit", end?.error?.message);
          }
        },
      ),
      { numRuns: 300 },
    );
    assert.ok(stops > 100, `${stops} branches were stopped`);
  });
});

/** What the log says that an owner may use now. */
function allowedNow(arranged: ArrangedRuns, ownerId: string): { tokens?: number; turns?: number } {
  const { budgets, uses } = arranged.log.host.runs;
  const isRoot = ownerId === arranged.agent.id;
  const chosen = budgets[budgetKey(isRoot ? { scope: "tree" } : { scope: "agent", agentId: ownerId })] ?? {};
  return { ...chosen, ...uses[ownerId]?.allowed };
}
