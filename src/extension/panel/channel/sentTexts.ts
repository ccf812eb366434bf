import type { LogEntry, MoreText } from "../../../protocol/messages.ts";

/** Entries as they are posted: text deltas of parts that the panel has the beginning of are apart. */
export interface Posted {
  entries: LogEntry[];
  texts?: MoreText[];
}

interface Part {
  messageId: string;
  index: number;
  type: string;
}

/** What of the texts that agents write the panel has the beginning of. */
export class SentTexts {
  /** What each agent wrote last. */
  readonly #written = new Map<string, Part>();

  /** Splits what is posted next. A part that begins in it is sent whole: only later posts go on with it. */
  split(entries: LogEntry[]): Posted {
    const whole: LogEntry[] = [];
    const texts: MoreText[] = [];
    for (const entry of entries) {
      const more = this.#moreText(entry);
      if (more === undefined) whole.push(entry);
      else texts.push(more);
    }
    for (const entry of whole) this.#remember(entry);
    return texts.length === 0 ? { entries: whole } : { entries: whole, texts };
  }

  /** Whether it is more text of a part that the panel has the beginning of. */
  continues(entry: LogEntry): boolean {
    return this.#moreText(entry) !== undefined;
  }

  forget(agentId: string): void {
    this.#written.delete(agentId);
  }

  clear(): void {
    this.#written.clear();
  }

  #moreText(entry: LogEntry): MoreText | undefined {
    if (!("agent" in entry) || entry.agent.type !== "message_update") return undefined;
    const { agent, messageId, delta, seq } = entry.agent;
    const written = this.#written.get(agent.id);
    if (written === undefined || !("delta" in delta) || written.messageId !== messageId) return undefined;
    if (written.index !== delta.index || written.type !== delta.type) return undefined;
    return [entry.seq, seq, agent.id, messageId, delta.index, delta.delta];
  }

  #remember(entry: LogEntry): void {
    if (!("agent" in entry)) return;
    const { agent, type } = entry.agent;
    if (type !== "message_update") {
      // It may have the whole message again, or be another one.
      this.#written.delete(agent.id);
      return;
    }
    const { delta, messageId } = entry.agent;
    if (delta.type !== "text_delta" && delta.type !== "thinking_delta") this.#written.delete(agent.id);
    else this.#written.set(agent.id, { messageId, index: delta.index, type: delta.type });
  }
}
