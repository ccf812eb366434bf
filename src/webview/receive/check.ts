/** Whether an unknown value has the shape that is relied on. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string";
/** A name that things are filed under; one that every object has already would find what nobody filed. */
export const isId: Check = (value) => typeof value === "string" && !(value in Object.prototype);

export const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
export const isFlag: Check = (value) => typeof value === "boolean";

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A record with these properties; others may stand beside them. */
export function shape(properties: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(properties).map(([name, check]) => ({ name, check }));
  // A long chat passes here whole when it is opened: this costs a fraction of `every`, and half of a loop over pairs.
  return (value) => {
    if (!isRecord(value)) return false;
    for (const { name, check } of checks) if (!check(value[name])) return false;
    return true;
  };
}

export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === "string" && values.includes(value);
}

/** A record whose `key` names its variant; `fallback` judges variants that are not listed. */
export function variant(key: string, checks: Readonly<Record<string, Check>>, fallback: Check): Check {
  const known = new Map(Object.entries(checks));
  return (value) => {
    if (!isRecord(value)) return false;
    const name = value[key];
    return typeof name === "string" && (known.get(name) ?? fallback)(value);
  };
}
