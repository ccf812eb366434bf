import type { EvalTask } from "../harness/runTask.ts";
import { has, lacks, onlyChanged, originals, scriptNotices, scriptPasses } from "./graders.ts";

const renamed = ["README.md", "src/client.js", "src/profile.js", "src/settings.js", "test/run.js"];

const rename: EvalTask = {
  id: "rename",
  shows: "Renames a function in code, tests, comments and documents, and not what only looks like it.",
  steps: ["Rename the function fetchUser to loadUser everywhere, in tests, comments and documents too."],
  grade: async (run) => [
    ...(await onlyChanged(run, renamed)),
    ...(await Promise.all(renamed.map((path) => lacks(run, path, /\bfetchUser\b/)))).flat(),
    ...(await Promise.all(renamed.map((path) => has(run, path, /\bloadUser\b/)))).flat(),
    ...(await has(run, "README.md", /\bfetchUserAgent\(\)/)),
    ...(await scriptPasses(run, "test/run.js")),
  ],
};

const settingFiles = [".env.example", "README.md", "config/app.yaml", "start.sh", "web/config.js", "worker/retry.py"];

const renameSetting: EvalTask = {
  id: "rename-setting",
  shows: "Follows a setting through YAML, Python, JavaScript, shell and documents.",
  steps: [
    "Rename the setting max_retries to retry_limit, and its environment variable APP_MAX_RETRIES to APP_RETRY_LIMIT, wherever they are used or described. The JavaScript property maxRetries stays.",
  ],
  grade: async (run) => [
    ...(await onlyChanged(run, settingFiles)),
    ...(await Promise.all(settingFiles.map((path) => lacks(run, path, /max_retries/i)))).flat(),
    ...(await has(run, "config/app.yaml", /^retry_limit: 3$/m)),
    ...(await has(run, ".env.example", /^APP_RETRY_LIMIT=3$/m)),
    ...(await has(run, "start.sh", /export APP_RETRY_LIMIT="?\$\{APP_RETRY_LIMIT:-3\}"?/)),
    ...(await has(run, "web/config.js", /maxRetries: .*process\.env\.APP_RETRY_LIMIT/)),
    ...(await has(run, "worker/retry.py", /environ\.get\("APP_RETRY_LIMIT", settings\["retry_limit"\]\)/)),
    ...(await has(run, "README.md", /`retry_limit`\s*\|\s*`APP_RETRY_LIMIT`/)),
  ],
};

const addOption: EvalTask = {
  id: "add-option",
  shows: "Adds an option with its help, its test and its line in the documents.",
  steps: [
    "Add an option --json to the list program: it prints the fruit as a JSON array, in the order that --reverse says. It should be complete, as --reverse is.",
  ],
  grade: async (run) => [
    ...(await onlyChanged(run, ["README.md", "bin/list.js", "src/list.js", "test/run.js"])),
    ...(await scriptPasses(run, "test/run.js")),
    ...(await scriptNotices(run, "test/run.js", originals(run, ["bin/list.js", "src/list.js"]))),
    ...(await has(run, "README.md", /\| `--json` \|/)),
  ],
};

const moveModule: EvalTask = {
  id: "move-module",
  shows: "Moves a module, with all that imports it.",
  steps: ["Move src/util/dates.js to src/time/format.js."],
  grade: async (run) => [
    ...(await onlyChanged(run, [
      "README.md",
      "src/util/dates.js",
      "src/time/format.js",
      "src/report.js",
      "test/run.js",
    ])),
    ...((await run.repository.text("src/util/dates.js")) === undefined ? [] : ["The old file is still there."]),
    ...((await run.repository.text("src/time/format.js")) === run.repository.before("src/util/dates.js")
      ? []
      : ["The new file is not the old one."]),
    ...(await has(run, "README.md", /`src\/time\/format\.js`/)),
    ...(await scriptPasses(run, "test/run.js")),
  ],
};

export const changeTasks: readonly EvalTask[] = [rename, renameSetting, addOption, moveModule];
