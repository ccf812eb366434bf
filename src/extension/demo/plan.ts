import { assertNever } from "../../agent/vocabulary/errors.ts";
import { textOf, type UserMessage } from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import {
  type DemoCall,
  type DemoConversation,
  type DemoStep,
  delegate,
  type Round,
  readConversation,
  type Task,
  type Work,
} from "./conversation.ts";
import { explore } from "./explore.ts";
import { answerQuestion, parseExplorerTask } from "./question.ts";
import { replaceText } from "./replace.ts";
import { introduction, readRequest, withoutTools } from "./requests.ts";
import { outline, showAround, showCommand, showProblems } from "./show.ts";

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
  if (task.agent !== undefined && work.tools.has("delegate_to_agent")) return delegate(task.agent, task.text, work);
  const request = readRequest(task.text);
  switch (request.type) {
    case "replace":
      return replaceText(request.replacement, task.text, work);
    case "tour":
      return showAround(work);
    case "outline":
      return outline(request.path, work);
    case "run":
      return showCommand(request.command, work);
    case "problems":
      return showProblems(work);
    case "question":
      return answerQuestion(request.text, work);
    case "answer":
      return request;
    default:
      return assertNever(request);
  }
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
