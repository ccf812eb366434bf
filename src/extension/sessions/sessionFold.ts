import type { AgentMessage } from "../../agent/types.ts";
import {
  type AgentRecord,
  isShown,
  type KeySpan,
  type Snapshot,
  type StoredRecord,
  type UnfinishedPart,
} from "./records.ts";
import { StateEntries } from "./stateEntries.ts";
import { digestOf, keyOf, type MessageRef, TranscriptHistory } from "./transcriptHistory.ts";

/**
 * What a session's records come to: the state that later entries build on, the transcripts, what is unfinished and what
 * was spent. The writer and the reader fold the same records; a snapshot is this fold at one point of the file.
 */
export class SessionFold {
  state = new StateEntries();
  readonly histories = new Map<string, TranscriptHistory>();
  readonly agentIds = new Set<string>();
  /** Agents at depth 0: mostly one. */
  readonly rootIds = new Set<string>();
  lastSeq = 0;
  updatedAt = 0;
  tokens = 0;
  cost = 0;
  /** Since the latest snapshot. */
  shown = { entries: 0, bytes: 0 };
  /** By agent, and by message or call. */
  readonly #unfinished = new Map<string, Map<string, UnfinishedPart>>();
  /** A whole transcript mostly brings messages that are in the file already: they are the same objects. */
  readonly #digests = new WeakMap<AgentMessage, string>();

  historyOf(agentId: string): TranscriptHistory {
    const history = this.histories.get(agentId) ?? new TranscriptHistory();
    this.histories.set(agentId, history);
    return history;
  }

  readonly digestOf = (message: AgentMessage): string => {
    const digest = this.#digests.get(message) ?? digestOf(message);
    this.#digests.set(message, digest);
    return digest;
  };

  get unfinished(): UnfinishedPart[] {
    return [...this.#unfinished.values()].flatMap((open) => [...open.values()]);
  }

  /** Messages of the user's. */
  get messageCount(): number {
    const current = [...this.rootIds].flatMap((id) => this.histories.get(id)?.current ?? []);
    return current.filter(({ role }) => role === "user").length;
  }

  /** Gives the messages that the record brings: their line is set when it is known. */
  add(record: StoredRecord, bytes: number): MessageRef[] {
    this.lastSeq = Math.max(this.lastSeq, Math.floor(record.seq));
    this.updatedAt = Math.max(this.updatedAt, record.at ?? ("agent" in record ? record.agent.timestamp : 0));
    if (isShown(record)) this.shown = { entries: this.shown.entries + 1, bytes: this.shown.bytes + bytes };
    if ("growing" in record) this.#grow(record.growing);
    else this.state.add(record);
    return "agent" in record ? this.#addAgent(record) : [];
  }

  #addAgent({ seq, agent: event, spans }: AgentRecord): MessageRef[] {
    const { id, depth } = event.agent;
    this.agentIds.add(id);
    if (depth === 0) this.rootIds.add(id);
    switch (event.type) {
      case "message_end": {
        this.#unfinished.get(id)?.delete(event.message.id);
        const ref = this.#refOf(event.message, keyOf(seq));
        this.historyOf(id).add(ref);
        return [ref];
      }
      case "transcript": {
        const fresh = event.messages.map((message, at) => this.#refOf(message, keyOf(seq, at)));
        const own: KeySpan[] = fresh.length === 0 ? [] : [[keyOf(seq), keyOf(seq, fresh.length - 1)]];
        const history = this.historyOf(id);
        for (const ref of fresh) history.add(ref);
        history.replace({ seq, spans: spans ?? own });
        return fresh;
      }
      case "tool_execution_end":
        this.#unfinished.get(id)?.delete(event.callId);
        return [];
      case "agent_end":
        this.#unfinished.delete(id);
        return [];
      case "usage":
        this.tokens += event.delta.input + event.delta.output + event.delta.cacheRead + event.delta.cacheWrite;
        this.cost += event.delta.cost;
        return [];
      case "agent_spawned":
        this.agentIds.add(event.child.id);
        return [];
      default:
        return [];
    }
  }

  #refOf(message: AgentMessage, key: number): MessageRef {
    return { key, digest: this.digestOf(message), role: message.role };
  }

  #grow({ agentId, key, events, reported }: UnfinishedPart): void {
    const open = this.#unfinished.get(agentId) ?? new Map<string, UnfinishedPart>();
    this.#unfinished.set(agentId, open);
    const known = open.get(key) ?? { agentId, key, events: [] };
    for (const event of events) known.events.push(event);
    if (reported !== undefined) known.reported = reported;
    open.set(key, known);
  }

  /** The fold as a snapshot of the segment from `start`, whose bytes have this checksum. */
  takeSnapshot(crc: number, start: number): Snapshot {
    const { lastSeq, updatedAt, tokens, cost, shown, unfinished } = this;
    const histories: Snapshot["histories"] = {};
    for (const [id, history] of this.histories) {
      const items = history.takeItems(start);
      if (items.length > 0) histories[id] = items;
    }
    this.shown = { entries: 0, bytes: 0 };
    return { crc, lastSeq, updatedAt, tokens, cost, shown, state: this.state.entries(), unfinished, histories };
  }

  /** What was added so far is not part of the next snapshot's index. */
  endSegment(): void {
    for (const history of this.histories.values()) history.takeItems(0);
    this.shown = { entries: 0, bytes: 0 };
  }

  /** Goes on behind a segment from `start`, by the segment's snapshot. */
  restore({ state, unfinished, histories, lastSeq, updatedAt, tokens, cost }: Snapshot, start: number): void {
    this.state = new StateEntries();
    for (const entry of state) {
      this.state.add(entry);
      if (!("agent" in entry)) continue;
      this.agentIds.add(entry.agent.agent.id);
      if (entry.agent.agent.depth === 0) this.rootIds.add(entry.agent.agent.id);
    }
    this.#unfinished.clear();
    for (const part of unfinished) this.#grow(part);
    for (const [id, items] of Object.entries(histories)) {
      this.historyOf(id).addItems(items, start);
      this.agentIds.add(id);
    }
    Object.assign(this, { lastSeq, updatedAt, tokens, cost, shown: { entries: 0, bytes: 0 } });
  }
}
