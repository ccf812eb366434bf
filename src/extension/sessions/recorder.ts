import type { AgentEvent } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import { type AgentRecord, isShown, type StoredRecord } from "./records.ts";
import type { SessionFold } from "./sessionFold.ts";

const maxPrintedCharacters = 64_000;

type RecordHead = Omit<AgentRecord, "agent">;
type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/**
 * Makes the records of a session from its log. Left out is what a later entry repeats: deltas, the empty start of a
 * message, the lists in the ends of turns and runs. What a call printed is saved with its end.
 */
export class Recorder {
  readonly #fold: SessionFold;
  readonly #printed = new Map<string, string>();

  constructor(fold: SessionFold) {
    this.#fold = fold;
  }

  /** Undefined when nothing of the entry is saved. */
  recordOf(entry: LogEntry, at: number): StoredRecord | undefined {
    const { seq } = entry;
    if ("host" in entry) return { seq, at, host: entry.host };
    return this.#agentRecord(entry.agent, isShown(entry) ? { seq, at } : { seq, isHidden: true, at });
  }

  #agentRecord(agent: AgentEvent, head: RecordHead): AgentRecord | undefined {
    switch (agent.type) {
      case "message_start":
      case "message_update":
        return undefined;
      case "tool_execution_update":
        this.#print(agent);
        return undefined;
      case "tool_execution_end": {
        const printed = this.#takePrinted(agent);
        return { ...head, agent, ...(printed !== undefined && { printed }) };
      }
      case "transcript":
        return this.#transcript(agent, head);
      case "agent_end": {
        const { finalMessage: _repeated, ...end } = agent;
        return { ...head, agent: { ...end, messages: [] } };
      }
      case "turn_end":
        return { ...head, agent: { ...agent, message: { ...agent.message, content: [] }, toolResults: [] } };
      default:
        return { ...head, agent };
    }
  }

  #print(event: Event<"tool_execution_update">): void {
    if (event.output === undefined) return;
    const key = callKey(event);
    const output = (this.#printed.get(key) ?? "") + event.output;
    // Cut now and then only: a copy for every line that is printed would be quadratic.
    this.#printed.set(key, output.length > 2 * maxPrintedCharacters ? output.slice(-maxPrintedCharacters) : output);
  }

  #takePrinted(event: Event<"tool_execution_end">): string | undefined {
    const key = callKey(event);
    const printed = this.#printed.get(key);
    this.#printed.delete(key);
    return printed?.slice(-maxPrintedCharacters);
  }

  #transcript(event: Event<"transcript">, head: RecordHead): AgentRecord | undefined {
    const { messages, reason } = event;
    const history = this.#fold.historyOf(event.agent.id);
    const { spans, fresh, isKnown } = history.compare(messages, this.#fold.digestOf, head.seq);
    if (reason === "initial" && isKnown && messages.length > 0) return undefined;
    return { ...head, agent: { ...event, messages: fresh }, spans };
  }
}

function callKey(event: { agent: { id: string }; callId: string }): string {
  return JSON.stringify([event.agent.id, event.callId]);
}
