import type { ToolResultMessage } from "../../vocabulary/messages.ts";
import { wellFormedJson } from "./json.ts";

const maxLength = 64;

/** The id as every wire accepts it, the same for a call and for its result. */
export function wireCallId(id: string): string {
  return wireName(id, "call");
}

/** A tool name as every wire accepts it, also one that the model made up. */
export function wireToolName(name: string): string {
  return wireName(name, "unnamed");
}

// The end of a long id is what distinguishes it from others.
function wireName(name: string, otherwise: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  return name.replace(/[^\w-]/g, "_").slice(-maxLength) || otherwise;
}

/** Arguments as an object, for wires that accept nothing else. Cut ones were never run, so nothing is lost with them. */
export function argumentsObject(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Arguments as JSON text of an object. */
export function argumentsText(value: unknown): string {
  return wellFormedJson(argumentsObject(value));
}

/** The texts of a result as one, for wires that take no parts of one: each begins a line. */
export function textOfResult({ content }: ToolResultMessage): string {
  return content.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : [])).join("\n");
}

/** A reported number of tokens. Anything that is none counts as zero, so that no sum becomes NaN. */
export function tokenCount(reported: unknown): number {
  return typeof reported === "number" && Number.isFinite(reported) && reported > 0 ? Math.round(reported) : 0;
}

/** Whether a report counts anything at all. One that is empty or all zero says no more than none: unknown, not zero. */
export function reportsTokens(...counts: readonly unknown[]): boolean {
  return counts.some((count) => tokenCount(count) > 0);
}

/**
 * Input without what came from or went to the cache. Most servers count the cache as input; one whose cache is larger
 * than the input has reported them apart.
 */
export function uncachedInput(input: number, cache: { read: number; write: number }): number {
  return cache.read > input ? input : Math.max(0, input - cache.read - cache.write);
}
