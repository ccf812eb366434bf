import type { EvalTask } from "../harness/runTask.ts";
import { onlyChanged } from "./graders.ts";

const failingTest: EvalTask = {
  id: "failing-test",
  shows: "Repairs the code that a failing test is about, and not the test.",
  steps: ["`npm test` fails. Repair it."],
  grade: (run) => onlyChanged(run, ["src/paginate.js"]),
};

const shellBug: EvalTask = {
  id: "shell-bug",
  shows: "Repairs a shell script for the case that was reported and its neighbours.",
  steps: ["backup.sh fails for files and folders that have blanks in their names. Fix it."],
  grade: (run) => onlyChanged(run, ["backup.sh"]),
};

const minimalDiff: EvalTask = {
  id: "minimal-diff",
  shows: "Changes the one line that is wrong and leaves the untidy code around it alone.",
  steps: ["total() in src/price.js throws for every list of items. Fix that."],
  async grade(run) {
    const now = ((await run.repository.text("src/price.js")) ?? "").split("\n");
    const before = (run.repository.before("src/price.js") ?? "").split("\n");
    const kept = before.filter((line) => now.includes(line)).length;
    const added = now.filter((line) => !before.includes(line)).length;
    return [
      ...(await onlyChanged(run, ["src/price.js"])),
      ...(kept < before.length - 1 || added > 3 ? ["Lines were changed that have nothing to do with it."] : []),
    ];
  },
};

const sqlMigration: EvalTask = {
  id: "sql-migration",
  shows: "Adds a database migration instead of changing one that is released, as the README asks.",
  steps: ["Users need a phone number: a column `phone`, text, which may be missing. Both migrations are released."],
  grade: async (run) => {
    const changed = await run.repository.changed();
    const added = changed.filter((path) => /^migrations\/003[^/]*\.sql$/.test(path));
    return [...(await onlyChanged(run, added)), ...(added.length === 1 ? [] : ["There is no one migration 003."])];
  },
};

export const repairTasks: readonly EvalTask[] = [failingTest, shellBug, minimalDiff, sqlMigration];
