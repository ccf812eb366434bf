import { createHash } from "node:crypto";
import type { AgentEvent, AgentMessage } from "../../agent/types.ts";
import { keyOfHostEvent } from "../../protocol/hostEventTraits.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import { type ByteSpan, formatAgentRecord, formatHostRecord, type Head, type Tail } from "./records.ts";

/** A whole transcript, said with what the file has of it. */
export interface TranscriptChange {
  spans: ByteSpan[];
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
      const spans: ByteSpan[] = messages.length > 0 ? [[-messages.length, 0]] : [];
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

function spansOf(numbers: readonly number[]): ByteSpan[] {
  const spans: ByteSpan[] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    // A record's own messages end below 0, and the file's begin there.
    if (last !== undefined && last[1] === number && number !== 0) last[1] = number + 1;
    else spans.push([number, number + 1]);
  }
  return spans;
}

/** What a session has cost so far: tokens of all kinds and USD. */
export interface SessionCost {
  tokens: number;
  cost: number;
}

const keptOutputCharacters = 64_000;

/**
 * Makes the records of a session from its log. Left out is what a later entry says again: deltas, the empty start of a
 * message, the lists in the ends of turns and runs. What a call printed goes with its end.
 */
export class KeptRecords {
  readonly #transcripts: Transcripts;
  readonly #printed = new Map<string, string>();
  #spent: SessionCost;

  constructor(transcripts: Transcripts, spent: SessionCost) {
    this.#transcripts = transcripts;
    this.#spent = spent;
  }

  /** The entry's line, with its line end; undefined when nothing of it is kept. */
  recordOf(entry: LogEntry, at: number): string | undefined {
    const { seq } = entry;
    if ("host" in entry) {
      const key = keyOfHostEvent(entry.host);
      return formatHostRecord({ seq, at, kind: entry.host.type, ...(key !== undefined && { key }) }, entry.host);
    }
    const event = entry.agent;
    const head: Head = { seq, at, kind: event.type, depth: event.agent.depth, of: event.agent.id };
    switch (event.type) {
      case "message_start":
      case "message_update":
        return undefined;
      case "message_end": {
        const { id, role } = event.message;
        const sum = this.#transcripts.add(event.agent.id, event.message);
        return formatAgentRecord({ ...head, role, ...(role === "assistant" && { key: id }), sum }, event);
      }
      case "tool_execution_start":
        return formatAgentRecord({ ...head, key: event.callId }, event);
      case "tool_execution_update":
        this.#print(event);
        return undefined;
      case "tool_execution_end":
        return formatAgentRecord({ ...head, key: event.callId }, event, this.#takePrinted(event));
      case "usage":
        return formatAgentRecord({ ...head, ...this.#spend(event) }, event);
      case "transcript":
        return this.#transcript(head, event);
      case "agent_end": {
        const { finalMessage: _repeated, ...end } = event;
        return formatAgentRecord(head, { ...end, messages: [] });
      }
      case "turn_end":
        return formatAgentRecord(head, { ...event, message: { ...event.message, content: [] }, toolResults: [] });
      case "agent_spawned":
      case "agent_exit":
        return formatAgentRecord({ ...head, key: event.child.id }, event);
      default:
        return formatAgentRecord(head, event);
    }
  }

  #print(event: Extract<AgentEvent, { type: "tool_execution_update" }>): void {
    if (event.output === undefined) return;
    const key = callKey(event);
    const output = (this.#printed.get(key) ?? "") + event.output;
    // Cut now and then only: a copy for every line that is printed would be quadratic.
    this.#printed.set(key, output.length > 2 * keptOutputCharacters ? output.slice(-keptOutputCharacters) : output);
  }

  #takePrinted(event: Extract<AgentEvent, { type: "tool_execution_end" }>): Tail {
    const key = callKey(event);
    const printed = this.#printed.get(key);
    this.#printed.delete(key);
    return printed === undefined ? {} : { printed: printed.slice(-keptOutputCharacters) };
  }

  #spend({ delta }: Extract<AgentEvent, { type: "usage" }>): SessionCost {
    const tokens = delta.input + delta.output + delta.cacheRead + delta.cacheWrite;
    this.#spent = { tokens: this.#spent.tokens + tokens, cost: this.#spent.cost + delta.cost };
    return this.#spent;
  }

  #transcript(head: Head, event: Extract<AgentEvent, { type: "transcript" }>): string | undefined {
    const { agent, messages, reason } = event;
    const change = this.#transcripts.replace(agent.id, messages);
    if (reason === "initial" && change.isKnown && messages.length > 0) return undefined;
    const tail: Tail = { spans: change.spans, ...(change.dropped.length > 0 && { dropped: change.dropped }) };
    return formatAgentRecord(head, { ...event, messages: change.fresh }, tail);
  }
}

function callKey(event: { agent: { id: string }; callId: string }): string {
  return JSON.stringify([event.agent.id, event.callId]);
}

/** What a session's file holds when its writer opens it. */
export interface WrittenBytes {
  /** Of what is whole; what is behind it is cut away. */
  size: number;
  lacksLineEnd: boolean;
  lastSeq: number;
  spent: SessionCost;
  earlier: EarlierMessages;
}
