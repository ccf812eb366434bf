import { createHash } from "node:crypto";
import type { AgentMessage } from "../../agent/types.ts";
import type { Span } from "./records.ts";

/** A whole transcript, said with what the file has of it. */
export interface TranscriptChange {
  spans: Span[];
  /** What no record holds yet. */
  fresh: AgentMessage[];
  /** Calls of messages that left. */
  dropped: string[];
  /** The transcript is the one that the file tells already. */
  isKnown: boolean;
}

/** What a file has of an agent. */
export interface WrittenMessages {
  /** By number. */
  messages: WrittenMessage[];
  /** Of the transcript as it is now. */
  numbers: number[];
}

export interface WrittenMessage {
  digest: string;
  calls: readonly string[];
}

/** What a file held when it was opened. */
export interface EarlierMessages {
  of(agentId: string): WrittenMessages | undefined;
  /** The agent spoke in the file, but what it said is not known. */
  isUnknown(agentId: string): boolean;
}

/**
 * Knows which messages a session's file holds under which number, so that a rewind or its undo is recorded by numbers
 * and not as a copy of the conversation.
 */
export class Transcripts {
  readonly #agents = new Map<string, WrittenMessages & { byDigest: Map<string, number> }>();
  readonly #earlier: EarlierMessages;
  /** A whole transcript mostly brings messages that were told of before: they are the same objects. */
  readonly #digests = new WeakMap<AgentMessage, string>();

  constructor(earlier: EarlierMessages) {
    this.#earlier = earlier;
  }

  /** Gives the digest by which the message is found again. */
  add(agentId: string, message: AgentMessage): string {
    const digest = this.#digest(message);
    if (this.#earlier.isUnknown(agentId)) return digest;
    const agent = this.#of(agentId);
    agent.numbers.push(put(agent, message, digest));
    return digest;
  }

  replace(agentId: string, messages: readonly AgentMessage[]): TranscriptChange {
    if (this.#earlier.isUnknown(agentId)) {
      const spans: Span[] = messages.length > 0 ? [[-messages.length, 0]] : [];
      return { spans, fresh: [...messages], dropped: [], isKnown: false };
    }
    const agent = this.#of(agentId);
    const before = agent.numbers;
    const written = agent.messages.length;
    const fresh: AgentMessage[] = [];
    const numbers = messages.map((message) => {
      const digest = this.#digest(message);
      const number = agent.byDigest.get(digest);
      if (number !== undefined) return number;
      fresh.push(message);
      return put(agent, message, digest);
    });
    agent.numbers = numbers;
    const calls = (of: readonly number[]) => of.flatMap((number) => agent.messages[number]?.calls ?? []);
    const staying = new Set(calls(numbers));
    return {
      spans: spansOf(numbers.map((number) => (number < written ? number : number - written - fresh.length))),
      fresh,
      dropped: [...new Set(calls(before).filter((call) => !staying.has(call)))],
      isKnown: before.length === numbers.length && before.every((number, at) => number === numbers[at]),
    };
  }

  #digest(message: AgentMessage): string {
    const digest = this.#digests.get(message) ?? digestOf(message);
    this.#digests.set(message, digest);
    return digest;
  }

  #of(agentId: string) {
    const known = this.#agents.get(agentId);
    if (known !== undefined) return known;
    const { messages, numbers } = this.#earlier.of(agentId) ?? { messages: [], numbers: [] };
    const byDigest = new Map(messages.map(({ digest }, number) => [digest, number]));
    const agent = { messages: [...messages], numbers: [...numbers], byDigest };
    this.#agents.set(agentId, agent);
    return agent;
  }
}

function put(
  agent: WrittenMessages & { byDigest: Map<string, number> },
  message: AgentMessage,
  digest: string,
): number {
  const number = agent.messages.push({ digest, calls: callsOf(message) }) - 1;
  agent.byDigest.set(digest, number);
  return number;
}

/** Short, and still no two messages of a session have the same. */
export function digestOf(message: AgentMessage): string {
  return createHash("sha1").update(JSON.stringify(message)).digest("base64url").slice(0, 12);
}

export function callsOf(message: AgentMessage): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
}

function spansOf(numbers: readonly number[]): Span[] {
  const spans: Span[] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    // A record's own messages end below 0, and the file's begin there.
    if (last !== undefined && last[1] === number && number !== 0) last[1] = number + 1;
    else spans.push([number, number + 1]);
  }
  return spans;
}
