import {
  type AssistantMessage,
  type LlmMessage,
  type ToolResultMessage,
  textOf,
} from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";

/** A request as the rules read it: which agent it is, which tasks are open, and the tool calls made for them so far. */
export interface DemoConversation {
  /** The agent's name, from the identity in the system prompt; "" when it says none. */
  agentName: string;
  /** Unanswered requests, oldest first: more than one when the user steered. */
  tasks: Task[];
  /** Finished rounds of calls since the first of them. */
  rounds: Round[];
  tools: ReadonlySet<string>;
  agents: ReadonlySet<string>;
}

export interface Task {
  text: string;
  /** Added by the delegating agent; "" when a person asks. */
  context: string;
  /** The agent that the user addresses. */
  agent?: string;
}

export type Round = { call: DemoCall; outcome: Outcome }[];

export function readConversation(request: ModelRequest): DemoConversation {
  const tools = new Set(request.tools.map((tool) => tool.name));
  return {
    agentName: /<identity>\s*You are ([^.\n]+?)\s*[.\n]/.exec(request.systemPrompt)?.[1] ?? "",
    ...readOpenWork(request.messages),
    tools,
    agents: tools.has("spawn_agents") ? namesOfAgents(request.systemPrompt) : new Set(),
  };
}

function namesOfAgents(systemPrompt: string): Set<string> {
  // The last section of the prompt: earlier ones may quote anything.
  const section = systemPrompt.slice(systemPrompt.lastIndexOf("<available_agents>"));
  return new Set([...section.matchAll(/^- ([^:\n]+):/gm)].map((match) => match[1] ?? ""));
}

function readOpenWork(messages: readonly LlmMessage[]): { tasks: Task[]; rounds: Round[] } {
  let tasks: Task[] = [];
  let rounds: Round[] = [];
  let context = "";
  let previous: LlmMessage["role"] | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const round = readRound(message, messages.slice(index + 1));
      if (round.length > 0) rounds.push(round);
      else [tasks, rounds] = [[], []];
    } else if (message.role === "user") {
      // A request without any call, or whose calls were stopped, was given up for the one that follows.
      if (previous === "user" || wasStopped(rounds.at(-1))) [tasks, rounds] = [[], []];
      const delegated = /^\s*<delegation_context>([\s\S]*)<\/delegation_context>\s*$/.exec(textOf(message))?.[1];
      if (delegated !== undefined) context = delegated.trim();
      else {
        const given = tasks.length === 0 ? context : "";
        const agent = addressedAgent(message);
        tasks.push({ text: typedText(message), context: given, ...(agent !== undefined && { agent }) });
      }
    }
    previous = message.role;
  }
  return { tasks, rounds };
}

/** The first part is what was typed; the parts after it hold what attachments brought. */
function typedText(message: LlmMessage): string {
  const first = message.content.find((part) => part.type === "text");
  return first?.text.trim() ?? "";
}

/** `@explore` is a part of its own. */
function addressedAgent(message: LlmMessage): string | undefined {
  const [, ...attached] = message.content.filter((part) => part.type === "text");
  return attached.map(({ text }) => /^<for_agent name="([^"\n]+)">/.exec(text)?.[1]).find((name) => name !== undefined);
}

/** What a result brings for language models after its own text: messages to sub-agents, reviews, another mode. */
const notes = /(?:\s*<(user_steering|review|mode)>\n(?:(?!<\/\1>)[\s\S])*<\/\1>)+\s*$/;

function readRound(message: AssistantMessage, following: readonly LlmMessage[]): Round {
  const results = new Map(
    following.flatMap((next): [string, ToolResultMessage][] =>
      next.role === "toolResult" ? [[next.callId, next]] : [],
    ),
  );
  return message.content.flatMap((part) => {
    if (part.type !== "toolCall") return [];
    const result = results.get(part.id);
    if (result === undefined) return [];
    const outcome = { text: textOf(result).replace(notes, ""), isError: result.isError };
    return [{ call: { name: part.name, arguments: asRecord(part.arguments) }, outcome }];
  });
}

function wasStopped(round: Round | undefined): boolean {
  return round?.some(({ outcome }) => outcome.isError && /\b(abort|cancel+ed|stopped)/i.test(outcome.text)) ?? false;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
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

/** What a rule does next: it asks for calls, or it is done. The user sees the text of both. */
export type DemoStep = { type: "calls"; text: string; calls: DemoCall[] } | { type: "answer"; text: string };

/** What is known while a request is worked on. */
export interface Work {
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
  /** Names of the agents that can be delegated to; empty when delegation is not on offer. */
  agents: ReadonlySet<string>;
  outcomeOf(call: DemoCall): Outcome | undefined;
}

/** Either every outcome in the order of the calls, or the calls that still have to be made. */
export function gather(work: Work, calls: readonly DemoCall[]): { outcomes: Outcome[]; missing: DemoCall[] } {
  const outcomes = calls.map((call) => work.outcomeOf(call));
  return {
    outcomes: outcomes.filter((outcome) => outcome !== undefined),
    missing: calls.filter((_, index) => outcomes[index] === undefined),
  };
}

/** Hands a task to an agent; its report is the answer. */
export function delegate(agent: string, task: string, work: Work): DemoStep {
  const context = "The user asked for this in these words.";
  const { outcomes, missing } = gather(work, [{ name: "delegate_to_agent", arguments: { agent, task, context } }]);
  if (missing.length > 0) return { type: "calls", text: `I hand this to the ${agent} agent.`, calls: missing };
  const { text, isError } = outcomes[0] ?? { text: "", isError: true };
  if (isError) return { type: "answer", text: `The ${agent} agent failed: ${text}` };
  // The report already answers what the user wrote to the agent meanwhile.
  return { type: "answer", text: text.replace(/\n*<user_steering>[\s\S]*<\/user_steering>\s*$/, "") };
}
