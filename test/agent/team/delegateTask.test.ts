import assert from "node:assert/strict";
import type { Agent } from "../../../src/agent/agent/agent.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { shown, testTeam } from "../../support/scriptedAgents.ts";
import { calls, text } from "../../support/scriptedModel.ts";
import { delegate, failures, idle, named, respond, results, until } from "../../support/teamTalk.ts";

describe("delegate_task and send_response", () => {
  it("E35: delegating returns at once and asks the model to end its turn", async () => {
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

  it("E37: the response goes to the agent that delegated the task at hand, else to the spawner", async () => {
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
