/**
 * A value as JSON represents it: functions dropped, dates as text, NaN as null. Data that is plain already keeps its
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

const ownData = { enumerable: true, writable: true, configurable: true };

/** A copy of plain JSON, for code that may write to it or whose own data it is. */
export function copyPlain<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // A copy of plain data has the type of what it was copied from.
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigned, this key would be the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...ownData, value: copyPlain(item) });
    else copy[key] = copyPlain(item);
  }
  return copy as T;
}

/** Makes plain JSON unchangeable: it is shared with code that may try to write to it. */
export function freezePlain<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freezePlain(item);
  return Object.freeze(value);
}

/** Whether two values of plain JSON are equal. */
export function equalPlain(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  if (entries.length !== Object.keys(b).length) return false;
  return entries.every(([key, item]) => Object.hasOwn(b, key) && equalPlain(item, Reflect.get(b, key)));
}

/** What an agent is handed: a text as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}
