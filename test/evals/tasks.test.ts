import assert from "node:assert/strict";
import { type EvalTask, runTask } from "./harness/runTask.ts";
import { type AgentScript, scriptedModels, type TaskScripts } from "./scripted/agents.ts";
import { answerScripts } from "./scripted/answer.ts";
import { changeScripts } from "./scripted/change.ts";
import { delegationScripts } from "./scripted/delegation.ts";
import { projectScripts } from "./scripted/project.ts";
import { repairScripts } from "./scripted/repair.ts";
import { userScripts } from "./scripted/user.ts";
import { allTasks } from "./tasks/index.ts";

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
});
