import { textOf, type UserMessage } from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import {
  type DemoCall,
  type DemoConversation,
  type DemoStep,
  gather,
  type Round,
  readConversation,
  type Task,
  type Work,
} from "./conversation.ts";
import { explore } from "./explore.ts";
import { parseQuery } from "./query.ts";
import { answerQuestion, parseExplorerTask } from "./question.ts";
import { parseReplacement, replaceText } from "./replace.ts";
import { parsePaths, readFiles } from "./toolResults.ts";

const notAModel = "I am the demo model: rules, not a language model.";
const introduction = `${notAModel} I work offline with the same tools, agents and approvals as a real model, and I can do three things:

- **Find a place**: “Where is the price computed?”, “Where is \`formatPrice\`?”
- **Replace a name or a text**: “replace \`formatPrice\` with \`formatMoney\`”, “rename total to sum in src/cart.ts”
- **Show what is there**: “show me around” shows what the README says and which files there are

For anything else, choose a language model.`;
/** In a workspace that is not trusted, agents get no tools. */
const withoutTools = `${notAModel} I have no tools to look into this workspace. Open a folder and trust it, then ask again.`;

/** What was pasted below a request is not the request. */
const maxRequestLength = 600;
const asksForTour = /^\W*(?:give|show) me (?:an? |the )?(?:tour|overview|around)\b/i;
const asksQuestion =
  /\?\s*$|^\W*(where|what|which|who|how|why|when|find|show|search|locate|look|list|is there|are there)\b/i;
const isName = /^[`"']?[\p{L}_$][\p{L}\p{N}_$.-]*(\(\))?[`"']?$/u;

/** What the demo model answers to a request: rules that see no more than any other model does. */
export function plan(request: ModelRequest): DemoStep {
  const asked = requestsToSummarize(request);
  if (asked !== undefined) return summarize(asked);
  const conversation = readConversation(request);
  const answers: string[] = [];
  let done = 0;
  for (const task of conversation.tasks) {
    const { step, rounds } = workOn(task, conversation, done);
    if (step.type === "calls") return { ...step, text: [...answers, step.text].join("\n\n") };
    answers.push(step.text);
    done = rounds;
  }
  return { type: "answer", text: answers.length === 0 ? introduction : answers.join("\n\n") };
}

/**
 * A task's next step. What was found for an earlier task does not count for it: files may have changed since. So a task
 * takes the rounds after those that the earlier ones needed.
 */
function workOn(task: Task, conversation: DemoConversation, from: number): { step: DemoStep; rounds: number } {
  for (let rounds = from; ; rounds++) {
    const step = nextStep(task, conversation, workAfter(conversation, conversation.rounds.slice(from, rounds)));
    if (step.type === "answer" || rounds >= conversation.rounds.length) return { step, rounds };
  }
}

function nextStep(task: Task, { agentName, tools }: DemoConversation, work: Work): DemoStep {
  if (!tools.has("search_text")) return { type: "answer", text: withoutTools };
  const isExplorer = agentName === "explore" || (task.context !== "" && !tools.has("edit_file"));
  if (isExplorer) {
    const { query, angles } = parseExplorerTask(task.text, task.context);
    return query.terms.length === 0 ? { type: "answer", text: introduction } : explore(query, angles, work);
  }
  const text = task.text.slice(0, maxRequestLength).trim();
  const replacement = parseReplacement(text);
  if (replacement !== undefined) return replaceText(replacement, task.text, work);
  if (asksForTour.test(text)) return showAround(work);
  const isQuestion = asksQuestion.test(text) || isName.test(text);
  return isQuestion && parseQuery(text).terms.length > 0
    ? answerQuestion(text, work)
    : { type: "answer", text: introduction };
}

/** What the user asked, where a summary of it is wanted: at the end of the conversation, or of its text. */
function requestsToSummarize({ systemPrompt, messages, tools }: ModelRequest): string[] | undefined {
  const last = messages.at(-1);
  if (last?.role === "user" && textOf(last).startsWith("<summary_request>")) {
    return messages.slice(0, -1).flatMap((message) => (message.role === "user" ? firstLine(message) : []));
  }
  if (tools.length > 0 || !systemPrompt.startsWith("You summarize")) return undefined;
  const conversation = messages.map(textOf).join("\n");
  return [...conversation.matchAll(/^User: (.+)$/gm)].map(([, text = ""]) => text);
}

/** What the editor says beside a message, and an earlier summary, are none of the user's words. */
function firstLine({ content: [first] }: UserMessage): string[] {
  const [line = ""] = first?.type === "text" ? first.text.trim().split("\n", 1) : [];
  return line === "" || line.startsWith("The conversation so far was compacted.") ? [] : [line];
}

/** A summary of what the user asked, without its results: rules can't decide what mattered. */
function summarize(asked: readonly string[]): DemoStep {
  const shown = asked.slice(-20).map((text) => `- ${text.trim().slice(0, 200)}`);
  const lines = ["The demo model keeps what was asked so far:", ...(shown.length === 0 ? ["- nothing"] : shown)];
  return { type: "answer", text: lines.join("\n") };
}

const looking: DemoCall[] = [
  { name: "list_files", arguments: { depth: 3 } },
  { name: "find_files", arguments: { pattern: "**/README*", limit: 20 } },
];

/** "Show me around": what the README says first, and the tree of files. */
function showAround(work: Work): DemoStep {
  const looked = gather(work, looking);
  if (looked.missing.length > 0) return { type: "calls", text: "Looking around.", calls: looked.missing };
  const [tree, found] = looked.outcomes;
  if (tree === undefined || tree.isError) return { type: "answer", text: `Nothing to show: ${tree?.text ?? ""}` };
  const depth = (path: string) => path.split("/").length;
  const readme = parsePaths(found?.isError ? "" : (found?.text ?? "")).toSorted((a, b) => depth(a) - depth(b))[0];
  const read = readFiles(readme === undefined ? [] : [readme], work);
  if (read.missing.length > 0) return { type: "calls", text: `Reading \`${readme}\`.`, calls: read.missing };
  const opening = firstParagraph(read.files.get(readme ?? "") ?? []);
  const lines = tree.text.split("\n");
  const shown = lines.length > 60 ? [...lines.slice(0, 60), "…"] : lines;
  const text = [
    ...(opening === "" ? [] : [`\`${readme}\` says:\n\n> ${opening}`]),
    `The files:\n\n\`\`\`\n${shown.join("\n")}\n\`\`\``,
    "Ask me where something is: “Where is … computed?” _I find places by rules; I do not understand code._",
  ];
  return { type: "answer", text: text.join("\n\n") };
}

/** The first lines that are neither a heading nor a badge. */
function firstParagraph(texts: readonly string[]): string {
  const lines = texts.map((text) => text.trim());
  const start = lines.findIndex((line) => /^[\p{L}\p{N}*_"“(]/u.test(line) && !line.startsWith("[!"));
  if (start < 0) return "";
  const end = lines.indexOf("", start);
  return lines.slice(start, end < 0 ? undefined : end).join(" ");
}

/** What a task knows after the given rounds. */
function workAfter(conversation: DemoConversation, rounds: readonly Round[]): Work {
  const outcomes = new Map(rounds.flat().map(({ call, outcome }) => [callKey(call), outcome]));
  const { tools, agents } = conversation;
  return { tools, agents, outcomeOf: (call) => outcomes.get(callKey(call)) };
}

/** Rules find the result of a call by what it asks, whatever the order of the results. */
function callKey({ name, arguments: input }: DemoCall): string {
  return `${name} ${JSON.stringify(input)}`;
}
