/** How a fold changes lists and records. The results are as equal to each other as the ways differ in cost. */
export interface TreeWriting {
  /** The list with `item` at `index`, which may be its end. */
  set<Item>(list: Item[], index: number, item: Item): Item[];
  put<Value>(record: Record<string, Value>, key: string, value: Value): Record<string, Value>;
}

/** What was there before never changes. */
export const copying: TreeWriting = {
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

  function own<Value extends object>(value: Value): Value {
    made.add(value);
    return value;
  }

  return {
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
