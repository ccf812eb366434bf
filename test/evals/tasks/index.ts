import { UserError } from "../../../src/extension/common/userError.ts";
import type { EvalTask } from "../harness/runTask.ts";
import { agentTasks } from "./agents.ts";
import { answerTasks } from "./answer.ts";
import { changeTasks } from "./change.ts";
import { projectTasks } from "./project.ts";
import { repairTasks } from "./repair.ts";
import { userTasks } from "./user.ts";

export const allTasks: readonly EvalTask[] = [
  ...[...repairTasks, ...changeTasks, ...answerTasks],
  ...[...projectTasks, ...userTasks, ...agentTasks],
];

/** The tasks of these ids, in the order of the list; all without any. Throws for one that there is not. */
export function selectTasks(ids: readonly string[]): readonly EvalTask[] {
  const unknown = ids.find((id) => allTasks.every((task) => task.id !== id));
  if (unknown !== undefined) {
    throw new UserError(`There is no task "${unknown}". There are: ${allTasks.map(({ id }) => id).join(", ")}.`);
  }
  return ids.length === 0 ? allTasks : allTasks.filter(({ id }) => ids.includes(id));
}
