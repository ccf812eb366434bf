import type { StreamedUpdate } from "../../../agent/types.ts";
import type { LogEntry, MoreText } from "../../../protocol/messages.ts";
import { type DeltaRun, entryOf, extendRun, startRun, textOfRun } from "../../chat/log/eventLog.ts";

/** Entries as they are posted: text deltas of parts that the panel has the beginning of are apart. */
interface Posted {
  entries: LogEntry[];
  texts?: MoreText[];
}

interface Part {
  messageId: string;
  index: number;
  type: string;
}

/** Entries that wait to be posted, and what of the texts that agents write the panel has the beginning of. */
export class EntryBatch {
  readonly #waiting = new JoinedEntries();
  /** What each agent wrote last, of what was posted. */
  readonly #written = new Map<string, Part>();

  add(entry: LogEntry): void {
    this.#waiting.add(entry);
  }

  /** All that waits; nothing does then. A part that begins in it is sent whole: only later posts go on with it. */
  take(): Posted {
    const whole: LogEntry[] = [];
    const texts: MoreText[] = [];
    for (const run of this.#waiting.take()) {
      const more = this.#continued(run.last);
      if (more === undefined) whole.push(entryOf(run));
      else texts.push([run.last.seq, more.seq, more.agent.id, more.messageId, more.delta.index, textOfRun(run)]);
    }
    for (const entry of whole) this.#remember(entry);
    return texts.length === 0 ? { entries: whole } : { entries: whole, texts };
  }

  /** Whether it is more text of a part that the panel has the beginning of. */
  continues(entry: LogEntry): boolean {
    return this.#continued(entry) !== undefined;
  }

  forget(agentId: string): void {
    this.#written.delete(agentId);
  }

  clear(): void {
    this.#waiting.take();
    this.#written.clear();
  }

  #continued(entry: LogEntry): StreamedUpdate | undefined {
    if (!("agent" in entry) || entry.agent.type !== "message_update") return undefined;
    const { agent, messageId, delta } = entry.agent;
    const written = this.#written.get(agent.id);
    if (written === undefined || !("delta" in delta) || written.messageId !== messageId) return undefined;
    return written.index === delta.index && written.type === delta.type ? entry.agent : undefined;
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

/**
 * Joins deltas that follow one another for their agent, as they come, so that a flood of them waits as one. A joined entry
 * is where its last part was, so that sequence numbers keep rising; it may pass other agents' entries on the way, since
 * only the order within an agent matters to the fold.
 */
class JoinedEntries {
  #runs: (DeltaRun | undefined)[] = [];
  readonly #lastOfAgent = new Map<string, number>();

  add(entry: LogEntry): void {
    // Nothing else came between: it is where it has to.
    const newest = this.#runs.at(-1);
    if (newest !== undefined && extendRun(newest, entry)) return;
    if ("host" in entry) {
      // What the host says may answer what an agent did: nothing is moved across it.
      this.#lastOfAgent.clear();
      this.#runs.push(startRun(entry));
      return;
    }
    const agentId = entry.agent.agent.id;
    const index = this.#lastOfAgent.get(agentId);
    const known = index === undefined ? undefined : this.#runs[index];
    this.#lastOfAgent.set(agentId, this.#runs.length);
    if (index === undefined || known === undefined || !extendRun(known, entry)) {
      this.#runs.push(startRun(entry));
      return;
    }
    this.#runs[index] = undefined;
    this.#runs.push(known);
  }

  /** In the order of their numbers. */
  take(): DeltaRun[] {
    const taken = this.#runs.filter((run) => run !== undefined);
    this.#runs = [];
    this.#lastOfAgent.clear();
    return taken;
  }
}

/** The entries, joined as far as they can be. */
export function coalesce(entries: readonly LogEntry[]): LogEntry[] {
  const joined = new JoinedEntries();
  for (const entry of entries) joined.add(entry);
  return joined.take().map(entryOf);
}
