import assert from "node:assert/strict";
import { createFolding } from "../../../../src/webview/features/agents/folding.ts";
import { createOrder } from "../../../../src/webview/features/agents/order.ts";
import { type AgentRow, agentRows } from "../../../../src/webview/features/agents/rows.ts";
import { treeStep } from "../../../../src/webview/features/agents/treeKeys.ts";
import { waitingAgents } from "../../../../src/webview/model/agents.ts";
import { type Activity, applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { scenes } from "../../gallery/scenes.ts";
import { recording, toolCall } from "../../support/recording.ts";

function rowsOf(scene: string, collapsed: string[] = [], hasEarlier = false): AgentRow[] {
  let state = emptyChatState();
  for (const message of scenes[scene]?.().messages ?? []) state = applyHostMessage(state, message).state;
  const { interrupted } = state.host;
  return agentRows({
    tree: state.tree,
    waiting: waitingAgents(state.host),
    collapsed: new Set(collapsed),
    interrupted,
    hasEarlier,
  });
}

/** One line a row, as people read it. */
function drawn(rows: readonly AgentRow[]): string {
  return rows
    .map((row) => {
      const twistie = row.isExpanded === undefined ? " " : row.isExpanded ? "v" : ">";
      const indent = "  ".repeat(row.level - 1);
      return `${indent}${twistie} ${row.name} [${row.status}] ${row.live} | ${row.context} ${row.cost}`.trimEnd();
    })
    .join("\n");
}

describe("the row of an agent whose request waits until others are answered", () => {
  it("says so, until its own is answered, and is no retry", () => {
    const log = recording();
    const main = log.agent("main");
    const [one, two] = [log.agent("one", main), log.agent("two", main)];
    for (const agent of [main, one, two]) log.event(agent, { type: "agent_start" });
    log.event(one, { type: "retry", attempt: 0, delayMs: 0, error: "" });
    log.event(two, { type: "retry", attempt: 0, delayMs: 9_000, error: "Slow down." });
    const rows = () => {
      let state = emptyChatState();
      state = applyHostMessage(state, log.chat()).state;
      const { tree } = state;
      return agentRows({ tree, waiting: new Map(), collapsed: new Set() }).slice(1);
    };
    const [queued, paused] = rows();
    assert.deepEqual([queued?.live, queued?.retry, queued?.status], ["queued", undefined, "running"]);
    assert.match(queued?.nameDetails ?? "", /^queued/);
    assert.equal(paused?.retry?.error, "Slow down.");
    log.streaming(one, "Reading.");
    assert.equal(rows()[0]?.live, "Reading.");
  });

  it("say no more that it is queued, or asks again, once it writes", () => {
    const log = recording();
    const main = log.agent("main");
    const [one, two] = [log.agent("one", main), log.agent("two", main)];
    for (const agent of [main, one, two]) log.event(agent, { type: "agent_start" });
    log.event(one, { type: "retry", attempt: 0, delayMs: 0, error: "" });
    log.event(two, { type: "retry", attempt: 0, delayMs: 9_000, error: "Slow down." });
    const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
    // Of agents that are not open only these lines come, and no deltas.
    const activity: Activity = { [one.id]: { kind: "text", text: "Reading." }, [two.id]: { kind: "text", text: "" } };
    const [first, second] = agentRows({ tree, waiting: new Map(), collapsed: new Set(), activity }).slice(1);
    assert.deepEqual([first?.live, first?.nameDetails], ["Reading.", "running"]);
    assert.deepEqual([second?.live, second?.retry], ["starting", undefined]);
  });
});

describe("the row of an agent that the user writes to", () => {
  it("says that the message is pending, and then that it is delivered", () => {
    const log = recording();
    const child = log.agent("one", log.agent("main"));
    log.streaming(child, "Reading.");
    const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
    const lineOf = (state?: "pending" | "delivered") => {
      const steered = new Map(state === undefined ? [] : [[child.id, state] as const]);
      return agentRows({ tree, waiting: new Map(), collapsed: new Set(), steered })[1]?.live;
    };
    assert.deepEqual(
      [lineOf("pending"), lineOf("delivered"), lineOf()],
      ["message pending", "message delivered", "Reading."],
    );
  });

  it("still says why it makes no request, while a message to it is pending", () => {
    const log = recording();
    const child = log.agent("one", log.agent("main"));
    log.streaming(child, "Reading.");
    const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
    const steered = new Map([[child.id, "pending"] as const]);
    const row = agentRows({ tree, waiting: new Map(), collapsed: new Set(), steered, paused: [child.id] })[1];
    assert.deepEqual([row?.live, row?.halt], ["message pending", "paused"]);
  });
});

describe("rows of agents of other programs", () => {
  const foreignRow = (supervision: "asks" | "sandboxed" | "unsupervised", tokens: boolean) => {
    let state = emptyChatState();
    for (const message of scenes.running?.().messages ?? []) state = applyHostMessage(state, message).state;
    const [rootId = ""] = state.tree.roots;
    const root = state.tree.nodes[rootId] ?? assert.fail();
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
    const nodes = { ...state.tree.nodes, [rootId]: { ...root, total: nothing } };
    const agent = {
      agentId: rootId,
      program: "Tester",
      sessionId: "s",
      supervision,
      reported: { tokens, cost: false },
    };
    const [row = assert.fail()] = agentRows({
      ...{ tree: { ...state.tree, nodes }, waiting: new Map(), collapsed: new Set<string>() },
      foreign: { [rootId]: agent },
    });
    return row;
  };

  it("say whether they ask before they change files", () => {
    assert.match(foreignRow("asks", true).tag, /asks first$/);
    assert.match(foreignRow("sandboxed", true).tag, /sandboxed$/);
    assert.match(foreignRow("unsupervised", true).tag, /unsupervised$/);
    // Where there is no room for the words.
    assert.deepEqual(foreignRow("asks", true).badge, { supervision: "asks", text: "asks first" });
  });

  it("say that tokens were not reported, and not that there were none", () => {
    assert.match(foreignRow("asks", false).nameDetails, /tokens not reported/);
    assert.doesNotMatch(foreignRow("asks", true).nameDetails, /tokens/);
  });
});

describe("rows of a run that the user steers", () => {
  it("say what is paused, with all below it, and who works on a file of another agent", () => {
    let state = emptyChatState();
    for (const message of scenes.steered?.().messages ?? []) state = applyHostMessage(state, message).state;
    const { pausedBranches: paused, collisions } = state.host;
    const source = { tree: state.tree, waiting: new Map(), collapsed: new Set<string>(), paused, collisions };
    const shown = agentRows(source).map(({ name, live, isPaused, collides }) => [
      name,
      /paused/.test(live) ? live : "",
      isPaused,
      collides,
    ]);
    assert.deepEqual(
      shown.filter(([name]) => name !== "docs"),
      [
        ["main", "", false, false],
        ["explore", "paused", true, false],
        ["tests", "paused with its parent", false, true],
        ["edit", "", false, true],
      ],
    );
    // Its write waits for the user: just then it is to be seen.
    const writer = agentRows(source).find(({ name }) => name === "edit")?.id ?? "";
    const waits = agentRows({ ...source, waiting: new Map([[writer, "needs approval"]]) });
    assert.deepEqual(
      waits.filter(({ collides }) => collides).map(({ name, status }) => [name, status]),
      [
        ["tests", "running"],
        ["edit", "waiting"],
      ],
    );
  });
});

describe("rows of the agent tree", () => {
  it("are nested as the agents were spawned, each with its context, the cost of its branch and one live line", () => {
    const expected = `
v main [running] Waits for 2 agents | 21% Σ $0.16
  v explore [running] Search "login" | 9% Σ $0.07
      docs [done] 3 tools | 4% $0.01
      tests [running] Read auth.test.ts | 6% $0.02
    edit [running] I write the adapter so that the callers stay as they are | 5% $0.03`;
    assert.equal(`\n${drawn(rowsOf("running"))}`, expected);
  });

  it("carry the totals of their subtree while collapsed", () => {
    const [main, explore] = rowsOf("running");
    assert.ok(main !== undefined && explore !== undefined);
    assert.equal(
      drawn(rowsOf("running", [explore.id])).split("\n")[1],
      '  > explore [running] Search "login" | 9% Σ $0.07',
    );
    assert.equal(drawn(rowsOf("running", [main.id])), "> main [running] Waits for 2 agents | 21% Σ $0.16");
  });

  it("show who waits for an answer, also on a collapsed ancestor", () => {
    const waiting = (rows: AgentRow[]) => rows.filter((row) => row.status === "waiting").map((row) => row.name);
    assert.deepEqual(waiting(rowsOf("approval")), ["edit"]);
    assert.deepEqual(waiting(rowsOf("approval", ["main"])), ["main"]);
  });

  it("distinguish what the end of the editor cut off from what the user stopped", () => {
    const [main, explore] = rowsOf("interrupted");
    assert.deepEqual([main?.live, main?.nameDetails, explore?.live], ["interrupted", "interrupted", "interrupted"]);
    assert.deepEqual([main?.status, explore?.status], ["aborted", "aborted"]);
  });

  it("show which work a rewind undid, by text as well", () => {
    const [main, before, after] = rowsOf("rewound");
    assert.deepEqual([main?.isUndone, before?.isUndone, after?.isUndone], [false, false, true]);
    assert.deepEqual([after?.name, after?.status, after?.live], ["measure", "done", "Undone by rewind"]);
    assert.equal(after?.nameDetails, "Undone by rewind, 4.3k tokens, $0.01");
  });

  it("take no work for undone that is only in a part of the conversation which is not there", () => {
    const undone = (rows: AgentRow[]) => rows.filter((row) => row.isUndone).map((row) => row.name);
    assert.deepEqual(undone(rowsOf("rewound", [], true)), []);
    const others = Object.keys(scenes).filter((scene) => scene !== "rewound");
    for (const scene of others) assert.deepEqual(undone(rowsOf(scene)), [], scene);
  });

  it("are named by the agent first, then its status and tokens", () => {
    assert.deepEqual(
      rowsOf("approval").map((row) => `${row.name} ${row.nameDetails}`),
      [
        "main running, Σ 85.2k tokens, Σ $0.16",
        "explore running, Σ 35k tokens, Σ $0.07",
        "docs done, 6k tokens, $0.01",
        "tests running, 11k tokens, $0.02",
        "edit needs approval, 9k tokens, $0.03",
      ],
    );
  });

  it("show how each of many agents ended", () => {
    const ended = rowsOf("many").filter((row) => row.status !== "running" && row.status !== "done");
    assert.deepEqual(
      ended.map((row) => `${row.name}: ${row.live}`),
      ["review-8: Rate limited by the provider", "review-12: stopped", "review-14: stopped at a limit"],
    );
  });
});

/** A run of ten agents, each with its cost in cents: two at work, one that has failed, and the rest done. */
function crowd() {
  const log = recording();
  const main = log.agent("main");
  log.answer(main, [toolCall("c1", "spawn_agents", {})]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", {});
  const agents = Array.from({ length: 10 }, (_, index) => {
    const agent = log.agent("explore", main, "c1", `Task ${index}`);
    log.spend(agent, { input: 1_000, cost: (index + 1) / 100 });
    if (index > 1) log.end(agent, index === 2 ? "error" : "done", index === 2 ? "no key" : undefined);
    return agent;
  });
  const folding = createFolding();
  const order = createOrder();
  const rows = ({ collapsed = [] as string[], isHeld = false, shown = [] as string[] } = {}) => {
    const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
    const expanded = new Set(collapsed);
    const waiting = new Map<string, string>();
    return agentRows({
      ...{ tree, waiting, collapsed: expanded, order: order.of({ tree, waiting, isHeld }) },
      finished: folding.of({ tree, shown, expanded, isHeld }),
    });
  };
  return {
    ...{ log, agents },
    names: (how?: Parameters<typeof rows>[0]) =>
      rows(how).map(({ name, live, cost, level, isGroup }) =>
        [name, ...(isGroup ? [live, cost] : []), level].join(" "),
      ),
    lives: (how?: Parameters<typeof rows>[0]) => rows(how).map(({ name, live }) => [name, live]),
  };
}

describe("rows of many agents", () => {
  const working = ["main 1", "Task 2 2", "Task 0 2", "Task 1 2", "Task 9 2"];

  it("fold those that are done into one with what they used, but for the one that cost most", () => {
    const { names, lives } = crowd();
    assert.deepEqual(names(), [...working, "6 finished 6k tokens Σ $0.39 2"]);
    // Beside the row of the others it says why it is no part of that.
    const costliest = lives().filter(([, live]) => live === "highest cost");
    assert.deepEqual(costliest, [["Task 9", "highest cost"]]);
  });

  it("unfold, one level deeper", () => {
    const { names } = crowd();
    const inside = [3, 4, 5, 6, 7, 8].map((index) => `Task ${index} 3`);
    assert.deepEqual(names({ collapsed: ["finished of main"] }), [
      ...working,
      "6 finished 6k tokens Σ $0.39 2",
      ...inside,
    ]);
  });

  it("are of all levels below that row, and undone by no rewind", () => {
    const { log, agents, lives } = crowd();
    const [first] = agents;
    assert.ok(first);
    log.answer(first, [toolCall("c2", "delegate_to_agent", {})]);
    log.end(log.agent("explore", first, "c2", "Below"), "done");
    const inside = lives({ collapsed: ["finished of main"] }).slice(-7);
    assert.deepEqual(
      inside.map(([name]) => name).sort(),
      [3, 4, 5, 6, 7, 8]
        .map((index) => `Task ${index}`)
        .concat("Below")
        .sort(),
    );
    assert.deepEqual([...new Set(inside.map(([, live]) => live))], [""]);
  });

  it("leave the agent in view whose transcript is shown, and those above it", () => {
    const { names, agents } = crowd();
    const shown = agents.slice(4, 5).map(({ id }) => id);
    const expected = ["main 1", "Task 2 2", "Task 0 2", "Task 1 2", "Task 4 2", "Task 9 2"];
    assert.deepEqual(names({ shown }), [...expected, "5 finished 5k tokens Σ $0.34 2"]);
  });

  it("fold no agent while the user is in the tree, and none that goes on", () => {
    const { names, agents, log } = crowd();
    names();
    const [first, second, , fourth] = agents;
    assert.ok(first && second && fourth);
    log.end(first, "done");
    assert.deepEqual(names({ isHeld: true }).slice(1, 4), ["Task 2 2", "Task 0 2", "Task 1 2"]);
    log.event(fourth, { type: "agent_start" });
    assert.ok(names({ isHeld: true }).includes("Task 3 2"));
    assert.deepEqual(names(), [
      "main 1",
      "Task 2 2",
      "Task 1 2",
      "Task 3 2",
      "Task 9 2",
      "6 finished 6k tokens Σ $0.36 2",
    ]);
  });

  it("stay as they are where there are few of them", () => {
    const { log, state, agents } = audited();
    for (const agent of agents) log.end(agent, "done");
    const { tree } = state();
    const finished = createFolding().of({ tree, shown: [], expanded: new Set(), isHeld: false });
    const rows = agentRows({ tree, waiting: new Map(), collapsed: new Set(), finished });
    assert.equal(rows.length, 4);
  });
});

/** Three agents of one run, each named by its work. */
function audited() {
  const log = recording();
  const main = log.agent("main");
  log.answer(main, [toolCall("c1", "spawn_agents", {})]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", {});
  const titles = ["Audit the login", "Audit the cart", "Audit the mail"];
  const agents = titles.map((title) => log.agent("explore", main, "c1", title));
  const state = () => applyHostMessage(emptyChatState(), log.chat()).state;
  return { log, main, agents, state };
}

describe("rows of agents that are named by their work", () => {
  const namesOf = (rows: readonly AgentRow[]) => rows.map(({ name }) => name);

  it("begin with the title of the work, and say whose it is after it", () => {
    const { state } = audited();
    const { tree, runs } = state();
    const [, login] = agentRows({ tree, runs, waiting: new Map(), collapsed: new Set() });
    assert.deepEqual([login?.name, login?.tag, login?.nameDetails], ["Audit the login", "explore", "explore, running"]);
  });

  it("have on top who waits, who failed and who works, and stay while they are held", () => {
    const { log, agents, state } = audited();
    const [login, cart, mail] = agents;
    assert.ok(login && cart && mail);
    log.end(login, "done");
    log.end(mail, "error", "no key");
    const order = createOrder();
    const waiting = new Map<string, string>();
    const names = (isHeld: boolean) => {
      const { tree } = state();
      return namesOf(
        agentRows({ tree, waiting, collapsed: new Set(), order: order.of({ tree, waiting, isHeld }) }),
      ).slice(1);
    };
    assert.deepEqual(names(false), ["Audit the mail", "Audit the cart", "Audit the login"]);
    waiting.set(cart.id, "needs approval");
    assert.deepEqual(names(true), ["Audit the mail", "Audit the cart", "Audit the login"]);
    assert.deepEqual(names(false), ["Audit the cart", "Audit the mail", "Audit the login"]);
  });

  it("fold into one row once another run has begun, whose time and cost are its own", () => {
    const { log, main, agents, state } = audited();
    for (const [index, agent] of agents.entries()) {
      log.spend(agent, { input: 1_000, cost: 0.1 });
      log.end(agent, index === 2 ? "error" : "done", index === 2 ? "no key" : undefined);
    }
    log.toolEnd(main, "c1", "spawn_agents", "what they found");
    log.spend(main, { cost: 0.2 });
    log.end(main, "done");
    log.event(main, { type: "agent_start" });
    log.spend(main, { input: 500, cost: 0.05 });
    const { tree, runs } = state();
    const rows = (collapsed: ReadonlySet<string>) => agentRows({ tree, runs, waiting: new Map(), collapsed });
    assert.deepEqual(
      rows(new Set()).map(({ name, live, cost, level }) => [name, live, cost, level]),
      [
        ["main", "Delegate", "Σ $0.05", 1],
        ["Run 1", "3 agents · 2 done · 1 failed", "Σ $0.30", 2],
      ],
    );
    const [, run] = rows(new Set());
    const opened = rows(new Set([run?.id ?? ""])).slice(2);
    assert.deepEqual(
      namesOf(opened),
      agents.map(({ label }) => label),
    );
    assert.deepEqual([...new Set(opened.map(({ level }) => level))], [3]);
  });
});

describe("keys of the agent tree", () => {
  const rows = rowsOf("running");
  const idOf = (name: string) => rows.find((row) => row.name === name)?.id ?? "";
  const cases: [string, string, string, string | undefined][] = [
    ["ArrowDown moves to the next row", "main", "ArrowDown", "focus explore"],
    ["ArrowDown stays at the last row", "edit", "ArrowDown", undefined],
    ["ArrowUp moves to the row before", "docs", "ArrowUp", "focus explore"],
    ["Home moves to the first row", "tests", "Home", "focus main"],
    ["End moves to the last row", "main", "End", "focus edit"],
    ["ArrowRight on an open row moves to its first child", "explore", "ArrowRight", "focus docs"],
    ["ArrowRight on a leaf does nothing", "docs", "ArrowRight", undefined],
    ["ArrowLeft on an open row closes it", "explore", "ArrowLeft", "collapse explore"],
    ["ArrowLeft on a leaf moves to its parent", "tests", "ArrowLeft", "focus explore"],
    ["Enter selects", "docs", "Enter", "select docs"],
    ["Space selects", "docs", " ", "select docs"],
    ["a letter moves to the next row that starts with it", "explore", "e", "focus edit"],
    ["a letter goes on from the top", "edit", "d", "focus docs"],
    ["a letter that no row starts with does nothing", "main", "z", undefined],
    ["other keys are left alone", "main", "F5", undefined],
  ];
  for (const [name, from, key, expected] of cases) {
    it(name, () => {
      const step = treeStep(rows, idOf(from), key);
      const row = step !== undefined && "id" in step ? rows.find(({ id }) => id === step.id) : undefined;
      assert.equal(step === undefined ? undefined : `${step.type} ${row?.name}`, expected);
    });
  }

  it("ArrowRight opens a closed row", () => {
    const closed = rowsOf("running", [idOf("explore")]);
    assert.deepEqual(treeStep(closed, idOf("explore"), "ArrowRight"), { type: "expand", id: idOf("explore") });
  });

  it("* opens all rows beside it", () => {
    assert.deepEqual(treeStep(rows, idOf("edit"), "*"), { type: "expandAll", ids: [idOf("explore"), idOf("edit")] });
  });
});

describe("rows of agents whose report has a flag", () => {
  it("say so, in sight and in their names, once the agent has ended", () => {
    const log = recording();
    const main = log.agent("main");
    const docs = log.agent("docs", main, "call-1");
    log.end(docs, "done");
    log.host({ type: "report_checked", agentId: docs.id, flag: "pointer" });
    const { state } = applyHostMessage(emptyChatState(), log.chat());
    const source = {
      tree: state.tree,
      waiting: new Map<string, string>(),
      collapsed: new Set<string>(),
      hasEarlier: true,
    };
    const [, row = assert.fail()] = agentRows({ ...source, reports: state.host.reports });
    assert.equal(row.live, "report only points elsewhere");
    assert.match(row.nameDetails, /done, report only points elsewhere/);
    const [, plain = assert.fail()] = agentRows(source);
    assert.doesNotMatch(plain.nameDetails, /report/);
  });
});

describe("rows of agents with a budget", () => {
  const none = { cost: 0, tokens: 0, turns: 0, minutes: 0 };
  function budgetRows(used: object, more: object, budgets: Record<string, object> = {}) {
    const log = recording();
    const main = log.agent("main");
    const docs = log.agent("docs", main, "call-1");
    const { state } = applyHostMessage(emptyChatState(), log.chat());
    const use = (agentId: string) => ({ agentId, since: 0, used: { ...none, ...used }, allowed: {}, ...more });
    const uses = { main: use("main"), [docs.id]: use(docs.id) };
    const source = {
      tree: state.tree,
      waiting: new Map<string, string>(),
      collapsed: new Set<string>(),
      hasEarlier: true,
    };
    return agentRows({ ...source, budgets: { budgets, uses } });
  }

  it("show how full the budget is of which the least is left, in sight and in their names", () => {
    const [, docs = assert.fail()] = budgetRows({ tokens: 620, turns: 2 }, { allowed: { tokens: 1_000, turns: 10 } });
    assert.equal(docs.budget, "Budget 62%");
    assert.match(docs.nameDetails, /62% of its budget used/);
  });

  it("say in words where the cost is not counted", () => {
    const [, docs = assert.fail()] = budgetRows({ cost: 0 }, { allowed: { cost: 1 }, isUncounted: true });
    assert.match(docs.nameDetails, /0% of its budget used, cost not counted/);
  });

  it("show nothing of what the settings allow every run, unless the user set it for this chat", () => {
    const allowed = { allowed: { turns: 500 } };
    assert.equal(budgetRows({ turns: 5 }, allowed)[0]?.budget, "");
    assert.equal(budgetRows({ turns: 5 }, allowed, { tree: { turns: 500 } })[0]?.budget, "Budget 1%");
  });
});
