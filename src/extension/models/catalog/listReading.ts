import * as z from "zod";
import type { ModelFacts } from "../facts.ts";
import type { ListFault } from "./listFault.ts";

export type ModelListing = { ok: true; models: ModelFacts[] } | { ok: false; fault: ListFault };

/** More than any provider has; the rest of a longer list is not kept. */
const mostModels = 5_000;

/** A count of tokens, or nothing: zero, fractions, text and what no number can hold are no sizes. */
export const tokens = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined));

/** A text of some length that is not too long to be shown, or nothing. */
export const words = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "string" && value.length > 0 && value.length <= 300 ? value : undefined));

/** An object whose fields may be anything. */
export const fields = z.record(z.string(), z.unknown());

/** The id of a model: it becomes part of a name in the settings, which has no blanks. */
export const modelId = z.string().max(300).regex(/^\S+$/);

/**
 * The models of a list, each read on its own: what a server adds or gets wrong in one of them costs no other one.
 * A list of which nothing can be read is malformed.
 */
export function readEach(list: unknown, read: (entry: unknown) => ModelFacts | undefined): ModelListing {
  if (!Array.isArray(list)) return { ok: false, fault: { type: "malformed" } };
  const byId = new Map<string, ModelFacts>();
  let understood = 0;
  for (const entry of list.slice(0, mostModels)) {
    if (fields.safeParse(entry).success && modelId.safeParse(entry.id ?? entry.name).success) understood += 1;
    const model = read(entry);
    if (model !== undefined && !byId.has(model.id)) byId.set(model.id, model);
  }
  if (list.length > 0 && understood === 0) return { ok: false, fault: { type: "malformed" } };
  return { ok: true, models: [...byId.values()] };
}

/** Facts without what nobody said. */
export function known(facts: { [Key in keyof ModelFacts]: ModelFacts[Key] | undefined } & { id: string }): ModelFacts {
  // What is left after the filter has its type or is not there.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as unknown as ModelFacts;
}

/** The day of a date as RFC 3339 writes it, or nothing. */
export function dayOf(value: unknown): string | undefined {
  return typeof value === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] : undefined;
}
