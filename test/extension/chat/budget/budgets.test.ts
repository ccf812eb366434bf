import assert from "node:assert/strict";
import { textOf } from "../../../../src/agent/vocabulary/messages.ts";
import type { BudgetDecision, BudgetLimits } from "../../../../src/protocol/runs.ts";
import { ofType, tool } from "../../../support/agents.ts";
import { type ArrangedRuns, arrangedRuns, byName } from "../../../support/chatRuns.ts";
import { call, fail, hang, type Reply, text } from "../../../support/scriptedModel.ts";

const look = tool("look");
const many = (count: number, reply: Reply = call("look")): Reply[] => Array.from({ length: count }, () => reply);
const delegate = (agent: string): Reply => call("delegate_to_agent", { agent, task: "do it", context: "" });

/** Answers every question about a budget, in turn; past the end of the list it stops. */
function answering(arranged: ArrangedRuns, ...decisions: BudgetDecision[]): ArrangedRuns {
  const left = [...decisions];
  arranged.log.onAppend((entry) => {
    if (!("host" in entry) || entry.host.type !== "budget_asked") return;
    const { id } = entry.host.question;
    // Not from within the event itself, as no user could.
    queueMicrotask(() => arranged.runs.answerBudget(id, left.shift() ?? "stop"));
  });
  return arranged;
}

function alone(replies: readonly Reply[], budget: BudgetLimits, more = {}): ArrangedRuns {
  return arrangedRuns(replies, { defaultBudget: () => budget, main: { tools: [look] }, ...more });
}

describe("the budget of a run", () => {
  it("lets the run wait before the first request that it forbids, and asks", async () => {
    const arranged = alone([...many(3), text("end")], { turns: 2 });
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    const { question } = await asked;
    assert.equal(arranged.requests.length, 2);
    assert.deepEqual(
      { ...question, id: "", agentId: "", waitingId: "" },
      { id: "", agentId: "", waitingId: "", agentPath: ["main"], figure: "turns", used: 2, allowed: 2, step: 2 },
    );
    arranged.runs.answerBudget(question.id, "extend");
    assert.equal((await run).reason, "done");
    assert.equal(arranged.requests.length, 4);
    assert.deepEqual(arranged.host().runs.questions, []);
  });

  it("is no more said to be nearly used up once it is extended, or its run is over", async () => {
    const arranged = answering(alone([...many(2), text("end")], { turns: 2 }), "extend");
    const shown = arranged.seen("notice_shown");
    const run = arranged.agent.send("go").result;
    assert.match((await shown).notice.text, /2 of 2 requests used/);
    await arranged.seen("budget_answered");
    assert.deepEqual(arranged.host().notices, []);
    await run;
    const ending = alone([...many(3), text("end")], { turns: 5 });
    await ending.agent.send("go").result;
    assert.equal(ending.hostEvents.filter(({ type }) => type === "notice_shown").length, 1);
    assert.deepEqual(ending.host().notices, []);
  });

  it("is extended by its own size each time", async () => {
    const arranged = answering(alone([...many(5), text("end")], { turns: 2 }), "extend", "extend");
    assert.equal((await arranged.agent.send("go").result).reason, "done");
    const allowed = arranged.hostEvents.flatMap((e) => (e.type === "budget_asked" ? [e.question.allowed] : []));
    assert.deepEqual(allowed, [2, 4]);
  });

  it("wraps up with one last request, of which no call is run", async () => {
    const arranged = answering(
      alone([...many(2), { text: "So far: half.", calls: [{ name: "look" }] }], { turns: 2 }),
      "wrapUp",
    );
    const { reason, result } = await arranged.agent.send("go").result;
    assert.deepEqual({ reason, result }, { reason: "limit", result: "So far: half." });
    assert.match(textOf(arranged.requests[2]?.messages.at(-1) ?? fallback()), /last message.*budget of 2 requests/);
    const ran = ofType(arranged.events, "tool_execution_end").filter((event) => !event.isError);
    assert.equal(ran.length, 2);
  });

  it("stops without another request, and keeps what was said", async () => {
    const arranged = answering(alone([text("Found it.", { calls: [{ name: "look" }] })], { turns: 1 }), "stop");
    const { reason, result, limit } = await arranged.agent.send("go").result;
    assert.deepEqual({ reason, result, limit }, { reason: "limit", result: "Found it.", limit: "turns" });
    assert.equal(arranged.requests.length, 1);
  });

  it("counts cost, tokens and minutes, too", async () => {
    const usage = { input: 100_000, output: 50_000 };
    for (const [budget, figure] of [
      [{ cost: 0.2 }, "cost"],
      [{ tokens: 150_000 }, "tokens"],
    ] as const) {
      const arranged = answering(alone([{ ...call("look"), usage }, text("end")], budget), "stop");
      assert.equal((await arranged.agent.send("go").result).limit, figure);
    }
    let now = 0;
    const clock = tool("look", () => {
      now += 60_000;
      return "looked";
    });
    const timed = arrangedRuns([...many(2), text("end")], {
      defaultBudget: () => ({ minutes: 2 }),
      main: { tools: [clock] },
      now: () => now,
    });
    const asked = timed.seen("budget_asked");
    const run = timed.agent.send("go").result;
    const { question } = await asked;
    assert.equal(question.used, 2);
    // An hour of thinking about it is not the run's.
    now += 3_600_000;
    timed.runs.answerBudget(question.id, "extend");
    assert.equal((await run).reason, "done");
  });

  it("starts from zero with each run", async () => {
    const arranged = alone([...many(1), text("one"), ...many(1), text("two")], { turns: 2 });
    await arranged.agent.prompt("go");
    await arranged.agent.prompt("go on");
    assert.equal(arranged.requests.length, 4);
    assert.ok(!arranged.hostEvents.some((event) => event.type === "budget_asked"));
  });

  it("is the chat's own where the user set one, also while it runs, and is read from its log", async () => {
    const arranged = alone(many(4), { turns: 100 });
    arranged.runs.setBudget({ scope: "tree" }, { turns: 3 });
    assert.deepEqual(arranged.host().runs.budgets, { tree: { turns: 3 } });
    answering(arranged, "stop");
    await arranged.agent.send("go").result;
    assert.equal(arranged.requests.length, 3);
  });

  it("notifies once, quietly, when four fifths are used", async () => {
    const arranged = alone([...many(9), text("end")], { turns: 10 });
    await arranged.agent.prompt("go");
    const notices = arranged.hostEvents.flatMap((e) => (e.type === "notice_shown" ? [e.notice] : []));
    assert.deepEqual(
      notices.map(({ level, text: words }) => [level, words]),
      [["info", "main: 8 of 10 requests used"]],
    );
  });

  it("says that it can't count a cost whose price is unknown", async () => {
    const { price: _, ...unpriced } = arrangedRuns([]).agent.state.model;
    const arranged = alone(
      [text("end", { usage: { input: 9_999_999 } })],
      { cost: 0.01 },
      { main: { model: unpriced } },
    );
    assert.equal((await arranged.agent.send("go").result).reason, "done");
    assert.match(arranged.host().notices[0]?.text ?? "", /can't count main: its price is not known/);
  });

  it("withdraws its question when the run is stopped", async () => {
    const arranged = alone(many(3), { turns: 1 });
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    await asked;
    await arranged.agent.abort();
    assert.equal((await run).reason, "aborted");
    assert.deepEqual(arranged.host().runs.questions, []);
  });

  it("closes a question that was left open by a run that was cut off", () => {
    const arranged = alone([], {});
    const question = {
      ...{ id: "old", agentId: "m", agentPath: ["main"], waitingId: "m" },
      ...{ figure: "turns" as const, used: 1, allowed: 1, step: 1 },
    };
    arranged.log.appendHost({ type: "budget_asked", question });
    arranged.runs.answerBudget("old", "extend");
    assert.deepEqual(arranged.hostEvents, [{ type: "budget_answered", questionId: "old" }]);
  });
});

describe("the budget of a tree", () => {
  it("counts every request of every agent once, and lets all that are past it wait for one answer", async () => {
    const tasks = Array.from({ length: 6 }, () => ({ agent: "worker", task: "do it", context: "" }));
    const arranged = arrangedRuns(
      (request) => (request.model.id === "worker" ? call("look") : call("spawn_agents", { tasks })),
      { agents: ["worker"], defaultBudget: () => ({ turns: 4 }), main: { tools: [look] } },
    );
    const asked = arranged.seen("budget_asked");
    const run = arranged.agent.send("go").result;
    const { question } = await asked;
    assert.equal(question.agentId, arranged.agent.id);
    arranged.runs.answerBudget(question.id, "stop");
    assert.equal((await run).reason, "limit");
    assert.equal(arranged.requests.length, 4, "one of main, three of its six workers");
    assert.equal(arranged.hostEvents.filter((event) => event.type === "budget_asked").length, 1);
  });

  it("adds what a sub-agent spends to those above it, and to no other agent", async () => {
    const usage = { input: 1_000, output: 0 };
    const arranged = answering(
      arrangedRuns(
        byName({
          main: [{ ...delegate("worker"), usage }, text("end", { usage })],
          worker: [{ ...call("look"), usage }, text("done", { usage })],
        }),
        { agents: ["worker"], defaultBudget: () => ({ tokens: 3_000 }), main: { tools: [look] } },
      ),
      "stop",
    );
    const { limit } = await arranged.agent.send("go").result;
    assert.equal(limit, "tokens");
    const asked = arranged.hostEvents.find((event) => event.type === "budget_asked");
    assert.equal(asked?.type === "budget_asked" && asked.question.used, 3_000);
  });

  it("gives the partial work of an agent three levels down back to its parents", async () => {
    const arranged = answering(
      arrangedRuns(
        byName({
          main: [delegate("first"), text("end")],
          first: [delegate("second"), text("first done")],
          second: [delegate("third"), text("second done")],
          third: [text("Half of it is in a.ts.", { calls: [{ name: "nothing" }] })],
        }),
        { agents: ["first", "second", "third"], main: { maxDepth: 3 } },
      ),
      "stop",
    );
    const third = arranged.agent;
    arranged.agent.subscribe((event) => {
      if (event.type !== "agent_start" || event.agent.name !== "third") return;
      arranged.runs.setBudget({ scope: "agent", agentId: event.agent.id }, { turns: 1 });
    });
    assert.equal((await third.send("go").result).reason, "done");
    const results = arranged.requests
      .filter((request) => request.model.id === "second")
      .flatMap((request) => request.messages.filter((message) => message.role === "toolResult"));
    assert.match(
      results.map(textOf).join(),
      /Half of it is in a\.ts\.\n\n\[Stopped: the budget of 1 requests is used up\]/,
    );
    assert.deepEqual(
      results.map((result) => result.isError),
      [false],
    );
  });

  it("holds for each sub-agent with what it spawns, where the user set one for them", async () => {
    const arranged = answering(
      arrangedRuns(byName({ main: [delegate("worker"), text("end")], worker: many(3) }), {
        agents: ["worker"],
        main: { tools: [look] },
      }),
      "stop",
    );
    arranged.runs.setBudget({ scope: "eachSubAgent" }, { turns: 2 });
    assert.equal((await arranged.agent.send("go").result).reason, "done");
    assert.equal(arranged.requests.filter((request) => request.model.id === "worker").length, 2);
  });
});

describe("agents that go wrong", () => {
  const tasks = Array.from({ length: 10 }, (_, index) => ({ agent: "worker", task: `task ${index}`, context: "" }));
  const resultOf = (arranged: ArrangedRuns): { result?: string; error?: string }[] => {
    const message = arranged.requests.at(-1)?.messages.findLast(({ role }) => role === "toolResult");
    return JSON.parse(textOf(message ?? fallback()));
  };
  const taskOf = (request: { messages: readonly Parameters<typeof textOf>[0][] }) =>
    request.messages.map(textOf).join();

  it("case 79: one of ten fails, and the nine others' results are there with its error", async () => {
    const arranged = arrangedRuns(
      (request, index) => {
        if (index === 0) return call("spawn_agents", { tasks });
        if (request.model.id !== "worker") return text("end");
        return taskOf(request).includes("task 3") ? fail("overloaded") : text("found");
      },
      { agents: ["worker"] },
    );
    await arranged.agent.prompt("go");
    const entries = resultOf(arranged);
    assert.equal(entries.filter(({ result }) => result === "found").length, 9);
    assert.match(entries[3]?.error ?? "", /overloaded/);
  });

  it("case 79: one of ten hangs; stopped, it is an error beside nine results", async () => {
    const arranged = arrangedRuns(
      (request, index) => {
        if (index === 0) return call("spawn_agents", { tasks });
        if (request.model.id !== "worker") return text("end");
        return taskOf(request).includes("task 7") ? hang() : text("found");
      },
      { agents: ["worker"] },
    );
    const ended = new Set<string>();
    arranged.agent.subscribe((event) => {
      if (event.type === "agent_end" && event.agent.depth === 1) ended.add(event.agent.id);
      if (ended.size !== 9) return;
      const hanging = arranged.events.find(({ agent }) => agent.depth === 1 && !ended.has(agent.id));
      void arranged.agent.find(hanging?.agent.id ?? "")?.abort();
    });
    await arranged.agent.prompt("go");
    const entries = resultOf(arranged);
    assert.equal(entries.filter(({ result }) => result === "found").length, 9);
    assert.match(entries[7]?.error ?? "", /canceled/);
  });

  it("case 77: delegating without end stops at the depth limit, with an error that names it", async () => {
    const arranged = arrangedRuns(
      (request) => {
        const next = { main: "a", a: "b", b: "c" }[request.model.id] ?? "d";
        const isRefused = request.messages.some((message) => message.role === "toolResult");
        return isRefused ? text("could not go on") : delegate(next);
      },
      { agents: ["a", "b", "c", "d"], main: { maxDepth: 2 } },
    );
    await arranged.agent.prompt("go");
    const asked = new Set(arranged.requests.map((request) => request.model.id));
    assert.deepEqual([...asked], ["main", "a", "b"]);
    const refusals = ofType(arranged.events, "tool_execution_end").filter((event) => event.isError);
    assert.ok(refusals.length > 0);
    assert.match(JSON.stringify(refusals[0]?.result.content), /max depth 2/);
  });
});

function fallback(): never {
  throw new Error("There is no such message.");
}
