import { createHash } from "node:crypto";
import type { AgentMessage } from "../../agent/types.ts";
import type { KeySpan, Snapshot } from "./records.ts";

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
  spans: readonly KeySpan[];
}

/**
 * The messages of one agent in the order of the file, and which of them are its transcript. A rewind, its undoing or a
 * summary is recorded by the keys of the messages and not as a copy of the conversation.
 */
export class TranscriptHistory {
  /** All messages, and the changes among them. */
  readonly #items: (MessageRef | TranscriptChange)[] = [];
  readonly #refs: MessageRef[] = [];
  readonly #byDigest = new Map<string, number>();
  #current: MessageRef[] = [];
  #currentSet: Set<MessageRef> | undefined;
  #last: TranscriptChange | undefined;
  /** How many of the items are in snapshots. */
  #saved = 0;

  /** The transcript. */
  get current(): readonly MessageRef[] {
    return this.#current;
  }

  /** The latest change. */
  get last(): TranscriptChange | undefined {
    return this.#last;
  }

  /** The latest change put messages into another order than that in which they were written. */
  get isReordered(): boolean {
    return this.#last?.spans.some(([from], at, spans) => from <= (spans[at - 1]?.[1] ?? -1)) ?? false;
  }

  add(ref: MessageRef): void {
    this.#items.push(ref);
    this.#byDigest.set(ref.digest, this.#refs.push(ref) - 1);
    this.#current.push(ref);
    this.#currentSet = undefined;
  }

  /** Which messages the file holds already, as spans, and the others. */
  compare(messages: readonly AgentMessage[], digestOf: (message: AgentMessage) => string, seq: number) {
    const fresh: AgentMessage[] = [];
    const keys = messages.map((message) => {
      const index = this.#byDigest.get(digestOf(message)) ?? this.#refs.length - 1 + fresh.push(message);
      return { index, key: this.#refs[index]?.key ?? keyOf(seq, index - this.#refs.length) };
    });
    const isKnown = keys.length === this.#current.length && keys.every(({ key }, at) => key === this.#current[at]?.key);
    return { spans: spansOf(keys), fresh, isKnown };
  }

  /** Replaces the transcript by messages that were all added before. */
  replace(change: TranscriptChange): void {
    this.#items.push(change);
    this.#last = change;
    this.#current = change.spans.flatMap(([from, to]) =>
      this.#refs.slice(this.#indexFrom(from), this.#indexFrom(to, true)),
    );
    const current = new Set(this.#current);
    this.#currentSet = current;
    for (const ref of this.#refs) if (!current.has(ref)) ref.removedAt = change.seq;
  }

  /** The index of the first message with the key or above it; `isAfter`: above it. */
  #indexFrom(key: number, isAfter = false): number {
    let low = 0;
    let high = this.#refs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.#refs[middle]?.key ?? 0;
      if (at < key || (isAfter && at === key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the message with the key is part of the transcript. */
  isCurrent(key: number): boolean {
    const ref = this.#refs[this.#indexFrom(key)];
    if (ref?.key !== key) return false;
    this.#currentSet ??= new Set(this.#current);
    return this.#currentSet.has(ref);
  }

  /** The answer whose calls run at this point of the log. */
  callerAt(seq: number): MessageRef | undefined {
    let at = this.#indexFrom(seq) - 1;
    while (at >= 0 && this.#refs[at]?.role !== "assistant") at--;
    return this.#refs[at];
  }

  /** The history as it was before the entry. */
  before(seq: number): TranscriptHistory {
    const history = new TranscriptHistory();
    history.#replay(this.#items.filter((item) => ("seq" in item ? item.seq : item.key) < seq));
    return history;
  }

  #replay(items: readonly (MessageRef | TranscriptChange)[]): void {
    for (const item of items) {
      if ("spans" in item) this.replace(item);
      else {
        const { removedAt: _, ...ref } = item;
        this.add(ref);
      }
    }
  }

  /** What was added since the last call, for a segment that starts at this offset. */
  takeItems(start: number): IndexItem[] {
    const added = this.#items.slice(this.#saved);
    this.#saved = this.#items.length;
    return added.map((item): IndexItem => {
      if ("spans" in item) return [item.seq, [...item.spans]];
      return [item.key, (item.line?.offset ?? 0) - start, item.line?.length ?? 0, item.digest, item.role];
    });
  }

  /** Adds what a snapshot lists of a segment that starts at this offset. */
  addItems(items: readonly IndexItem[], start: number): void {
    for (const item of items) {
      if (item.length === 2) this.replace({ seq: item[0], spans: item[1] });
      else {
        const [key, offset, length, digest, role] = item;
        this.add({ key, line: { offset: offset + start, length }, digest, role });
      }
    }
    this.#saved = this.#items.length;
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

export type IndexItem = Snapshot["histories"][string][number];
