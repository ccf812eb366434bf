import { t } from "@vscode/l10n";
import * as z from "zod";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { ModelFacts } from "../facts.ts";

export type ModelListing = { ok: true; models: ModelFacts[] } | { ok: false; fault: ListFault };

/** More than any provider has; the rest of a longer list is not kept. */
const maxModels = 5_000;

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
  for (const entry of list.slice(0, maxModels)) {
    if (fields.safeParse(entry).success && modelId.safeParse(entry.id ?? entry.name).success) understood += 1;
    const model = read(entry);
    if (model !== undefined && !byId.has(model.id)) byId.set(model.id, model);
  }
  if (list.length > 0 && understood === 0) return { ok: false, fault: { type: "malformed" } };
  return { ok: true, models: [...byId.values()] };
}

/** The fields that are known. */
export function known(facts: { [Key in keyof ModelFacts]: ModelFacts[Key] | undefined } & { id: string }): ModelFacts {
  // What is left after the filter has its type or is not there.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as unknown as ModelFacts;
}

/** The day of a date as RFC 3339 writes it, or nothing. */
export function dayOf(value: unknown): string | undefined {
  return typeof value === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] : undefined;
}

/** Why a provider's models could not be listed. */
export type ListFault =
  | { type: "noKey" }
  | { type: "aborted" }
  | { type: "unreachable"; message: string }
  | { type: "timeout"; timeoutMs: number }
  | { type: "status"; status: number }
  | { type: "redirect" }
  | { type: "webPage" }
  | { type: "tooLarge"; maxBytes: number }
  | { type: "malformed" }
  /** Its pages lead back to each other, or never end. */
  | { type: "endless" };

/** The provider does not accept the key. */
export function isKeyRejected(fault: ListFault): boolean {
  return fault.type === "status" && [401, 403].includes(fault.status);
}

/**
 * A fault as a sentence that says what to do. What the server wrote is not repeated: it may echo the key, and its words
 * are meant for programs.
 */
export function listFaultText(fault: ListFault, { label, host }: { label: string; host: string }): string {
  switch (fault.type) {
    case "noKey":
      return t("{0} needs an API key before it lists its models: set one.", label);
    case "aborted":
      return t("Listing the models of {0} was stopped.", label);
    case "unreachable":
      return t(
        "Could not reach {0} at {1} ({2}). Check the connection and the base URL.",
        label,
        host,
        fault.message.slice(0, 200),
      );
    case "timeout":
      return t("{0} did not answer within {1} s. Try again.", label, fault.timeoutMs / 1000);
    case "status":
      return statusText(fault.status, label, host);
    case "redirect":
      return t("{0} redirects to another address, which is not followed with a key. Check the base URL.", host);
    case "webPage":
      return t("{0} answered with a web page instead of a list of models. Check the base URL.", host);
    case "tooLarge":
      return t("{0} sent more than {1} MB as its list of models, which was not read.", label, fault.maxBytes / 1e6);
    case "malformed":
      return t("{0} sent a list of models that Arbor does not understand. Check the base URL.", label);
    case "endless":
      return t("{0} sent a list of models that does not end, which was not used.", label);
    default:
      return assertNever(fault);
  }
}

function statusText(status: number, label: string, host: string): string {
  if (status === 401) return t("{0} rejected the API key. Set a valid one.", label);
  if (status === 403) return t("{0} does not let this key list models. Set another one.", label);
  if (status === 404) return t("{0} has no list of models. Check the base URL, or name the model yourself.", host);
  if (status === 429) return t("{0} limits the rate of requests. Try again in a moment.", label);
  return t("{0} failed with status {1}. Try again later.", label, status);
}
