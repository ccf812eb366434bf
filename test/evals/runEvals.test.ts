import assert from "node:assert/strict";
import { UserError } from "../../src/extension/common/userError.ts";
import { type FakeProvider, startFakeProvider } from "../support/fakeProvider/startFakeProvider.ts";
import type { EvalTask } from "./harness/runTask.ts";
import { environmentModels, refuseUnreachable, runEvals, settingsOf } from "./runEvals.ts";
import { act, run as runs, say, scriptedModels } from "./scripted/agents.ts";
import { selectTasks } from "./tasks/index.ts";

const quick = { repeat: 1, lanes: 1, maxMs: 60_000, onOutcome: () => {} };

/** A task that passes when its answer says so. */
const answering: EvalTask = {
  id: "answering",
  shows: "Answers.",
  files: { "a.txt": "one\n" },
  steps: ["Say yes."],
  grade: async ({ answer }) => (answer === "yes" ? [] : [`The answer is ${answer}.`]),
};

describe("a run of evals", () => {
  it("counts tokens, requests and questions of each task, repeats it, and goes on after one that failed", async () => {
    const [trivial] = selectTasks(["trivial"]);
    assert.ok(trivial);
    const shown: string[] = [];
    const counts: number[] = [];
    const { outcomes, model } = await runEvals({
      ...{ ...quick, repeat: 2, lanes: 2, tasks: [trivial, answering], settings: { "arbor.model": "test/scripted" } },
      models: () => scriptedModels({ main: [say("yes")] }),
      onOutcome: ({ task, passed }, soFar) => {
        shown.push(`${task} ${passed}`);
        counts.push(soFar.outcomes.length);
      },
    });
    assert.equal(model, "test/scripted");
    assert.deepEqual(counts, [1, 2, 3, 4]);
    assert.deepEqual(shown.sort(), ["answering true", "answering true", "trivial false", "trivial false"]);
    assert.deepEqual(
      outcomes.map(({ task }) => task),
      ["trivial", "trivial", "answering", "answering"],
    );
    const last = outcomes.at(-1);
    assert.deepEqual(last?.usage, { ...last?.usage, input: 400, cacheRead: 1_600, output: 50, cost: 0.002 });
    assert.deepEqual([last?.turns, last?.questions, last?.approvals, last?.delegated], [1, 0, 0, 0]);
  });

  it("ends a task that takes too long, and one that reaches a limit", async () => {
    const script = { main: Array.from({ length: 5 }, () => act(runs("sleep 0.2"))) };
    const task = { ...answering, settings: { "arbor.limits.maxTurns": 2 } };
    const limited = await runEvals({ ...quick, tasks: [task], settings: {}, models: () => scriptedModels(script) });
    assert.deepEqual(limited.outcomes[0]?.problems, ["It reached a limit of turns or cost."]);
    const waiting = { main: [act(runs("sleep 60"))] };
    const late = await runEvals({
      ...{ ...quick, maxMs: 300, tasks: [answering], settings: {} },
      models: () => scriptedModels(waiting),
    });
    assert.deepEqual(late.outcomes[0]?.problems, ["It took longer than 0.3 s."]);
  });

  it("takes a task for failed whose run ends in an error, or whose grader throws", async () => {
    const broken: EvalTask = {
      ...answering,
      id: "broken",
      grade: () => Promise.reject(new Error("The grader broke.")),
    };
    const { outcomes } = await runEvals({
      ...{ ...quick, tasks: [{ ...answering, steps: ["Say yes.", "Say it again."] }, broken], settings: {} },
      models: () => scriptedModels({ main: [say("yes")] }),
    });
    assert.match(outcomes[0]?.problems.join("\n") ?? "", /The script of main has no reply number 2/);
    assert.deepEqual(outcomes[1]?.problems, ["The grader broke."]);
  });

  it("says why a script failed without the stack", async () => {
    const models = () => scriptedModels({ main: [say("Done.")] });
    const { outcomes } = await runEvals({ ...quick, tasks: selectTasks(["verify"]), settings: {}, models });
    assert.equal(
      outcomes[0]?.problems.at(-1)?.split("\n").slice(0, 2).join(" "),
      "test/run.js fails: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: NaN !== 150",
    );
  });

  it("names the tasks that there are when asked for another one", () => {
    assert.deepEqual(
      selectTasks(["verify", "locate"]).map(({ id }) => id),
      ["locate", "verify"],
    );
    assert.throws(() => selectTasks(["locat"]), /There is no task "locat"\. There are: failing-test, .*unverified\./);
  });
});

describe("the model of a run of evals", () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  after(() => provider.stop());

  const wires = [
    { model: "anthropic/claude-sonnet-4-5", base: "", key: "ANTHROPIC_API_KEY", header: "x-api-key", value: "secret" },
    { model: "openai/gpt-5", base: "/v1", key: "MY_KEY", header: "authorization", value: "Bearer secret" },
  ];
  for (const { model, base, key, header, value } of wires) {
    it(`is reached over its own wire, with the key of the environment (${model})`, async () => {
      await provider.reset();
      await provider.script(
        { steps: [{ tool: "run_command", arguments: { command: "env" } }], usage: { input: 100, output: 10 } },
        { steps: [{ text: "yes" }], usage: { input: 50, cacheRead: 100, output: 5 } },
      );
      const settings = settingsOf({ model, baseUrl: `${provider.url}${base}`, keyEnv: key, maxCost: 1 });
      const environment = { [key]: "secret" };
      await refuseUnreachable(settings, environment);
      const { outcomes } = await runEvals({
        ...{ ...quick, tasks: [answering], settings },
        models: environmentModels(environment),
      });
      assert.deepEqual(outcomes[0]?.problems, []);
      assert.deepEqual([outcomes[0]?.turns, outcomes[0]?.usage.input, outcomes[0]?.usage.cacheRead], [2, 150, 100]);
      const [request] = await provider.requests();
      assert.equal(request?.headers[header], value);
      assert.match(JSON.stringify(request?.body), /You are Arbor, a coding agent/);
    });
  }

  it("is refused before the first request where its key is missing or its name makes no sense", async () => {
    const refused = (model: string, environment = {}) =>
      refuseUnreachable(settingsOf({ model, maxCost: 1 }), environment).then(
        () => undefined,
        (error: unknown) => (error instanceof UserError ? error.message : error),
      );
    assert.match(String(await refused("anthropic/claude-sonnet-4-5")), /needs an API key .*ANTHROPIC_API_KEY/);
    assert.match(String(await refused("claude")), /arbor\.model .*provider\/model-id/);
    assert.match(String(await refused("nowhere/model")), /nowhere/);
    assert.equal(await refused("openai/gpt-5", { OPENAI_API_KEY: "secret" }), undefined);
  });
});
