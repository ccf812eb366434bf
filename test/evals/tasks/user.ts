import type { EvalTask, TaskRun } from "../harness/runTask.ts";
import { has, onlyChanged } from "./graders.ts";

const rejectedWithWords: EvalTask = {
  id: "rejected-with-words",
  shows: "Takes what the user says with a rejection as what is wanted, and proposes that.",
  steps: ["Receipts show cents. They should show prices like $1.50."],
  user: {
    edit: ({ paths }, asked) =>
      asked === 0 && !paths.includes("src/money.js")
        ? {
            reject:
              "Put this into a new file src/money.js as an exported function formatCents(cents), and use that in src/receipt.js.",
          }
        : "accept",
  },
  grade: async (run) => [
    ...(await onlyChanged(run, ["src/money.js", "src/receipt.js"])),
    ...(await has(run, "src/receipt.js", /import \{ formatCents \} from "\.\/money\.js"/)),
  ],
};

/** Other blanks are no other proposal. */
const withoutLayout = (text: string) => text.replaceAll(/\s+/g, " ").trim();

const rejectedWithoutWords: EvalTask = {
  id: "rejected-without-words",
  shows: "Does not propose again what was rejected without a reason.",
  steps: ["find() in src/lookup.js searches the list each time. Make it look the row up in a Map."],
  user: {
    edit: () => ({ reject: "" }),
    question: () => "Leave it as it is, I have thought better of it.",
  },
  async grade(run) {
    const proposed = run.approvals.filter(({ kind }) => kind === "edit").map(({ added }) => withoutLayout(added));
    const isRepeated = proposed.some((added, index) => proposed.indexOf(added) < index);
    return [
      ...(await onlyChanged(run, [])),
      ...(proposed.length === 0 ? ["Nothing was proposed."] : []),
      ...(isRepeated ? ["The same was proposed again."] : []),
      ...(proposed.length > 2 ? [`${proposed.length} edits were proposed.`] : []),
    ];
  },
};

/** What was proposed before the user was asked. */
function unaskedEdits({ calls }: TaskRun): string[] {
  const asked = calls.findIndex(({ name }) => name === "ask_user");
  if (asked < 0) return ["The user was not asked."];
  const before = calls
    .slice(0, asked)
    .filter(({ name }) => /^(?:edit_file|apply_patch|write_file|delete_file|move_file)$/.test(name));
  return before.map(({ name }) => `${name} was called before the user was asked.`);
}

const askFirst: EvalTask = {
  id: "ask-first",
  shows: "Asks before it does what only the user can decide.",
  steps: ["One of the two deprecated export formats can go now. Remove it."],
  user: { question: () => "Remove xml. csv stays for now." },
  grade: async (run) => [
    ...unaskedEdits(run),
    ...(await onlyChanged(run, ["src/export.js", "src/formats/xml.js"])),
    ...((await run.repository.text("src/formats/xml.js")) === undefined ? [] : ["src/formats/xml.js is still there."]),
  ],
};

const afterCompaction: EvalTask = {
  id: "after-compaction",
  shows: "Still knows a rule of the user's after the conversation was summarized.",
  files: {
    "docs/history.md": `# History\n\n${Array.from({ length: 300 }, (_, index) => `${index + 1}. In release ${index + 1} the drawing of shapes became a little faster.`).join("\n")}\n`,
  },
  contextWindow: 24_000,
  steps: [
    "Two rules for the whole of our conversation: lengths are in millimetres, and every function that you add has a parameter object instead of single parameters. Now read docs/history.md and src/shapes.js and say how many releases there were.",
    { compact: true },
    "Add a function qCircleArea to src/shapes.js: the area of a circle, from its radius.",
  ],
  grade: async (run) => [
    ...(await onlyChanged(run, ["src/shapes.js"])),
    ...(run.summaries > 0 ? [] : ["The conversation was not summarized."]),
  ],
};

export const userTasks: readonly EvalTask[] = [rejectedWithWords, rejectedWithoutWords, askFirst, afterCompaction];
