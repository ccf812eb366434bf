import assert from "node:assert/strict";
import { teamTools } from "../../../src/agent/team/teamTools.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { echoTool, shown, testAgent, testTeam } from "../../support/scriptedAgents.ts";
import { call, fail, hang, text } from "../../support/scriptedModel.ts";
import { ask, failures, idle, results, until } from "../../support/teamTalk.ts";

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
