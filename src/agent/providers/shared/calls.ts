import { wellFormedJson } from "./json.ts";

/**
 * An id for a tool call that nothing else in the conversation has. Some servers leave ids out or count from zero in
 * every answer, while results and the agent tree are found by them.
 */
export function uniqueCallId(id: unknown, isTaken: (id: string) => boolean): string {
  const wanted = typeof id === "string" && id !== "" && id !== "__proto__" ? id : "call";
  if (wanted !== "call" && !isTaken(wanted)) return wanted;
  let number = 1;
  while (isTaken(`${wanted}_${number}`)) number += 1;
  return `${wanted}_${number}`;
}

const maxLength = 64;

/** The id as every wire accepts it, the same for a call and for its result. */
export function wireCallId(id: string): string {
  return wireName(id, "call");
}

/** A tool name as every wire accepts it, also one that the model made up. */
export function wireToolName(name: string): string {
  return wireName(name, "unnamed");
}

// The end of a long id is what tells it from others.
function wireName(name: string, otherwise: string): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  return name.replace(/[^\w-]/g, "_").slice(-maxLength) || otherwise;
}

/** Arguments as an object, for whoever accepts nothing else. Cut ones were never run, so nothing is lost with them. */
export function argumentsObject(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Arguments as JSON text of an object. */
export function argumentsText(value: unknown): string {
  return wellFormedJson(argumentsObject(value));
}
