/**
 * A value as JSON carries it: functions dropped, dates as text, NaN as null. Data that is plain already keeps its
 * identity, so that cleaning costs a walk and no copy.
 */
export function plainJson(value: unknown): unknown {
  try {
    return clean(value, new Set());
  } catch {
    // A getter or toJSON that throws, or nesting beyond the stack: the rest of the event still has to arrive.
    return "[cannot be shown as JSON]";
  }
}

function clean(value: unknown, ancestors: Set<object>): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // -0 does not survive JSON either.
      return Number.isFinite(value) ? value + 0 : null;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : cleanObject(value, ancestors);
    default:
      return undefined;
  }
}

function cleanObject(value: object, ancestors: Set<object>): unknown {
  if (ancestors.has(value)) return "[circular]";
  if ("toJSON" in value && typeof value.toJSON === "function") return clean(value.toJSON(), ancestors);
  ancestors.add(value);
  const cleaned = Array.isArray(value) ? cleanArray(value, ancestors) : cleanRecord(value, ancestors);
  ancestors.delete(value);
  return cleaned;
}

function cleanArray(list: readonly unknown[], ancestors: Set<object>): readonly unknown[] {
  const cleaned = Array.from(list, (item) => clean(item, ancestors) ?? null);
  return cleaned.every((item, index) => Object.is(item, list[index])) ? list : cleaned;
}

function cleanRecord(record: object, ancestors: Set<object>): object {
  let changed = Object.getPrototypeOf(record) !== Object.prototype || Object.getOwnPropertySymbols(record).length > 0;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(record)) {
    const cleaned = clean(item, ancestors);
    if (!Object.is(cleaned, item) || cleaned === undefined) changed = true;
    if (cleaned !== undefined) entries.push([key, cleaned]);
  }
  // Not by assignment: a key named __proto__ must stay a key.
  return changed ? Object.fromEntries(entries) : record;
}
