import { t } from "@vscode/l10n";
import * as z from "zod";
import type { CustomProblem } from "./customization.ts";
import { type Entry, type FrontMatter, type Mistake, positionsOf } from "./frontMatter.ts";

/** A field of a front matter: what it may hold, and how it is described to people. */
export interface Field<T = unknown> {
  schema: z.ZodType<T>;
  /** What it may hold, after "must be". */
  expected(): string;
  /** What it does, for completion and hover. Absent: it is read, but there is a better spelling of it. */
  description?(): string;
  /** Values to offer. */
  values?: readonly string[];
}

type Values<F extends Record<string, Field>> = { [K in keyof F]?: z.infer<F[K]["schema"]> };

/**
 * Reads the fields of a front matter by their schemas. What does not fit is an error at its line; a field that has no
 * meaning here is named and ignored.
 */
export function readFields<F extends Record<string, Field>>(
  { entries }: Pick<FrontMatter, "entries">,
  fields: F,
): { values: Values<F>; mistakes: Mistake[] } {
  const values: Record<string, unknown> = {};
  const mistakes: Mistake[] = [];
  for (const entry of entries) {
    const field = Object.hasOwn(fields, entry.key) ? fields[entry.key] : undefined;
    if (field === undefined) {
      mistakes.push(unusedField(entry, Object.keys(fields)));
      continue;
    }
    // An empty field is one that somebody has not filled in yet.
    if (entry.value === null || entry.value === undefined) continue;
    const parsed = field.schema.safeParse(entry.value);
    // What is no YAML is the text that was meant where a text is wanted, and not where a list is.
    const isText = entry.broken !== undefined && parsed.success && typeof parsed.data === "string";
    if (parsed.success && (entry.broken === undefined || isText)) values[entry.key] = parsed.data;
    else mistakes.push(misfit(entry, field));
    if (isText) mistakes.push(unquoted(entry));
  }
  // Each value was parsed by the schema of its field.
  return { values: values as Values<F>, mistakes };
}

function misfit({ key, value, valueSpan, keySpan, broken }: Entry, { expected, values = [] }: Field): Mistake {
  const span = valueSpan.end > valueSpan.start ? valueSpan : keySpan;
  const near = typeof value === "string" ? nearest(value, values) : undefined;
  // A limit that is not understood must not become none.
  return {
    ...{ span, severity: "error" },
    message: broken === undefined ? t("{0} must be {1}.", key, expected()) : t("{0} can't be read: {1}", key, broken),
    ...(near !== undefined && { fix: replacement(span, near) }),
  };
}

function unquoted({ key, value, valueSpan: span }: Entry): Mistake {
  const message = t("{0} is taken as it is written. Put it into quotes: other programs may refuse it.", key);
  const fix = { title: t("Add Quotes"), span, text: JSON.stringify(value) };
  return { span, severity: "information", message, fix };
}

/** Fields of other programs that look like one of ours, and are no misspellings of it. */
const othersFields: readonly string[] = ["hooks", "mode"];

function unusedField({ key, keySpan: span }: Entry, known: readonly string[]): Mistake {
  const near = othersFields.includes(key) ? undefined : nearest(key, known);
  const message = t("Arbor does not use {0}.", key);
  if (near === undefined) return { span, severity: "information", message };
  return { span, severity: "warning", message, fix: replacement(span, near) };
}

/** The fix that writes something else. */
export function replacement(span: Mistake["span"], text: string): NonNullable<Mistake["fix"]> {
  return { title: t("Change to {0}", text), span, text };
}

/** What was probably meant: it differs in letter case or by at most two letters. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  const maxDistance = Math.min(2, Math.floor(wanted.length / 2));
  const [best] = known
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase(), maxDistance) }))
    .filter((each) => each.distance <= maxDistance)
    .sort((one, other) => one.distance - other.distance);
  return best?.name;
}

/** How many letters have to be added, removed or changed; past `maxDistance` any larger number. */
function distance(one: string, other: string, maxDistance: number): number {
  if (one === other) return 0;
  if (maxDistance === 0 || Math.abs(one.length - other.length) > maxDistance) return maxDistance + 1;
  const [first, second] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return distance(first, second, maxDistance);
  return (
    1 +
    Math.min(
      distance(first, other, maxDistance - 1),
      distance(one, second, maxDistance - 1),
      distance(first, second, maxDistance - 1),
    )
  );
}

export const textField: Pick<Field<string>, "schema" | "expected"> = {
  // Numbers and dates are texts here, which YAML can't know.
  schema: z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value).trim()),
  expected: () => t("a text"),
};

export const flagField: Pick<Field<boolean>, "schema" | "expected" | "values"> = {
  schema: z.boolean(),
  expected: () => t("true or false"),
  values: ["true", "false"],
};

/** A list, or what commas separate outside brackets. */
export const listField: Pick<Field<string[]>, "schema" | "expected"> = {
  schema: z.union([
    z.array(z.string().trim().min(1)),
    z.string().transform((text) =>
      text
        .split(/,(?![^(]*\))/)
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    ),
  ]),
  expected: () => t("a list of names"),
};

/** Where a name of a list is written: an element, or the whole value. */
export function spanOfItem(entry: Entry | undefined, name: string): Mistake["span"] {
  const item = entry?.items.find(({ value }) => typeof value === "string" && value.trim() === name);
  return item?.span ?? entry?.valueSpan ?? { start: 0, end: 0 };
}

/** Collects mistakes at their positions. */
export class Problems {
  readonly list: CustomProblem[] = [];

  add(path: string, text: string, { span, fix, ...mistake }: Mistake): void {
    const range = positionsOf(text, span);
    const fixed = fix && { title: fix.title, text: fix.text, range: positionsOf(text, fix.span) };
    this.list.push({ ...mistake, path, range, ...(fixed && { fix: fixed }) });
  }
}
