import assert from "node:assert/strict";
import { emptyTree, foldTree } from "../../../../src/agent/tree.ts";
import type { AgentTree } from "../../../../src/agent/types.ts";
import {
  applyMeters,
  createMarks,
  matchesFilter,
  maxQuietMs,
  parseMeters,
} from "../../../../src/webview/features/agents/meters.ts";
import { createOrder } from "../../../../src/webview/features/agents/order.ts";
import { agentRows } from "../../../../src/webview/features/agents/rows.ts";
import { agentStatus } from "../../../../src/webview/model/agents.ts";
import { recording, startTime, text, toolCall } from "../../support/recording.ts";

const now = startTime + 100_000;
const texts = { stalled: "stalled", repeating: "repeating" };

function treeOf({ entries }: ReturnType<typeof recording>): AgentTree {
  return foldTree(
    emptyTree(),
    entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : [])),
  );
}

/** main has a, which has b, and c: b costs most, c failed. */
function threeAgents() {
  const log = recording();
  const main = log.agent("main");
  const a = log.agent("a", main, "1");
  const b = log.agent("b", a, "2");
  const c = log.agent("c", main, "3");
  log.spend(main, { cost: 1 }, 10);
  log.spend(a, { cost: 0.2 }, 60);
  log.spend(b, { cost: 3 }, 20);
  log.spend(c, { cost: 2 }, 40);
  log.end(c, "error", "It broke.");
  return { log, tree: treeOf(log), ids: { a: a.id, b: b.id, c: c.id } };
}

describe("the meters of the tree", () => {
  it("move no row while the user is in the tree", () => {
    const { tree, ids } = threeAgents();
    const order = createOrder();
    const { order: sorted } = applyMeters({ ...parseMeters("own cost"), tree, now, marks: new Map(), texts });
    const inOrder = (isHeld: boolean, by: typeof sorted) =>
      order.of({ tree, waiting: new Map(), isHeld, sorted: by })([ids.a, ids.c]);
    assert.deepEqual(inOrder(false, sorted), [ids.c, ids.a]);
    const reversed = (siblings: readonly string[]) => sorted?.(siblings).toReversed() ?? [];
    assert.deepEqual(inOrder(true, reversed), [ids.c, ids.a]);
    assert.deepEqual(inOrder(false, reversed), [ids.a, ids.c]);
  });

  it("are saved as words, of which unknown ones are left out", () => {
    for (const saved of ["", "own", "own cost failed", "time", "context waiting"]) {
      assert.equal(parseMeters(saved).changed({}), saved);
    }
    assert.equal(parseMeters("colour own toString").changed({}), "own");
  });

  it("show what an agent alone cost, or its branch, and sort by either, by time and by context", () => {
    const { tree, ids } = threeAgents();
    const rows = agentRows({ tree, waiting: new Map(), collapsed: new Set() });
    const costs = (isOwn: boolean) =>
      applyMeters({ ...parseMeters(isOwn ? "own" : ""), tree, now, marks: new Map(), texts })
        .rows(rows)
        .map(({ cost }) => cost);
    assert.deepEqual(costs(false), ["Σ $6.20", "Σ $3.20", "$3.00", "$2.00"]);
    assert.deepEqual(costs(true), ["$1.00", "$0.20", "$3.00", "$2.00"]);
    const siblings = [ids.c, ids.a];
    const sorted = (saved: string, ids: string[]) =>
      applyMeters({ ...parseMeters(saved), tree, now, marks: new Map(), texts }).order?.(ids);
    assert.deepEqual(sorted("cost", siblings), [ids.a, ids.c]);
    assert.deepEqual(sorted("own cost", siblings), [ids.c, ids.a]);
    assert.deepEqual(sorted("time", siblings), [ids.a, ids.c]);
    assert.deepEqual(sorted("context", [ids.c, ids.b, ids.a]), [ids.a, ids.c, ids.b]);
  });

  it("show the only agent of a chat whatever the filter, which has no button there", () => {
    const log = recording();
    log.agent("main");
    const tree = treeOf(log);
    const rows = agentRows({ tree, waiting: new Map(), collapsed: new Set() });
    const metering = { ...parseMeters("failed"), tree, now, marks: new Map(), texts };
    assert.equal(applyMeters(metering).rows(rows).length, 1);
  });

  it("filter by status, with those above, and mark in the row's name", () => {
    const { tree, ids } = threeAgents();
    const waiting = new Map([[ids.b, "needs approval"]]);
    const rows = agentRows({ tree, waiting, collapsed: new Set() });
    const shown = (saved: string) =>
      applyMeters({ ...parseMeters(saved), tree, now, marks: new Map(), texts })
        .rows(rows)
        .map(({ name }) => name);
    assert.deepEqual(shown("running"), ["main", "a"]);
    assert.deepEqual(shown("waiting"), ["main", "a", "b"]);
    assert.deepEqual(shown("failed"), ["main", "c"]);
    const [, failed] = applyMeters({ ...parseMeters("failed"), tree, now, marks: new Map(), texts }).rows(rows);
    assert.deepEqual([failed?.position, failed?.siblings], [1, 1]);
    const marked = applyMeters({
      ...parseMeters(""),
      tree,
      now,
      marks: new Map([[ids.a, "stalled" as const]]),
      texts,
    }).rows(rows);
    assert.match(marked[1]?.nameDetails ?? "", /, stalled$/);
    assert.match(marked[1]?.live ?? "", /^stalled/);
  });

  it("show as running no agent that is queued, or paused with or without its parent", () => {
    const { tree, ids } = threeAgents();
    const running = (of: Pick<Parameters<typeof agentRows>[0], "tree" | "paused" | "activity">) => {
      const rows = agentRows({ ...of, waiting: new Map(), collapsed: new Set() });
      const metering = { ...parseMeters("running"), tree: of.tree, now, marks: new Map(), texts };
      return applyMeters(metering)
        .rows(rows)
        .map(({ name }) => name);
    };
    assert.deepEqual(running({ tree }), ["main", "a", "b"]);
    assert.deepEqual(running({ tree, paused: [ids.b] }), ["main", "a"]);
    assert.deepEqual(running({ tree, paused: [ids.a] }), ["main"]);
    const b = tree.nodes[ids.b] ?? assert.fail();
    const retry = { attempt: 1, until: now, error: "" };
    const queued = { ...tree, nodes: { ...tree.nodes, [ids.b]: { ...b, retry } } };
    assert.deepEqual(running({ tree: queued }), ["main", "a"]);
    const writes = { [ids.b]: { kind: "text" as const, text: "It" } };
    assert.deepEqual(running({ tree: queued, activity: writes }), ["main", "a", "b"]);
  });

  it("count after an interruption who waits still, and no one who was only cut off as failed", () => {
    const log = recording();
    const main = log.agent("main");
    const lead = log.agent("lead", main, "1");
    const children = ["b", "c", "d"].map((name) => log.agent(name, lead, name));
    const [b, c] = children;
    for (const agent of [...children, lead, main]) log.end(agent, "aborted");
    const tree = treeOf(log);
    const waiting = new Map([[c?.id ?? "", "needs approval"]]);
    const order = createOrder().of({ tree, waiting, isHeld: false });
    const rows = agentRows({
      tree,
      waiting,
      collapsed: new Set(),
      interrupted: [main.id, b?.id ?? ""],
      order,
      hasEarlier: true,
    });
    assert.deepEqual(
      rows.map(({ name, status, live }) => `${name} ${status}: ${live}`),
      [
        "main aborted: interrupted",
        "lead aborted: stopped",
        "c waiting: needs approval",
        "b aborted: interrupted",
        "d aborted: stopped",
      ],
    );
    const statuses = Object.values(tree.nodes).map((node) => agentStatus(node, waiting));
    const count = (filter: "waiting" | "failed") => statuses.filter((status) => matchesFilter(status, filter)).length;
    assert.deepEqual([count("waiting"), count("failed")], [1, 0]);
    const [collapsed] = agentRows({ tree, waiting, collapsed: new Set([main.id]) });
    assert.equal(collapsed?.status, "waiting");
  });

  const idle = { activity: {}, waiting: new Map<string, string>(), paused: [] };

  it("mark an agent as stalled that shows nothing new for a minute of the panel's clock, and no other", () => {
    const { log, ids } = threeAgents();
    const marks = createMarks();
    const tree = treeOf(log);
    const now = startTime + 1_000;
    assert.deepEqual([...marks.of({ ...idle, tree, now })], []);
    assert.deepEqual([...marks.of({ ...idle, tree, now: startTime + maxQuietMs - 1 })], []);
    const later = startTime + maxQuietMs + 10_000;
    // Those above wait for it.
    assert.deepEqual([...marks.of({ ...idle, tree, now: later })], [[ids.b, "stalled"]]);
    for (const excuse of [
      { ...idle, waiting: new Map([[ids.b, "needs approval"]]) },
      { ...idle, paused: [ids.a] },
      { ...idle, activity: { [ids.b]: { kind: "text" as const, text: "It writes" } } },
    ]) {
      assert.deepEqual([...marks.of({ ...excuse, tree, now: later })], []);
      marks.of({ ...idle, tree, now: later });
      if (Object.keys(excuse.activity).length === 0) continue;
      // Its line came and went.
      assert.deepEqual([...marks.of({ ...idle, tree, now: later + maxQuietMs - 1 })], []);
      assert.deepEqual([...marks.of({ ...idle, tree, now: later + maxQuietMs })], [[ids.b, "stalled"]]);
    }
    const main = tree.nodes.main?.meta;
    assert.ok(main !== undefined);
    log.spend({ ...main, id: ids.b, parentId: ids.a, depth: 2 }, { cost: 1 });
    assert.deepEqual([...marks.of({ ...idle, tree: treeOf(log), now: later + 2 * maxQuietMs })], []);
  });

  it("mark no agent as stalled that is queued or paused, and give it a minute from when it goes on", () => {
    const { log, ids } = threeAgents();
    const tree = treeOf(log);
    const b = tree.nodes[ids.b];
    assert.ok(b !== undefined);
    const retry = { attempt: 1, until: startTime, error: "" };
    const queued = { ...tree, nodes: { ...tree.nodes, [ids.b]: { ...b, retry } } };
    for (const halted of [
      { ...idle, tree: queued },
      { ...idle, tree, paused: [ids.a] },
    ]) {
      const marks = createMarks();
      const longAfter = startTime + 10 * maxQuietMs;
      assert.deepEqual([...marks.of({ ...halted, now: startTime })], []);
      assert.deepEqual([...marks.of({ ...halted, now: longAfter })], []);
      const nodes: AgentTree["nodes"] = { ...halted.tree.nodes, [ids.b]: b };
      const atWork = { ...idle, tree: { ...halted.tree, nodes } };
      assert.deepEqual([...marks.of({ ...atWork, now: longAfter + maxQuietMs - 1 })], []);
      assert.deepEqual([...marks.of({ ...atWork, now: longAfter + 2 * maxQuietMs })], [[ids.b, "stalled"]]);
    }
  });

  it("mark an agent as repeating that makes the same call with the same result three times", () => {
    const log = recording();
    const main = log.agent("main");
    let count = 0;
    const call = (query: string, result: string) => {
      const id = `c${++count}`;
      log.answer(main, [text("Again."), toolCall(id, "search_text", { query })]);
      log.toolStart(main, id, "search_text", "Search", { query });
      log.toolEnd(main, id, "search_text", result);
      return createMarks()
        .of({ ...idle, tree: treeOf(log), now: startTime })
        .get("main");
    };
    assert.equal(call("a", "none"), undefined);
    assert.equal(call("a", "none"), undefined);
    assert.equal(call("a", "one"), undefined);
    assert.equal(call("b", "none"), undefined);
    assert.equal(call("a", "none"), "repeating");
    assert.equal(call("c", "none"), undefined);
    // As the panel has long results of agents that are not open.
    const preview = `${"Tests ran. ".repeat(20)}…`;
    for (const query of ["tests", "edit", "tests", "edit", "tests"]) assert.equal(call(query, preview), undefined);
    assert.equal(call("tests", preview), undefined);
    assert.equal(call("tests", preview), "repeating");
    log.end(main, "done");
    assert.equal(createMarks().of({ ...idle, tree: treeOf(log), now: startTime }).size, 0);
  });
});
