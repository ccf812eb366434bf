import type { AgentEvent } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import { formatAgentRecord, formatHostRecord, type Head, keyOfHost, type Tail } from "./records.ts";
import type { Transcripts } from "./transcripts.ts";

/** What a session has cost so far: tokens of all kinds and USD. */
export interface Spent {
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
  #spent: Spent;

  constructor(transcripts: Transcripts, spent: Spent) {
    this.#transcripts = transcripts;
    this.#spent = spent;
  }

  /** The entry's line, with its line end; undefined when nothing of it is kept. */
  recordOf(entry: LogEntry, at: number): string | undefined {
    const { seq } = entry;
    if ("host" in entry) {
      const key = keyOfHost(entry.host);
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

  #spend({ delta }: Extract<AgentEvent, { type: "usage" }>): Spent {
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
