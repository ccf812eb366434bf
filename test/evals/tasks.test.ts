import assert from "node:assert/strict";
import { type EvalTask, runTask } from "./harness/runTask.ts";
import { type AgentScript, act, read, say, scriptedModels, type TaskScripts } from "./scripted/agents.ts";
import { answerScripts } from "./scripted/answer.ts";
import { changeScripts } from "./scripted/change.ts";
import { delegationScripts } from "./scripted/delegation.ts";
import { projectScripts } from "./scripted/project.ts";
import { repairScripts } from "./scripted/repair.ts";
import { userScripts } from "./scripted/user.ts";
import { allTasks, selectTasks } from "./tasks/index.ts";

const scripts: Readonly<Record<string, TaskScripts>> = {
  ...{ ...repairScripts, ...changeScripts, ...answerScripts },
  ...{ ...projectScripts, ...userScripts, ...delegationScripts },
};

function scriptsOf({ id }: EvalTask): TaskScripts {
  const found = scripts[id];
  assert.ok(found, `There are no scripts for ${id}.`);
  return found;
}

describe("the tasks of the evals", () => {
  it("are 24, each with a model that does it well and one that does it badly", () => {
    assert.equal(allTasks.length, 24);
    assert.deepEqual(Object.keys(scripts).sort(), allTasks.map(({ id }) => id).sort());
  });

  for (const task of allTasks) {
    const play = (script: AgentScript) =>
      runTask(task, { settings: {}, models: () => scriptedModels(script), maxMs: 60_000 });

    it(`pass when ${task.id} is done well`, async () => {
      const { passed, problems } = await play(scriptsOf(task).well);
      assert.deepEqual(problems, []);
      assert.ok(passed);
    });

    it(`fail when ${task.id} is done badly`, async () => {
      const { badly, found } = scriptsOf(task);
      const { passed, problems } = await play(badly);
      assert.ok(!passed);
      assert.match(problems.join("\n"), found);
    });
  }

  it("are all failed by a model that does nothing and says that all is done", async () => {
    const passed: string[] = [];
    for (const task of allTasks) {
      const models = () => scriptedModels({ main: task.steps.map(() => say("Done, and verified.")) });
      const outcome = await runTask(task, { settings: {}, models, maxMs: 60_000 });
      if (outcome.passed) passed.push(task.id);
    }
    assert.deepEqual(passed, []);
  });

  it("are passed by a model that edits by patches, too", async () => {
    const patch =
      "*** Begin Patch\n*** Update File: src/price.js\n@@\n-    for (var i = 0; i <= items.length; i++) sum += items[i].price\n+    for (var i = 0; i < items.length; i++) sum += items[i].price\n*** End Patch\n";
    const main = [act(read("src/price.js")), act({ name: "apply_patch", args: { patch } }), say("One line was wrong.")];
    const models = () => scriptedModels({ main }, { usesPatches: true });
    const [task] = selectTasks(["minimal-diff"]);
    assert.ok(task);
    const { problems, calls } = await runTask(task, { settings: {}, models, maxMs: 60_000 });
    assert.deepEqual(problems, []);
    assert.match(calls.join("\n"), /^main: read_file .*\nmain: apply_patch .*$/);
  });
});
