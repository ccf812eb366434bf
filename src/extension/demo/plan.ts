import { type LlmMessage, textOf } from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import {
  callKey,
  type DemoConversation,
  type DemoStep,
  delegate,
  type Outcome,
  type Rule,
  readConversation,
  type Task,
} from "./conversation.ts";
import { explore } from "./explore.ts";
import { parseExplorerTask } from "./question.ts";
import { introduction, ruleFor, withoutTools } from "./requests.ts";

/** What the demo model answers to a request: rules that see no more than any other model does. */
export function plan(request: ModelRequest): DemoStep {
  const summary = summarize(request);
  if (summary !== undefined) return { type: "answer", text: summary };
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
  const rule = chooseRule(task, conversation);
  if (typeof rule === "string") return { step: { type: "answer", text: rule }, rounds: from };
  const outcomes = new Map<string, Outcome>();
  let rounds = from;
  for (let next = rule.next(); ; ) {
    if (next.done) return { step: { type: "answer", text: next.value }, rounds };
    const { text, calls } = next.value;
    const missing = calls.filter((call) => !outcomes.has(callKey(call)));
    const round = conversation.rounds[rounds];
    if (missing.length === 0) {
      next = rule.next(calls.flatMap((call) => outcomes.get(callKey(call)) ?? []));
    } else if (round === undefined) {
      return { step: { type: "calls", text, calls: missing }, rounds };
    } else {
      for (const [key, outcome] of round) outcomes.set(key, outcome);
      rounds += 1;
    }
  }
}

/** The rule that answers a task, or the answer. */
function chooseRule(task: Task, { agentName, tools, agents }: DemoConversation): Rule | string {
  if (!tools.has("search_text")) return withoutTools;
  if (agentName === "explore" || (task.context !== "" && !tools.has("edit_file"))) {
    const { query, angles } = parseExplorerTask(task.text, task.context);
    return query.terms.length === 0 ? introduction : explore(query, angles, tools);
  }
  if (task.agent !== undefined && tools.has("delegate_to_agent")) return delegate(task.agent, task.text);
  return ruleFor(task.text, { tools, agents });
}

/**
 * What the user asked, where a summary is wanted: at the end of the conversation, or of its text. Without the results,
 * since rules can't decide what mattered.
 */
function summarize({ systemPrompt, messages, tools }: ModelRequest): string | undefined {
  const last = messages.at(-1);
  const isAtEnd = last?.role === "user" && textOf(last).startsWith("<summary_request>");
  if (!isAtEnd && (tools.length > 0 || !systemPrompt.startsWith("You summarize"))) return undefined;
  const inText = messages
    .map(textOf)
    .join("\n")
    .matchAll(/^User: (.+)$/gm);
  const asked = isAtEnd ? messages.slice(0, -1).flatMap(firstLine) : [...inText].map(([, text = ""]) => text);
  const shown = asked.slice(-20).map((text) => `- ${text.trim().slice(0, 200)}`);
  return ["The demo model keeps what was asked so far:", ...(shown.length === 0 ? ["- nothing"] : shown)].join("\n");
}

/** What the editor says beside a message, and an earlier summary, are none of the user's words. */
function firstLine({ role, content: [first] }: LlmMessage): string[] {
  const [line = ""] = role === "user" && first?.type === "text" ? first.text.trim().split("\n", 1) : [];
  return line === "" || line.startsWith("The conversation so far was compacted.") ? [] : [line];
}
