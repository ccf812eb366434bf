import assert from "node:assert/strict";
import type { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import { textOf } from "../../src/agent/messages.ts";
import type { Skill } from "../../src/agent/skills.ts";
import { Team } from "../../src/agent/team.ts";
import { orchestratorTools } from "../../src/agent/toolkits/orchestrator.ts";
import { teamTools } from "../../src/agent/toolkits/team.ts";
import { echoTool, shown, type TestTeam, testAgent, testTeam } from "../support/scriptedAgents.ts";
import { call, calls, fail, hang, type Reply, testModel, text } from "../support/scriptedModel.ts";

const named = (identifier: string) => ({ identifier, identifier_type: "name" });
const ask = (name: string, question = "Why?", more: object = {}) =>
  call("ask_agent", { ...named(name), question, ...more });
const delegate = (name: string, task: string) => call("delegate_task", { ...named(name), task });
const respond = (response: string) => call("send_response", { response });

/** The texts of the results of a member's tool calls. */
function results(agent: Agent): string[] {
  return agent.messages.filter((message) => message.role === "toolResult").map(textOf);
}

function failures(agent: Agent): boolean[] {
  return agent.messages.flatMap((message) => (message.role === "toolResult" ? [message.isError] : []));
}

/** Resolves once the team has told of this. */
function until(team: Team, holds: (event: AgentEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = team.subscribe((event) => {
      if (!holds(event)) return;
      unsubscribe();
      resolve();
    });
  });
}

async function idle(team: Team): Promise<void> {
  const agents = team.list().map(({ id }) => team.whereis(id));
  while (agents.some((agent) => agent?.status !== "idle")) {
    await Promise.all(agents.map((agent) => agent?.waitForIdle()));
  }
}

describe("ask_agent", () => {
  it("E31: asks a member by its type, name or id, waits for its answer, and gives it to the model", async () => {
    for (const by of ["type", "name", "id"] as const) {
      const { team, member, requests } = testTeam({
        boss: [],
        worker: [text("Because.")],
      });
      const worker = member("worker", { type: "oracle" });
      const identifier = { type: "oracle", name: "worker", id: worker.id }[by];
      const asking = testAgent([
        call("ask_agent", { identifier, identifier_type: by, question: "Why?" }),
        text("I see."),
      ]);
      team.add(asking.agent);
      asking.agent.addToolboxes(teamTools(team, asking.agent));
      await asking.agent.prompt("Find out.");
      assert.deepEqual(results(asking.agent), ["Because."]);
      assert.deepEqual(shown(requests[0]), ["Why?"]);
    }
  });

  it("E31: blocks the tool only: the asker still takes messages meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member } = testTeam({
      boss: [ask("worker"), text("I see."), text("Noted.")],
      worker: [{ ...text("Because."), until: gate.promise }],
    });
    const boss = member("boss");
    const worker = member("worker");
    const started = until(team, (event) => event.type === "agent_start" && event.agent.id === worker.id);
    const asking = boss.prompt("Find out.");
    await started;
    boss.followUp("One more thing.");
    assert.equal(boss.status, "executing_tools");
    gate.resolve();
    await asking;
    assert.deepEqual(boss.messages.filter((message) => message.role === "user").map(textOf), [
      "Find out.",
      "One more thing.",
    ]);
  });

  it("E32: an unknown agent, and the asker itself, are error results", async () => {
    const { member } = testTeam({ boss: [ask("nobody"), ask("boss"), text("done")] });
    const boss = member("boss");
    await boss.prompt("Find out.");
    assert.deepEqual(failures(boss), [true, true]);
    assert.match(results(boss)[0] ?? "", /nobody/);
    assert.match(results(boss)[1] ?? "", /itself/);
  });

  it("E32: a circle of waits is an error instead of a hang, and the first asker gets its answer", async () => {
    const { team, member } = testTeam({
      a: [ask("b"), text("a is done")],
      b: [ask("c"), text("b knows")],
      c: [ask("a"), text("c knows")],
    });
    const [a, , c] = [member("a"), member("b"), member("c")];
    await a.prompt("Go.");
    await idle(team);
    assert.deepEqual(failures(c), [true]);
    assert.match(results(c)[0] ?? "", /deadlock/);
    assert.deepEqual(results(a), ["b knows"]);
  });

  it("E32: two members may ask a third at the same time", async () => {
    const { team, member } = testTeam({
      a: [ask("c", "From a?"), text("done")],
      b: [ask("c", "From b?"), text("done")],
      c: [text("to a"), text("to b")],
    });
    const [a, b] = [member("a"), member("b")];
    member("c");
    await Promise.all([a.prompt("Go."), b.prompt("Go.")]);
    await idle(team);
    assert.deepEqual([results(a), results(b)], [["to a"], ["to b"]]);
  });

  it("E33: a member that fails while somebody waits is an error result", async () => {
    const { member } = testTeam({ boss: [ask("worker"), text("done")], worker: [fail("no connection")] });
    const boss = member("boss");
    member("worker");
    await boss.prompt("Go.");
    assert.deepEqual(failures(boss), [true]);
    assert.match(results(boss)[0] ?? "", /no connection/);
  });

  it("E33: a member that is destroyed while somebody waits is an error result", async () => {
    const { team, member } = testTeam({ boss: [ask("worker"), text("done")], worker: [hang()] });
    const boss = member("boss");
    const worker = member("worker");
    const started = until(team, (event) => event.type === "message_start" && event.agent.id === worker.id);
    const asking = boss.prompt("Go.");
    await started;
    await team.destroy(worker.id);
    await asking;
    assert.deepEqual(failures(boss), [true]);
  });

  it("E34: a busy member's answer to its older work is not taken for the answer to the question", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member } = testTeam({
      boss: [ask("worker"), text("done")],
      worker: [{ ...text("older work"), until: gate.promise }, text("the answer"), text("newer work")],
    });
    const boss = member("boss");
    const worker = member("worker");
    const older = worker.prompt("Older.");
    const asked = until(
      team,
      (event) => event.type === "queue_update" && event.agent.id === worker.id && event.followUp === 1,
    );
    const asking = boss.prompt("Go.");
    await asked;
    const newer = worker.prompt("Newer.");
    gate.resolve();
    await Promise.all([older, asking, newer]);
    assert.deepEqual(results(boss), ["the answer"]);
    assert.deepEqual(worker.messages.map(textOf), [
      "Older.",
      "older work",
      "Why?",
      "the answer",
      "Newer.",
      "newer work",
    ]);
  });

  it("E34: the answer is the one after the member's tools, not what it said before them", async () => {
    const { member } = testTeam({
      boss: [ask("worker"), text("done")],
      worker: [{ text: "Let me look.", ...call("echo") }, text("Found.")],
    });
    const boss = member("boss");
    member("worker", { tools: [echoTool()] });
    await boss.prompt("Go.");
    assert.deepEqual(results(boss), ["Found."]);
  });

  it("E34: what the member says before it is steered between its tools is not the answer", async () => {
    const { member } = testTeam({
      boss: [ask("worker"), text("done")],
      worker: [{ text: "Let me look.", ...call("echo") }, text("Found.")],
    });
    const boss = member("boss");
    const tool = echoTool();
    tool.execute = () => {
      worker.steer("Look closely.");
      return "ok";
    };
    const worker = member("worker", { tools: [tool] });
    await boss.prompt("Go.");
    assert.deepEqual(results(boss), ["Found."]);
  });

  it("E31: reset_context lets an idle member start afresh, and a busy one once it is idle", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member, requests } = testTeam({
      boss: [ask("worker", "Why?", { reset_context: true }), text("done")],
      worker: [{ ...text("older"), until: gate.promise }, text("fresh")],
    });
    const boss = member("boss");
    const worker = member("worker");
    const older = worker.prompt("Older.");
    const waiting = until(team, (event) => event.type === "tool_execution_start");
    const asking = boss.prompt("Go.");
    await waiting;
    gate.resolve();
    await Promise.all([older, asking]);
    assert.deepEqual(results(boss), ["fresh"]);
    assert.deepEqual(shown(requests.findLast((request) => request.systemPrompt === "worker")), ["Why?"]);
  });

  it("E31: an asker that is aborted stops waiting, and the member works on", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member } = testTeam({
      boss: [ask("worker")],
      worker: [{ ...text("Because."), until: gate.promise }],
    });
    const boss = member("boss");
    const worker = member("worker");
    const started = until(team, (event) => event.type === "agent_start" && event.agent.id === worker.id);
    const stream = boss.send("Go.");
    await started;
    await boss.abort();
    assert.equal((await stream.result).reason, "aborted");
    assert.notEqual(worker.status, "idle");
    gate.resolve();
    await worker.waitForIdle();
    assert.equal(worker.messages.map(textOf).at(-1), "Because.");
  });
});

describe("delegate_task and send_response", () => {
  it("E35: delegating returns at once and tells the model to end its turn", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member } = testTeam({
      boss: [delegate("worker", "Build."), text("Waiting.")],
      worker: [{ ...text("Built."), until: gate.promise }],
    });
    const boss = member("boss");
    const worker = member("worker");
    await boss.prompt("Go.");
    assert.match(results(boss)[0] ?? "", /end your turn/i);
    assert.notEqual(worker.status, "idle");
    gate.resolve();
    await idle(team);
    assert.deepEqual(worker.messages.map(textOf), ["Build.", "Built."]);
  });

  it("E35: delegating to oneself is an error result", async () => {
    const { member } = testTeam({ boss: [delegate("boss", "Build."), text("done")] });
    const boss = member("boss");
    await boss.prompt("Go.");
    assert.deepEqual(failures(boss), [true]);
  });

  it("E36: a response wakes the idle delegator, who sees it as a user message with its sender", async () => {
    const { team, member, requests } = testTeam({
      boss: [delegate("worker", "Build."), text("Waiting."), text("Thanks.")],
      worker: [respond("It is built."), text("done")],
    });
    const boss = member("boss");
    member("worker");
    const thanked = until(team, (event) => event.type === "message_end" && textOf(event.message) === "Thanks.");
    await boss.prompt("Go.");
    await thanked;
    await idle(team);
    const last = requests.findLast((request) => request.systemPrompt === "boss");
    assert.equal(shown(last).at(-1), "Response from worker: It is built.");
    const stored = boss.messages.find((message) => message.role === "agentResponse");
    assert.ok(stored?.role === "agentResponse");
    assert.deepEqual([stored.from.name, stored.text], ["worker", "It is built."]);
  });

  it("E36: a busy delegator picks the response up after what it is doing", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member } = testTeam({
      boss: [delegate("worker", "Build."), { ...text("Still busy."), until: gate.promise }, text("Thanks.")],
      worker: [respond("It is built."), text("done")],
    });
    const boss = member("boss");
    const worker = member("worker");
    const workerEnded = until(team, (event) => event.type === "agent_end" && event.agent.id === worker.id);
    const running = boss.prompt("Go.");
    await workerEnded;
    gate.resolve();
    await running;
    await idle(team);
    assert.deepEqual(boss.messages.slice(-3).map(textOf), ["Still busy.", "It is built.", "Thanks."]);
  });

  it("E36, E23: two responses during one exchange are seen together, in one further exchange", async () => {
    const gate = Promise.withResolvers<void>();
    const { team, member, requests } = testTeam({
      boss: [
        calls(
          { name: "delegate_task", args: { ...named("one"), task: "1" } },
          { name: "delegate_task", args: { ...named("two"), task: "2" } },
        ),
        { ...text("Waiting."), until: gate.promise },
        text("Thanks both."),
      ],
      one: [respond("first"), text("done")],
      two: [respond("second"), text("done")],
    });
    const boss = member("boss");
    const workers = [member("one"), member("two")];
    const ended = workers.map(({ id }) => until(team, (event) => event.type === "agent_end" && event.agent.id === id));
    const running = boss.prompt("Go.");
    await Promise.all(ended);
    gate.resolve();
    await running;
    await idle(team);
    assert.equal(requests.filter((request) => request.systemPrompt === "boss").length, 3);
    const responses = boss.messages.filter((message) => message.role === "agentResponse").map(textOf);
    assert.deepEqual(responses.toSorted(), ["first", "second"]);
  });

  it("E37: a response without a delegator, or to one that is gone, is an error result", async () => {
    const { team, member } = testTeam({
      loner: [respond("Hello?"), text("done")],
      boss: [],
      orphan: [respond("Hello?"), text("done")],
    });
    const loner = member("loner");
    await loner.prompt("Go.");
    const boss = member("boss");
    const orphan = member("orphan", { delegatorId: boss.id });
    await team.destroy(boss.id);
    await orphan.prompt("Go.");
    assert.deepEqual([failures(loner), failures(orphan)], [[true], [true]]);
  });

  it("E37: the response goes to whoever delegated the task at hand, else to the spawner", async () => {
    const { team, member } = testTeam({
      spawner: [text("Thanks, says the spawner.")],
      other: [delegate("worker", "Build."), text("Waiting."), text("Thanks, says the other.")],
      worker: [respond("to the spawner"), text("done"), respond("to the other"), text("done")],
    });
    const spawner = member("spawner");
    const other = member("other");
    const worker = member("worker", { delegatorId: spawner.id });
    await worker.prompt("Go.");
    await idle(team);
    await other.prompt("Go.");
    await idle(team);
    const received = (agent: Agent) => agent.messages.filter((message) => message.role === "agentResponse").map(textOf);
    assert.deepEqual([received(spawner), received(other)], [["to the spawner"], ["to the other"]]);
  });
});

describe("list_team", () => {
  it("E38: tells of every member; verbose adds tools and model", async () => {
    const { member } = testTeam({
      boss: [call("list_team"), call("list_team", { verbose: true }), text("done")],
    });
    const boss = member("boss", { tools: [echoTool()] });
    member("worker");
    await boss.prompt("Who is there?");
    const [brief, verbose] = results(boss).map((result) => JSON.parse(result));
    assert.deepEqual(Object.keys(brief[0]), ["id", "type", "name", "description", "status", "turnIndex", "usage"]);
    assert.deepEqual(
      brief.map((one: { name: string; status: string }) => [one.name, one.status]),
      [
        ["boss", "executing_tools"],
        ["worker", "idle"],
      ],
    );
    assert.deepEqual(verbose[0].tools, ["echo", "ask_agent", "delegate_task", "send_response", "list_team"]);
    assert.equal(verbose[0].model, testModel.id);
  });
});

describe("the orchestrator's tools", () => {
  const skill: Skill = { name: "ship", description: "How to ship", content: "Run it.", dir: "/skills/ship" };
  const other = { id: "large", provider: "test" };
  const spawning = {
    type: "builder",
    name: "bob",
    description: "Builds.",
    system_prompt: "bob",
    provider: "test",
    model_id: "scripted",
  };

  function led(boss: Reply[], scripts: Record<string, Reply[]> = {}): TestTeam & { boss: Agent } {
    const testing = testTeam({ boss, ...scripts });
    const tools = orchestratorTools(testing.team, {
      grantableTools: [echoTool("build"), echoTool("paint")],
      grantableSkills: [skill],
      models: [testModel, other],
    });
    return { ...testing, boss: testing.member("boss", { type: "orchestrator", tools: tools.list() }) };
  }

  it("E2, E39: spawn_agent answers with the id of a member that has the team tools and what it was granted", async () => {
    const { team, boss } = led([
      call("spawn_agent", { ...spawning, tools: ["build", "fly"], skills: ["ship", "swim"] }),
      text("ok"),
    ]);
    assert.equal(boss.role, "orchestrator");
    await boss.prompt("Go.");
    const bob = team.whereis(results(boss)[0] ?? "");
    assert.equal(bob?.meta.name, "bob");
    assert.equal(bob?.role, "worker");
    assert.deepEqual(bob?.state.tools.map((tool) => tool.name).toSorted(), [
      "ask_agent",
      "build",
      "delegate_task",
      "list_team",
      "load_skill",
      "send_response",
    ]);
  });

  it("E39: a member that was granted nothing has the team tools alone", async () => {
    const { team, boss } = led([call("spawn_agent", spawning), text("ok")]);
    await boss.prompt("Go.");
    const names = team.whereis(results(boss)[0] ?? "")?.state.tools.map((tool) => tool.name);
    assert.deepEqual(names, ["ask_agent", "delegate_task", "send_response", "list_team"]);
  });

  it("E40: an unknown provider or model is an error result", async () => {
    const { team, boss } = led([
      call("spawn_agent", { ...spawning, provider: "nobody" }),
      call("spawn_agent", { ...spawning, model_id: "nothing" }),
      text("ok"),
    ]);
    await boss.prompt("Go.");
    assert.deepEqual(failures(boss), [true, true]);
    assert.match(results(boss)[1] ?? "", /nothing.*scripted/s);
    assert.equal(team.list().length, 1);
  });

  it("E40: several members may have one type; naming it is then an error that lists their ids", async () => {
    const { team, boss } = led([
      call("spawn_agent", spawning),
      call("spawn_agent", { ...spawning, name: "bea" }),
      call("destroy_agent", { identifier: "builder", identifier_type: "type" }),
      text("ok"),
    ]);
    await boss.prompt("Go.");
    assert.deepEqual(failures(boss), [false, false, true]);
    for (const agent of team.find("type", "builder")) assert.ok(results(boss)[2]?.includes(agent.id));
  });

  it("E40: a base URL replaces the model's", async () => {
    const { team, boss } = led([call("spawn_agent", { ...spawning, base_url: "http://localhost:1" }), text("ok")]);
    await boss.prompt("Go.");
    assert.equal(team.whereis(results(boss)[0] ?? "")?.state.model.baseUrl, "http://localhost:1");
  });

  it("E41: a member's prompt names the skills it was granted, and is as written without any", async () => {
    const { team, boss } = led([
      call("spawn_agent", { ...spawning, skills: ["ship"] }),
      call("spawn_agent", { ...spawning, name: "bea" }),
      text("ok"),
    ]);
    await boss.prompt("Go.");
    const prompts = results(boss).map((id) => team.whereis(id)?.state.systemPrompt);
    assert.match(prompts[0] ?? "", /^bob\n(.|\n)*ship: How to ship/);
    assert.equal(prompts[1], "bob");
  });

  it("E42: the session is told of a new member, by its spawner", async () => {
    const { boss, events } = led([call("spawn_agent", spawning), text("ok")]);
    await boss.prompt("Go.");
    const spawned = events.filter((event) => event.type === "agent_spawned").at(-1);
    assert.deepEqual([spawned?.agent.id, spawned?.child.name], [boss.id, "bob"]);
  });

  it("E43: destroy_agent ends a member for good", async () => {
    const { team, boss, member } = led([call("destroy_agent", named("worker")), text("ok")], { worker: [hang()] });
    const worker = member("worker");
    const stream = worker.send("Work.");
    await boss.prompt("Go.");
    assert.equal((await stream.result).reason, "aborted");
    assert.equal(team.whereis(worker.id), undefined);
    await assert.rejects(worker.prompt("More."), { code: "scope_closed" });
  });

  it("E43: destroy_agent refuses to destroy its caller", async () => {
    const { team, boss } = led([call("destroy_agent", named("boss")), text("ok")]);
    await boss.prompt("Go.");
    assert.deepEqual([failures(boss), team.list().length], [[true], 1]);
  });

  it("E43: interrupt_agent stops what a member is doing and leaves it there", async () => {
    const { team, boss, member } = led([call("interrupt_agent", named("worker")), text("ok")], {
      worker: [hang(), text("Here again.")],
    });
    const worker = member("worker");
    const stream = worker.send("Work.");
    await boss.prompt("Go.");
    assert.equal((await stream.result).reason, "aborted");
    assert.equal(worker.status, "idle");
    assert.equal(team.whereis(worker.id), worker);
    assert.equal(textOf(await worker.run("More.")), "Here again.");
  });

  it("E44: list_models marks the one the caller has", async () => {
    const { boss } = led([call("list_models"), text("ok")]);
    await boss.prompt("Go.");
    assert.deepEqual(JSON.parse(results(boss)[0] ?? ""), [
      { ...testModel, current: true },
      { ...other, current: false },
    ]);
  });

  it("E45: when the orchestrator ends, its whole team ends, and no other", async () => {
    const { team, boss, member } = led([], { worker: [hang()] });
    const worker = member("worker");
    const stream = worker.send("Work.");
    const elsewhere = testTeam({ worker: [text("Fine.")] });
    const untouched = elsewhere.member("worker");
    await boss.dispose();
    assert.equal((await stream.result).reason, "aborted");
    assert.deepEqual(team.list(), []);
    assert.equal(textOf(await untouched.run("How are you?")), "Fine.");
  });
});

describe("a team", () => {
  it("E29: finds a member by its id until it is gone", async () => {
    const { team, member } = testTeam({ worker: [] });
    const worker = member("worker");
    assert.equal(team.whereis(worker.id), worker);
    await team.destroy(worker.id);
    assert.equal(team.whereis(worker.id), undefined);
  });

  it("E30: tells of all members with one order of events, and an agent of its own alone", async () => {
    const { team, member, events } = testTeam({ a: [text("one")], b: [text("two")] });
    const [a, b] = [member("a"), member("b")];
    const own: string[] = [];
    a.subscribe((event) => own.push(event.agent.id));
    await Promise.all([a.prompt("Go."), b.prompt("Go.")]);
    assert.deepEqual(new Set(own), new Set([a.id]));
    assert.deepEqual(new Set(events.map((event) => event.agent.id)), new Set([a.id, b.id]));
    assert.ok(events.every((event) => event.sessionId === team.id));
    const numbers = events.map((event) => event.seq);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((x, y) => x - y),
    );
  });

  it("E46: a member that crashes is told of with the reason, and the orchestrator lives on", async () => {
    const { team, member, events } = testTeam({ boss: [text("Fine.")], worker: [] });
    const boss = member("boss");
    const worker = member("worker", { delegatorId: boss.id });
    await worker.dispose();
    const exit = events.find((event) => event.type === "agent_exit");
    assert.deepEqual([exit?.agent.id, exit?.child.id, exit?.reason], [boss.id, worker.id, "crashed"]);
    assert.equal(team.whereis(worker.id), undefined);
    assert.equal(textOf(await boss.run("How are you?")), "Fine.");
  });

  it("E46: a run that failed is no crash", async () => {
    const { team, member, events } = testTeam({ worker: [fail("no connection")] });
    const worker = member("worker");
    await worker.send("Go.").result;
    assert.ok(events.every((event) => event.type !== "agent_exit"));
    assert.equal(team.whereis(worker.id), worker);
  });

  it("U2, U11: lets messages wait for an agent that was added, also after an abort", async () => {
    const team = new Team({ streamFn: testAgent([]).streamFn });
    const { agent } = testAgent([hang({ text: "Hm" }), text("to b")]);
    team.add(agent);
    const streaming = until(team, (event) => event.type === "message_update");
    const first = agent.send("a");
    const second = agent.prompt("b");
    await streaming;
    await agent.abort();
    assert.equal((await first.result).reason, "aborted");
    assert.equal((await second).reason, "done");
    assert.equal(agent.sessionId, team.id);
  });

  it("refuses an agent that it has already", () => {
    const { team, member } = testTeam({ worker: [] });
    const worker = member("worker");
    assert.throws(() => team.add(worker), { code: "bad_input" });
  });

  it("ends all members when it is disposed", async () => {
    const { team, member } = testTeam({ a: [hang()], b: [] });
    const stream = member("a").send("Go.");
    member("b");
    await team.dispose();
    assert.equal((await stream.result).reason, "aborted");
    assert.deepEqual(team.list(), []);
  });
});
