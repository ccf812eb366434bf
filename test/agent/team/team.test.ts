import assert from "node:assert/strict";
import type { Agent } from "../../../src/agent/agent/agent.ts";
import type { Skill } from "../../../src/agent/context/skills.ts";
import { orchestratorTools } from "../../../src/agent/team/orchestratorTools.ts";
import { Team } from "../../../src/agent/team/team.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { echoTool, type TestTeam, testAgent, testTeam } from "../../support/scriptedAgents.ts";
import { call, fail, hang, type Reply, testModel, text } from "../../support/scriptedModel.ts";
import { failures, named, results, until } from "../../support/teamTalk.ts";

describe("list_team", () => {
  it("E38: describes every member; verbose adds tools and model", async () => {
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

  it("E42: the session learns of a new member, by its spawner", async () => {
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

  it("E30: reports all members with one order of events, and an agent of its own alone", async () => {
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

  it("E46: a member that crashes is reported with the reason, and the orchestrator lives on", async () => {
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

  it("Lets messages wait for an agent that was added, also after an abort", async () => {
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

  it("gives an agent that is added what one has that is spawned: the team's tools, and who its responses go to", async () => {
    const { team, member } = testTeam({ boss: [text("I see.")] });
    const boss = member("boss");
    const { agent } = testAgent([call("send_response", { response: "It is done." }), text("Sent.")], { name: "added" });
    const reports: unknown[] = [];
    team.subscribe((event) => {
      if ("child" in event) reports.push([event.agent.name, event.type, event.child.name]);
    });
    team.add(agent, { delegatorId: boss.id });
    assert.deepEqual(
      agent.state.tools.map(({ name }) => name).toSorted(),
      boss.state.tools.map(({ name }) => name).toSorted(),
    );
    await agent.prompt("Go.");
    await team.waitForIdle();
    const received = boss.messages.find((message) => message.role === "agentResponse");
    assert.equal(received && textOf(received), "It is done.");
    await team.destroy(agent.id);
    assert.deepEqual(reports, [
      ["boss", "agent_spawned", "added"],
      ["boss", "agent_exit", "added"],
    ]);
  });

  it("is idle once no member runs or is about to: also those that got their messages meanwhile", async () => {
    const { team, member } = testTeam({
      boss: [
        call("delegate_task", { identifier: "worker", identifier_type: "name", task: "Work." }),
        text("Told."),
        text("I see."),
      ],
      worker: [call("send_response", { response: "Done." }), text("Sent.")],
    });
    const boss = member("boss");
    const worker = member("worker");
    void boss.prompt("Go.");
    await team.waitForIdle();
    assert.deepEqual([boss.status, worker.status], ["idle", "idle"]);
    assert.deepEqual(boss.messages.at(-1)?.role, "assistant");
    assert.equal(textOf(boss.messages.at(-1) ?? assert.fail()), "I see.");
    await testTeam({}).team.waitForIdle();
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
