import { createHash } from "node:crypto";
import type { AgentMessage } from "../../agent/types.ts";
import type { IndexItem, KeySpan } from "./records.ts";

/** A message in a session's file. */
export interface MessageRef {
  /** Rises in the order of the file: see `keyOf`. */
  key: number;
  digest: string;
  role: string;
  /** Of its line, in bytes; absent until it is written. */
  line?: { offset: number; length: number };
  /** The number of the latest entry that took it out of the transcript. */
  removedAt?: number;
}

const messagesPerRecord = 2 ** 20;

/** Of a message by the number of its entry, and by its position among the messages of that entry. */
export function keyOf(seq: number, position = 0): number {
  return seq + position / messagesPerRecord;
}

/** The position of a message among the messages of its entry. */
export function positionOf({ key }: MessageRef, seq: number): number {
  return Math.round((key - seq) * messagesPerRecord);
}

/** A transcript that replaced the messages so far. */
export interface TranscriptChange {
  seq: number;
  spans: KeySpan[];
  /** Its messages are in the order in which they were written: it only leaves some out. */
  isInOrder: boolean;
}

/**
 * The messages of one agent in the order of the file, and which of them are its transcript. A rewind, its undoing or a
 * summary is recorded by the keys of the messages and not as a copy of the conversation.
 */
export class TranscriptHistory {
  /** All that the file holds, in its order. */
  readonly refs: MessageRef[] = [];
  readonly changes: TranscriptChange[] = [];
  /** The transcript. */
  current: MessageRef[] = [];
  readonly #byDigest = new Map<string, number>();
  #currentSet: Set<MessageRef> | undefined;
  /** How much is in snapshots. */
  #saved = { refs: 0, changes: 0 };

  get last(): TranscriptChange | undefined {
    return this.changes.at(-1);
  }

  add(ref: MessageRef): void {
    this.#put(ref);
    this.current.push(ref);
    this.#currentSet = undefined;
  }

  #put(ref: MessageRef): void {
    this.#byDigest.set(ref.digest, this.refs.push(ref) - 1);
  }

  /** Which messages the file holds already, as spans, and the others. */
  compare(messages: readonly AgentMessage[], digestOf: (message: AgentMessage) => string, seq: number) {
    const fresh: AgentMessage[] = [];
    const keys: { key: number; index: number }[] = [];
    for (const message of messages) {
      const index = this.#byDigest.get(digestOf(message));
      const key = index === undefined ? undefined : this.refs[index]?.key;
      if (index !== undefined && key !== undefined) keys.push({ key, index });
      else keys.push({ key: keyOf(seq, fresh.length), index: this.refs.length - 1 + fresh.push(message) });
    }
    const isKnown = keys.length === this.current.length && keys.every(({ key }, at) => key === this.current[at]?.key);
    return { spans: spansOf(keys), fresh, isKnown };
  }

  /** Replaces the transcript. `fresh` are the messages that came with it. */
  replace(seq: number, spans: KeySpan[], fresh: readonly MessageRef[]): void {
    for (const ref of fresh) this.#put(ref);
    const isInOrder = spans.every(([from, to], at) => from <= to && from > (spans[at - 1]?.[1] ?? -1));
    this.changes.push({ seq, spans, isInOrder });
    this.current = spans.flatMap(([from, to]) => this.refs.slice(this.#indexFrom(from), this.#indexFrom(to, true)));
    const current = new Set(this.current);
    this.#currentSet = current;
    for (const ref of this.refs) if (!current.has(ref)) ref.removedAt = seq;
  }

  /** The index of the first message with the key or above it; `isAfter`: above it. */
  #indexFrom(key: number, isAfter = false): number {
    let low = 0;
    let high = this.refs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.refs[middle]?.key ?? 0;
      if (at < key || (isAfter && at === key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the message with the key is part of the transcript. */
  isCurrent(key: number): boolean {
    const ref = this.refs[this.#indexFrom(key)];
    if (ref?.key !== key) return false;
    this.#currentSet ??= new Set(this.current);
    return this.#currentSet.has(ref);
  }

  /** The answer whose calls run at this point of the log. */
  callerAt(seq: number): MessageRef | undefined {
    for (let at = this.#indexFrom(seq) - 1; at >= 0; at--)
      if (this.refs[at]?.role === "assistant") return this.refs[at];
    return undefined;
  }

  /** The history as it was before the entry. */
  before(seq: number): TranscriptHistory {
    const history = new TranscriptHistory();
    history.#replay(
      this.refs.filter(({ key }) => key < seq),
      this.changes.filter((change) => change.seq < seq),
    );
    return history;
  }

  #replay(refs: readonly MessageRef[], changes: readonly TranscriptChange[]): void {
    const added = refs.map(({ removedAt: _, ...ref }) => ref);
    for (const { seq, spans } of changes) {
      const next = added.findIndex(({ key }) => key >= seq);
      for (const ref of added.splice(0, next < 0 ? added.length : next)) this.add(ref);
      const own = added.findIndex(({ key }) => key >= seq + 1);
      this.replace(seq, spans, added.splice(0, own < 0 ? added.length : own));
    }
    for (const ref of added) this.add(ref);
  }

  /** What was added since the last call, for a segment that starts at this offset. */
  takeItems(start: number): IndexItem[] {
    const { refs, changes } = this.#saved;
    this.#saved = { refs: this.refs.length, changes: this.changes.length };
    const items = this.refs.slice(refs).map(({ key, line, digest, role }): IndexItem => {
      return [key, (line?.offset ?? 0) - start, line?.length ?? 0, digest, role];
    });
    return [...items, ...this.changes.slice(changes).map(({ seq, spans }): IndexItem => [seq, spans])];
  }

  /** Adds what a snapshot lists of a segment that starts at this offset. */
  addItems(items: readonly IndexItem[], start: number): void {
    const refs: MessageRef[] = [];
    const changes: TranscriptChange[] = [];
    for (const item of items) {
      if (item.length === 2) changes.push({ seq: item[0], spans: item[1], isInOrder: true });
      else
        refs.push({ key: item[0], line: { offset: item[1] + start, length: item[2] }, digest: item[3], role: item[4] });
    }
    this.#replay(refs, changes);
    this.#saved = { refs: this.refs.length, changes: this.changes.length };
  }
}

function spansOf(keys: readonly { key: number; index: number }[]): KeySpan[] {
  const spans: KeySpan[] = [];
  let next = -1;
  for (const { key, index } of keys) {
    const last = spans.at(-1);
    if (last !== undefined && index === next) last[1] = key;
    else spans.push([key, key]);
    next = index + 1;
  }
  return spans;
}

/** Short, and still no two messages of a session have the same. */
export function digestOf(message: AgentMessage): string {
  return createHash("sha1").update(JSON.stringify(message)).digest("base64url").slice(0, 12);
}
