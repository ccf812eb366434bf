import { type AssistantMessage, type LlmMessage, type ToolCall, textOf } from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";

export type Task = ReturnType<typeof readTask>;

/** What its calls brought, by `callKey`. */
type Round = Map<string, Outcome>;

export type DemoConversation = ReturnType<typeof readConversation>;

/** A request as the rules read it: which agent it is, which tasks are open, and the tool calls made for them so far. */
export function readConversation(request: ModelRequest) {
  const tools = new Set(request.tools.map((tool) => tool.name));
  return {
    // "" when it says none.
    agentName: /<identity>\s*You are ([^.\n]+?)\s*[.\n]/.exec(request.systemPrompt)?.[1] ?? "",
    ...readOpenWork(request.messages),
    tools,
    agents: tools.has("spawn_agents") ? namesOfAgents(request.systemPrompt) : new Set<string>(),
  };
}

function namesOfAgents(systemPrompt: string): Set<string> {
  // The last section of the prompt: earlier ones may quote anything.
  const section = systemPrompt.slice(systemPrompt.lastIndexOf("<available_agents>"));
  return new Set([...section.matchAll(/^- ([^:\n]+):/gm)].map((match) => match[1] ?? ""));
}

/** Unanswered requests, oldest first: more than one when the user steered; and the finished rounds of calls since the first. */
function readOpenWork(messages: readonly LlmMessage[]): { tasks: Task[]; rounds: Round[] } {
  let tasks: Task[] = [];
  let rounds: Round[] = [];
  let context = "";
  let previous: LlmMessage["role"] | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const round = readRound(message, messages.slice(index + 1));
      if (round.size > 0) rounds.push(round);
      else [tasks, rounds] = [[], []];
    } else if (message.role === "user") {
      // A request without any call, or whose calls were stopped, was given up for the one that follows.
      if (previous === "user" || wasStopped(rounds.at(-1))) [tasks, rounds] = [[], []];
      const delegated = /^\s*<delegation_context>([\s\S]*)<\/delegation_context>\s*$/.exec(textOf(message))?.[1];
      if (delegated !== undefined) context = delegated.trim();
      else tasks.push(readTask(message, tasks.length === 0 ? context : ""));
    }
    previous = message.role;
  }
  return { tasks, rounds };
}

/**
 * The first part is what was typed; those after it hold what attachments brought, `@explore` among them: then `agent` is
 * addressed. `context` is what a delegating agent added, "" when a person asks.
 */
function readTask(message: LlmMessage, context: string) {
  const [typed, ...attached] = message.content.filter((part) => part.type === "text").map(({ text }) => text);
  const named = attached.map((text) => /^<for_agent name="([^"\n]+)">/.exec(text)?.[1]);
  return { text: typed?.trim() ?? "", context, agent: named.find((name) => name !== undefined) };
}

/** What a result brings for language models after its own text: messages to sub-agents, reviews, another mode. */
const notes = /(?:\s*<(user_steering|review|mode)>\n(?:(?!<\/\1>)[\s\S])*<\/\1>)+\s*$/;

function readRound(message: AssistantMessage, following: readonly LlmMessage[]): Round {
  const round: Round = new Map();
  for (const part of message.content) {
    if (part.type !== "toolCall") continue;
    const result = following.find((next) => next.role === "toolResult" && next.callId === part.id);
    if (result?.role !== "toolResult") continue;
    round.set(callKey(part), { text: textOf(result).replace(notes, ""), isError: result.isError });
  }
  return round;
}

/** Rules find the result of a call by what it asks, whatever the order of the results. */
export function callKey({ name, arguments: input }: Pick<ToolCall, "name" | "arguments">): string {
  return `${name} ${JSON.stringify(input)}`;
}

function wasStopped(round: Round | undefined): boolean {
  return [...(round?.values() ?? [])].some(({ text, isError }) => isError && /\b(abort|cancel+ed|stopped)/i.test(text));
}

/** A tool call that a rule wants made. */
export interface DemoCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What a call brought. */
export interface Outcome {
  text: string;
  isError: boolean;
}

/** What an agent has for its work. */
export interface Work {
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
  /** Names of the agents that can be delegated to; empty when delegation is not on offer. */
  agents: ReadonlySet<string>;
}

/** What a request is answered with: calls to be made, or an answer. The user sees the text of both. */
export type DemoStep = { type: "calls"; text: string; calls: DemoCall[] } | { type: "answer"; text: string };

/** Work that asks for calls, saying why, and goes on with their outcomes, in the order of the calls. */
export type Steps<T> = Generator<{ text: string; calls: DemoCall[] }, T, Outcome[]>;
/** What it ends with is the answer. */
export type Rule = Steps<string>;

/** Hands a task to an agent; its report is the answer. */
export function* delegate(agent: string, task: string): Rule {
  const context = "The user asked for this in these words.";
  const calls = [{ name: "delegate_to_agent", arguments: { agent, task, context } }];
  const [report] = yield { text: `I hand this to the ${agent} agent.`, calls };
  if (report === undefined || report.isError) return `The ${agent} agent failed: ${report?.text ?? ""}`;
  // The report already answers what the user wrote to the agent meanwhile.
  return report.text.replace(/\n*<user_steering>[\s\S]*<\/user_steering>\s*$/, "");
}
