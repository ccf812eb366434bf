import {
  type AssistantMessage,
  type LlmMessage,
  type ToolResultMessage,
  textOf,
} from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import { type Call, callKey, type Outcome, type Work } from "./step.ts";

/** What the demo makes of a request: who it is asked to be, what is still to be done, what was done for it. */
export interface Conversation {
  /** The agent's name, from the identity in the system prompt; "" when it says none. */
  agentName: string;
  /** What was asked and not answered yet, oldest first: more than one when the user steered. */
  tasks: Task[];
  /** Finished rounds of calls since the first of them. */
  rounds: Round[];
  tools: ReadonlySet<string>;
  agents: ReadonlySet<string>;
}

export interface Task {
  text: string;
  /** What the delegating agent added; "" when a person asks. */
  context: string;
  /** Paths of the files that are attached. */
  attached: string[];
}

export type Round = { call: Call; outcome: Outcome }[];

export function readConversation(request: ModelRequest): Conversation {
  const tools = new Set(request.tools.map((tool) => tool.name));
  return {
    agentName: /<identity>\s*You are ([^.\n]+?)\s*[.\n]/.exec(request.systemPrompt)?.[1] ?? "",
    ...readOpenWork(request.messages),
    tools,
    agents: tools.has("spawn_agents") ? namesOfAgents(request.systemPrompt) : new Set(),
  };
}

/** What is known to a task after the given rounds. */
export function workAfter(conversation: Conversation, rounds: readonly Round[]): Work {
  const outcomes = new Map(rounds.flat().map(({ call, outcome }) => [callKey(call), outcome]));
  const { tools, agents } = conversation;
  return { tools, agents, outcomeOf: (call) => outcomes.get(callKey(call)) };
}

function namesOfAgents(systemPrompt: string): Set<string> {
  // The last section of the prompt: what stands earlier may quote anything.
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
      // A question that got no work at all, or whose work was stopped, was given up for the one that follows.
      if (previous === "user" || wasStopped(rounds.at(-1))) [tasks, rounds] = [[], []];
      const delegated = /^\s*<delegation_context>([\s\S]*)<\/delegation_context>\s*$/.exec(textOf(message))?.[1];
      if (delegated !== undefined) context = delegated.trim();
      else {
        const given = tasks.length === 0 ? context : "";
        tasks.push({ text: typedText(message), context: given, attached: attachedPaths(message) });
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

function attachedPaths({ content }: LlmMessage): string[] {
  const [, ...brought] = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return brought.flatMap((text) => {
    const path = /^<attached_(?:file|symbol) path=("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
    return path === undefined ? [] : [String(JSON.parse(path))];
  });
}

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
    const outcome = { text: textOf(result), isError: result.isError };
    return [{ call: { name: part.name, arguments: asRecord(part.arguments) }, outcome }];
  });
}

function wasStopped(round: Round | undefined): boolean {
  return round?.some(({ outcome }) => outcome.isError && /\b(abort|cancel+ed|stopped)/i.test(outcome.text)) ?? false;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
