import { visibleLine } from "../approvals/requestText.ts";
import { diffLines } from "../changes/model/diffLines.ts";
import type { Content, ToolCallUpdate, ToolContent } from "./protocol.ts";

/** What is shown of a result; the agent itself knows the rest. */
const maxResultLength = 20_000;
export const maxLabelLength = 200;
/** Longer texts are not compared: it would take too long. */
const maxComparedLength = 200_000;

/** A tool call of a foreign agent as it was reported so far. */
export interface ForeignCall {
  /** Ours: theirs may come again, in another session or in the same one. */
  callId: string;
  toolName: string;
  label: string;
  kind: NonNullable<ToolCallUpdate["kind"]>;
  args: unknown;
  /** Undefined until something was reported. */
  content: readonly ToolContent[] | undefined;
  /** By its command, as much as is shown. */
  printed: string;
  rawOutput: unknown;
  paths: readonly string[];
}

export function newCall(callId: string): ForeignCall {
  return {
    ...{ callId, toolName: "", label: "", kind: "other", args: undefined },
    ...{ content: undefined, printed: "", rawOutput: undefined, paths: [] },
  };
}

/** The call with what an update says of it. */
export function updatedCall(call: ForeignCall, update: ToolCallUpdate): ForeignCall {
  const { title, name, kind, content, locations, rawInput, rawOutput } = update;
  const known = kind ?? call.kind;
  const printed = call.printed + (update._meta?.terminal_output_delta?.data ?? "");
  return {
    callId: call.callId,
    kind: known,
    toolName: toolNameOf(name ?? update._meta?.claudeCode?.toolName ?? call.toolName, known),
    label: title == null ? call.label : visibleLine(title, maxLabelLength),
    args: rawInput === undefined || rawInput === null ? call.args : rawInput,
    content: content ?? call.content,
    printed: printed.slice(0, maxResultLength + 1),
    rawOutput: rawOutput ?? call.rawOutput,
    paths: locations?.map(({ path }) => path) ?? call.paths,
  };
}

/** Another program's tool is never taken for one of ours. */
function toolNameOf(name: string, kind: string): string {
  const plain = name.replace(/[^\w.:-]/g, "_").slice(0, 60);
  if (plain === "") return `agent:${kind}`;
  return plain.startsWith("agent:") ? plain : `agent:${plain}`;
}

/** The arguments as they are shown: without any, the files that the call is about. */
export function argumentsOf({ args, paths, content = [] }: Pick<ForeignCall, "args" | "paths" | "content">): unknown {
  if (typeof args === "object" && args !== null && Object.keys(args).length > 0) return args;
  if (typeof args === "string" && args !== "") return { input: args };
  const changed = content.flatMap((part) => (part.type === "diff" ? [part.path] : []));
  const about = new Set(paths.length > 0 ? paths : changed);
  return about.size > 0 ? { paths: [...about] } : {};
}

/** What came of a call, as text. */
export function resultText({
  content = [],
  printed,
  rawOutput,
}: Pick<ForeignCall, "content" | "printed" | "rawOutput">): string {
  const text = content
    .map(toolContentText)
    .filter((part) => part !== "")
    .join("\n");
  return bounded([text, printed].find((part) => part !== "") ?? outputText(rawOutput));
}

/** The files that a call changes, as far as it says how. */
export function changeText({ content = [] }: Pick<ForeignCall, "content">): string {
  return bounded(
    content
      .filter(({ type }) => type === "diff")
      .map(toolContentText)
      .join("\n"),
  );
}

function toolContentText(part: ToolContent): string {
  switch (part.type) {
    case "content":
      return contentText(part.content);
    case "diff":
      return diffText(part.path, part.oldText ?? "", part.newText);
    case "terminal":
      return "";
    default:
      part satisfies never;
      return "";
  }
}

/** What is no text is named. */
export function contentText(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource_link":
      return content.uri;
    case "resource":
      return content.resource.text ?? content.resource.uri;
    default:
      return `[${content.type}]`;
  }
}

function diffText(path: string, before: string, after: string): string {
  if (before.length + after.length > maxComparedLength) return path;
  const lines = diffLines(before, after).flatMap(({ oldLines, newLines }) => [
    ...oldLines.map((line) => `-${line}`),
    ...newLines.map((line) => `+${line}`),
  ]);
  return [path, ...lines].join("\n");
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (typeof output !== "object" || output === null) return "";
  if ("output" in output && typeof output.output === "string") return output.output;
  return JSON.stringify(output);
}

function bounded(text: string): string {
  return text.length > maxResultLength ? `${text.slice(0, maxResultLength)}\n[…]` : text;
}
