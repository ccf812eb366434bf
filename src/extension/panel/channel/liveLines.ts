import type { LogEntry } from "../../../protocol/messages.ts";

/** What an agent writes at the moment. */
export interface LiveLine {
  kind: "text" | "thinking";
  /** The line that grows; of thinking none. */
  text: string;
}

const maxTail = 600;
const maxLine = 200;

interface Writing {
  kind: LiveLine["kind"];
  messageId: string;
  tail: string;
}

/** The last line of what agents write whose deltas the panel does not get. */
export class LiveLines {
  readonly #writing = new Map<string, Writing>();
  readonly #changed = new Set<string>();

  get hasNews(): boolean {
    return this.#changed.size > 0;
  }

  observe(entry: LogEntry): void {
    if (!("agent" in entry)) return;
    const { agent: event } = entry;
    const { id } = event.agent;
    if (event.type === "message_update") {
      const { delta, messageId } = event;
      if (delta.type === "text_delta") this.#append(id, { kind: "text", messageId, tail: delta.delta });
      else if (delta.type === "thinking_delta") this.#append(id, { kind: "thinking", messageId, tail: "" });
      // No words, but the sign that its answer has begun.
      else if (!this.#writing.has(id)) this.#append(id, { kind: "text", messageId, tail: "" });
    } else if (event.type === "agent_end" || event.type === "tool_execution_start") this.forget(id);
  }

  forget(agentId: string): void {
    this.#writing.delete(agentId);
    this.#changed.delete(agentId);
  }

  clear(): void {
    this.#writing.clear();
    this.#changed.clear();
  }

  /** What has changed since it was last taken, by agent. */
  take(): Record<string, LiveLine> {
    const lines = [...this.#changed].flatMap((id) => {
      const writing = this.#writing.get(id);
      return writing === undefined ? [] : [[id, { kind: writing.kind, text: lastLine(writing.tail) }] as const];
    });
    this.#changed.clear();
    return Object.fromEntries(lines);
  }

  #append(id: string, { kind, messageId, tail }: Writing): void {
    const known = this.#writing.get(id);
    const isSame = known?.messageId === messageId && known.kind === kind;
    // Thoughts show that there are some; which they are is in the transcript.
    if (isSame && kind === "thinking") return;
    this.#writing.set(id, { kind, messageId, tail: ((isSame ? known.tail : "") + tail).slice(-maxTail) });
    this.#changed.add(id);
  }
}

function lastLine(tail: string): string {
  const text = tail.trimEnd();
  return text.slice(text.lastIndexOf("\n") + 1).slice(-maxLine);
}
