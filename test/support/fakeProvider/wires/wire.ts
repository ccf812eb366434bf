import type { Finish, ScriptedUsage } from "../script.ts";

/** Writes one reply in the frames of one wire. Each method returns the text to send; a new part ends the open one. */
export interface ReplyWriter {
  begin(): string;
  text(delta: string, phase?: string): string;
  thinking(delta: string, signature: string): string;
  startTool(id: string, name: string, extra?: unknown): string;
  /** A call by free text, where the wire has them. */
  startFreeText?(id: string, name: string): string;
  toolArguments(delta: string): string;
  endPart(): string;
  /** Why the model stopped, and what it used. */
  finish(finish: Finish): string;
  /** What distinguishes a whole stream from a cut one. */
  endMarker(finish: Finish): string;
  failure(error: { type: string; message: string; code?: string }): string;
}

/** What a rule can match on, read from the body of one wire. */
export interface RequestView {
  model: string;
  system: string;
  lastUser: string;
  /** Absent if the request does not end with tool results. */
  lastToolResult?: string;
  tools: string[];
  turn: number;
}

export interface Wire {
  readRequest(body: JsonObject): RequestView;
  /** Without `usage`, none is reported. */
  writer(model: string, usage: Required<ScriptedUsage> | undefined, includeUsage: boolean): ReplyWriter;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The text of content that is a string or a list of parts with a `text`. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("");
}

/** One thing that a transcript holds, whatever the wire. */
export type Line = { by: "user" | "model" | "tool"; text: string };

/** Reads what rules match on from a transcript in order. Neighbouring lines of the model count as one reply. */
export function viewOf(lines: readonly Line[]): Pick<RequestView, "lastUser" | "lastToolResult" | "turn"> {
  const lastUserAt = lines.findLastIndex((line) => line.by === "user");
  const turn = lines.filter(
    (line, at) => at > lastUserAt && line.by === "model" && lines[at - 1]?.by !== "model",
  ).length;
  const results = lines.slice(lines.findLastIndex((line) => line.by !== "tool") + 1);
  return {
    lastUser: lines[lastUserAt]?.text ?? "",
    turn,
    ...(results.length > 0 ? { lastToolResult: results.map((line) => line.text).join("\n") } : {}),
  };
}
