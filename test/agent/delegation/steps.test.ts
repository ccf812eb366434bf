import assert from "node:assert/strict";
import * as z from "zod";
import { runStep } from "../../../src/agent/delegation/steps.ts";
import type { Validator } from "../../../src/agent/delegation/validators.ts";
import { controlTools } from "../../../src/agent/toolkits/control.ts";
import { type AgentLogEntry, logFromEvents } from "../../../src/agent/tree/log.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { echoTool, shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, fail, type Reply, text } from "../../support/scriptedModel.ts";

const isYes: Validator = { kind: "fn", check: (result) => result === "yes" };

/** An agent that judges, and answers with these verdicts. */
function judge(...verdicts: unknown[]) {
  const replies = verdicts.map((verdict) =>
    typeof verdict === "string" ? text(verdict) : call("complete_task", { result: verdict }),
  );
  const judging = testAgent(replies, { name: "judge", tools: [controlTools()] });
  const validator: Validator = { kind: "agent", agent: judging.agent };
  return { ...judging, validator };
}

describe("runStep", () => {
  it("D32: gives the first result when no one judges it", async () => {
    const { agent, events } = testAgent([text("maybe")]);
    const { result, valid, attempts, reason } = await runStep({ agent }, "Well?");
    assert.deepEqual([result, valid, attempts, reason], ["maybe", true, 1, "done"]);
    assert.ok(events.every((event) => event.type !== "validation"));
  });

  it("D25: gives a result that a function finds valid", async () => {
    const { agent, requests } = testAgent([text("yes")]);
    const { result, valid, attempts } = await runStep({ agent, validators: [isYes] }, "Well?");
    assert.deepEqual([result, valid, attempts, requests.length], ["yes", true, 1, 1]);
  });

  it("D25: answers an invalid result with feedback, in the same conversation, and judges again", async () => {
    const { agent, requests, events } = testAgent([text("no"), text("yes")]);
    const check = (result: unknown) => result === "yes" || "Say yes.";
    const { result, valid, attempts } = await runStep({ agent, validators: [{ kind: "fn", check }] }, "Well?");
    assert.deepEqual([result, valid, attempts], ["yes", true, 2]);
    assert.deepEqual(shown(requests[1]), ["Well?", "no", "Say yes."]);
    const verdicts = events.flatMap((event) =>
      event.type === "validation" ? [[event.attempt, event.valid, event.feedback]] : [],
    );
    assert.deepEqual(verdicts, [
      [1, false, "Say yes."],
      [2, true, undefined],
    ]);
    assert.equal(events.filter((event) => event.type === "agent_start").length, 1);
  });

  it("D25: judges what complete_task gave", async () => {
    const { agent } = testAgent(
      [call("complete_task", { result: { n: 1 } }), call("complete_task", { result: { n: 2 } })],
      {
        tools: [controlTools()],
      },
    );
    const check = (result: unknown) => JSON.stringify(result) === '{"n":2}';
    const step = await runStep({ agent, validators: [{ kind: "fn", check }] }, "Count.");
    assert.deepEqual([step.result, step.valid, step.attempts, step.reason], [{ n: 2 }, true, 2, "completed"]);
  });

  it("D20: does not judge what goes straight to the user", async () => {
    const { agent } = testAgent([call("return_to_user", { result: "here" })], { tools: [controlTools()] });
    const validator: Validator = { kind: "fn", check: () => assert.fail("judged") };
    const { result, valid, reason } = await runStep({ agent, validators: [validator] }, "Go.");
    assert.deepEqual([result, valid, reason], ["here", true, "returned"]);
  });

  it("D26: asks an agent for a verdict on the result, in a child scope whose spend counts", async () => {
    const { validator, requests, agent: judging } = judge({ valid: true });
    const { agent } = testAgent([{ text: "yes", usage: { cost: 1 } }], { name: "writer" });
    const scope = createScope();
    let depth: number | undefined;
    let path: readonly string[] | undefined;
    judging.addTool(echoTool());
    const seen: number[] = [];
    const look = controlTools().get("complete_task");
    assert.ok(look);
    judging.addTool({
      ...look,
      execute(args, context) {
        depth = context.scope.depth;
        path = context.scope.path;
        seen.push(context.scope.spend);
        return look.execute(args, context);
      },
    });
    const step = await runStep({ agent, validators: [validator] }, "Well?", { scope });
    assert.equal(step.valid, true);
    assert.deepEqual(shown(requests[0]), ["yes"]);
    assert.deepEqual([depth, path, seen], [1, ["writer", "judge"], [1]]);
  });

  it("D26: hands the agent's feedback on, and takes what is no verdict for invalid", async () => {
    const { validator } = judge({ valid: false, feedback: "Too short." }, "looks fine", { valid: true });
    const { agent, requests } = testAgent([text("a"), text("b"), text("c")]);
    const step = await runStep({ agent, validators: [validator] }, "Write.");
    assert.deepEqual([step.valid, step.attempts], [true, 3]);
    assert.equal(shown(requests[1]).at(-1), "Too short.");
    assert.match(shown(requests[2]).at(-1) ?? "", /no verdict/);
  });

  it("D26: takes a validator that fails for one that gave no verdict", async () => {
    const failing = testAgent([fail("no connection")]);
    const { agent } = testAgent([text("a")]);
    const step = await runStep({ agent, maxRuns: 1, validators: [{ kind: "agent", agent: failing.agent }] }, "Write.");
    assert.equal(step.valid, false);
    assert.match(step.feedback ?? "", /no connection/);
  });

  it("D26: counts what the validator spent", async () => {
    const judging = testAgent([{ text: '{"valid":true}', usage: { cost: 2 } }]);
    const { agent } = testAgent([{ text: "yes", usage: { cost: 1 } }]);
    const step = await runStep({ agent, validators: [{ kind: "agent", agent: judging.agent }] }, "Well?");
    assert.equal(step.usage.cost, 3);
  });

  it("D27: reports what does not match a schema; a reply that is JSON is judged as that", async () => {
    const schema = z.object({ city: z.string() });
    const { agent, requests } = testAgent([text('{"town":"Rome"}'), text('{"city":"Rome"}')]);
    const step = await runStep({ agent, validators: [{ kind: "schema", schema }] }, "Where?");
    assert.deepEqual([step.valid, step.result], [true, '{"city":"Rome"}']);
    assert.match(shown(requests[1]).at(-1) ?? "", /city/);
  });

  it("D28: gives up after the attempts it has, with the last result and a log entry", async () => {
    const { agent, requests, events } = testAgent([text("a"), text("b"), text("c")]);
    const step = await runStep({ agent, maxRuns: 2, validators: [{ kind: "fn", check: () => "no" }] }, "Write.");
    assert.deepEqual(
      [step.result, step.valid, step.attempts, step.reason, step.feedback],
      ["b", false, 2, "invalid", "no"],
    );
    assert.equal(requests.length, 2);
    const entries: AgentLogEntry[] = [];
    events.forEach(logFromEvents((entry) => entries.push(entry)));
    assert.deepEqual(entries.at(-2)?.data, { attempt: 2, valid: false, feedback: "no" });
    assert.equal(entries.at(-2)?.action, "validation");
  });

  it("D29: asks no agent about what a function or a schema has refused", async () => {
    const { validator, requests } = judge({ valid: true });
    const { agent } = testAgent([text("no"), text("yes")]);
    const step = await runStep({ agent, validators: [validator, isYes] }, "Well?");
    assert.equal(step.valid, true);
    assert.deepEqual(requests.map(shown), [["yes"]]);
  });

  it("D30: does not try again once the cost is passed", async () => {
    const replies: Reply[] = Array.from({ length: 5 }, () => ({ text: "no", usage: { cost: 0.4 } }));
    const { agent, requests, events } = testAgent(replies);
    const step = await runStep({ agent, maxCost: 0.5, validators: [isYes] }, "Well?");
    assert.deepEqual([step.result, step.valid, step.reason, requests.length], ["no", false, "limit", 2]);
    assert.ok(events.some((event) => event.type === "limit_reached" && event.limit === "cost"));
  });

  it("D30: a valid result counts however much it cost", async () => {
    const { agent } = testAgent([{ text: "yes", usage: { cost: 9 } }]);
    assert.equal((await runStep({ agent, maxCost: 0.5, validators: [isYes] }, "Well?")).valid, true);
  });

  it("D31: ends without validators once the exit condition is true, and goes on until then", async () => {
    const { agent } = testAgent([text("no"), text("yes")]);
    const validators: Validator[] = [{ kind: "fn", check: () => assert.fail("judged") }];
    const step = await runStep({ agent, validators, exitCondition: (result) => result === "yes" }, "Well?");
    assert.deepEqual([step.result, step.valid, step.attempts], ["yes", true, 2]);
  });

  it("reports a run that failed as what it is", async () => {
    const { agent } = testAgent([fail("no connection")]);
    const step = await runStep({ agent, validators: [isYes] }, "Well?");
    assert.deepEqual([step.valid, step.reason, step.attempts], [false, "error", 0]);
  });

  it("hands its input over as text, or as JSON", async () => {
    const { agent, requests } = testAgent([text("yes")]);
    await runStep({ agent }, { question: "Well?" });
    assert.deepEqual(shown(requests[0]), ['{"question":"Well?"}']);
  });
});
