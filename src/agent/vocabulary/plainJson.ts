/**
 * A value as JSON carries it: functions dropped, dates as text, NaN as null. Data that is plain already keeps its
 * identity, so that cleaning costs a walk and no copy.
 */
export function plainJson(value: unknown): unknown {
  try {
    return clean(value, []);
  } catch {
    // A getter or toJSON that throws, or nesting beyond the stack: the rest of the event still has to arrive.
    return "[cannot be shown as JSON]";
  }
}

function clean(value: unknown, ancestors: object[]): unknown {
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

function cleanObject(value: object, ancestors: object[]): unknown {
  if (ancestors.includes(value)) return "[circular]";
  if ("toJSON" in value && typeof value.toJSON === "function") return clean(value.toJSON(), ancestors);
  ancestors.push(value);
  const cleaned = Array.isArray(value) ? cleanArray(value, ancestors) : cleanRecord(value, ancestors);
  ancestors.pop();
  return cleaned;
}

function cleanArray(list: readonly unknown[], ancestors: object[]): readonly unknown[] {
  let cleaned: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = clean(list[index], ancestors) ?? null;
    if (cleaned === undefined && !Object.is(item, list[index])) cleaned = list.slice(0, index);
    cleaned?.push(item);
  }
  return cleaned ?? list;
}

/** Nearly every record is clean already: nothing is built until something has to change. */
function cleanRecord(record: object, ancestors: object[]): object {
  const isPlain =
    Object.getPrototypeOf(record) === Object.prototype && Object.getOwnPropertySymbols(record).length === 0;
  let entries: [string, unknown][] | undefined = isPlain ? undefined : [];
  let seen = 0;
  for (const key in record) {
    if (!Object.hasOwn(record, key)) continue;
    // Any object can be read by the names it has.
    const item = (record as Record<string, unknown>)[key];
    const cleaned = clean(item, ancestors);
    if (cleaned === undefined || !Object.is(cleaned, item)) entries ??= Object.entries(record).slice(0, seen);
    if (cleaned !== undefined) entries?.push([key, cleaned]);
    seen += 1;
  }
  // Not by assignment: a key named __proto__ must stay a key.
  return entries === undefined ? record : Object.fromEntries(entries);
}
