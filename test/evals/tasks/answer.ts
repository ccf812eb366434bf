import type { EvalTask } from "../harness/runTask.ts";
import { cites, has, nothingChanged, onlyChanged, says, scriptNotices, scriptPasses } from "./graders.ts";

const locate: EvalTask = {
  id: "locate",
  shows: "Finds the line that is asked for among others that look like it, and cites it as `path:line`.",
  steps: [
    "On which line is the time computed that is waited before an HTTP request is tried again? Answer as path:line.",
  ],
  grade: async (run) => [...(await nothingChanged(run)), ...cites(run, "src/net/backoff.js", [7])],
};

const explainOnly: EvalTask = {
  id: "explain-only",
  shows: "Answers a question about a fault, and repairs nothing unasked.",
  steps: ["Why does average([]) in src/stats.js give NaN?"],
  grade: async (run) => [
    ...(await nothingChanged(run)),
    ...cites(run, "src/stats.js", [4]),
    ...says(run, /\b(?:0 ?\/ ?0|zero|empty|length)\b/i),
  ],
};

const noNeedlessQuestion: EvalTask = {
  id: "no-needless-question",
  shows: "Finds out for itself what the project says, instead of asking.",
  steps: ["slug() has no test. Add one."],
  grade: async (run) => [
    ...(await onlyChanged(run, ["test/run.js", "test/slug.test.js"])),
    ...run.questions.map(({ text }) => `The user was asked: ${text}`),
    ...(await has(run, "test/run.js", /\.\/slug\.test\.js/)),
    ...(await scriptPasses(run, "test/run.js")),
    ...(await scriptNotices(run, "test/run.js", { "src/slug.js": "export const slug = (title) => title;\n" })),
  ],
};

const planOnly: EvalTask = {
  id: "plan-only",
  shows: "In plan mode plans the work by the code as it is, and tries to change nothing.",
  settings: { "arbor.permissions.mode": "plan" },
  steps: ["load() should give a promise instead of taking a callback. How would you do it?"],
  grade: async (run) => [
    ...(await nothingChanged(run)),
    ...(run.requests.some(({ shown }) => shown.includes("readFile(path, ")) ? [] : ["The code was not read."]),
    ...says(run, /src\/store\.js/),
    ...says(run, /src\/main\.js/),
  ],
};

export const answerTasks: readonly EvalTask[] = [locate, explainOnly, noNeedlessQuestion, planOnly];
