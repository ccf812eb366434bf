import type { AgentMessage } from "../vocabulary/messages.ts";

/** How a fold changes lists and records. The results are as equal to each other as the ways differ in cost. */
export interface TreeWriting {
  /** Where the latest message of that id is; -1 where none is. */
  find(messages: readonly AgentMessage[], id: string): number;
  /** The list with `item` at `index`, which may be its end. */
  set<Item>(list: Item[], index: number, item: Item): Item[];
  put<Value>(record: Record<string, Value>, key: string, value: Value): Record<string, Value>;
}

/** What was there before never changes. */
export const copying: TreeWriting = {
  // From the end, where the streamed message is: a delta must not cost more in a long transcript.
  find(messages, id) {
    for (let at = messages.length - 1; at >= 0; at--) if (messages[at]?.id === id) return at;
    return -1;
  },
  set(list, index, item) {
    const copy = list.slice();
    copy[index] = item;
    return copy;
  },
  put: (record, key, value) => ({ ...record, [key]: value }),
};

/**
 * For one fold over many events: lists and records that it has made itself change in place, as nothing else has seen them
 * yet. To copy them for each event would cost the square of a long conversation.
 */
export function copyingOnce(): TreeWriting {
  const made = new WeakSet<object>();
  const searches = new WeakMap<object, MessageSearch>();

  function own<Value extends object>(value: Value): Value {
    made.add(value);
    return value;
  }

  return {
    find(messages, id) {
      // Another list may have other messages at the same indexes by the next time.
      if (!made.has(messages)) return copying.find(messages, id);
      const search = searches.get(messages) ?? new MessageSearch();
      searches.set(messages, search);
      return search.find(messages, id);
    },
    set(list, index, item) {
      if (!made.has(list)) return own(copying.set(list, index, item));
      list[index] = item;
      return list;
    },
    put(record, key, value) {
      // Assigned, this key would be the record's prototype.
      if (!made.has(record) || key === "__proto__") return own(copying.put(record, key, value));
      record[key] = value;
      return record;
    },
  };
}

/** Messages that are looked at before their indexes are noted, which costs as much as some looks at each. */
const leastLooked = 1_000;
const looksPerNote = 8;

/** Finds messages in a list in which none moves: once looking has cost more than to note their indexes, by these. */
class MessageSearch {
  #looked = 0;
  #indexes: Map<string, number> | undefined;
  #noted = 0;

  find(messages: readonly AgentMessage[], id: string): number {
    if (this.#indexes === undefined) {
      const at = copying.find(messages, id);
      this.#looked += messages.length - Math.max(0, at);
      if (this.#looked > leastLooked + looksPerNote * messages.length) this.#indexes = new Map();
      return at;
    }
    for (; this.#noted < messages.length; this.#noted++) {
      const message = messages[this.#noted];
      if (message !== undefined) this.#indexes.set(message.id, this.#noted);
    }
    return this.#indexes.get(id) ?? -1;
  }
}
