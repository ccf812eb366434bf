import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMeta } from "../../../agent/types.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { userAgentId } from "../../../protocol/userAgent.ts";
import type { EditReview, ProposedChange } from "../../changes/model/change.ts";
import { diffSequences } from "../../changes/model/sequenceDiff.ts";
import { UserError } from "../../common/userError.ts";
import { keepLineEnds, majorityLineEnd } from "../../tools/text/keepLineEnds.ts";
import { placeholderLines } from "../../tools/text/placeholders.ts";
import type { Workspace } from "../../workspace/workspace.ts";

export interface ApplyCodeDependencies {
  workspace: Pick<Workspace, "canonicalPath" | "stat" | "read">;
  review: EditReview;
  isTrusted(): boolean;
  /** The file that the user works in. */
  activeFile(): string | undefined;
  signal: AbortSignal;
}

/** The user, not an agent. */
const userMeta: AgentMeta = { id: userAgentId, name: "You", prefix: "", depth: 0 };

/** Code of an answer becomes an edit that the user reviews like any other: of the file it names, or of the open one. */
export async function applyCode(
  intent: Pick<Extract<Intent, { type: "applyCode" }>, "text" | "path">,
  dependencies: ApplyCodeDependencies,
): Promise<void> {
  const { review, signal } = dependencies;
  if (!dependencies.isTrusted()) {
    throw new UserError(t("Files are not edited in Restricted Mode. Trust the workspace, or copy the code."));
  }
  const change = await changeFor(intent, dependencies);
  const proposal = { callId: randomUUID(), toolName: "apply_code", agent: userMeta, agentPath: ["You"] };
  await review.review({ ...proposal, changes: [change] }, signal);
}

async function changeFor(
  { text, path: named }: { text: string; path?: string },
  { workspace, activeFile, signal }: ApplyCodeDependencies,
): Promise<ProposedChange> {
  const given = named ?? activeFile();
  if (given === undefined) {
    throw new UserError(t("The code names no file. Open the file that it is for, and apply it again."));
  }
  const path = workspace.canonicalPath(given);
  const stat = await workspace.stat(path);
  if (stat === undefined) return { path, after: text.endsWith("\n") ? text : `${text}\n` };
  if (stat.kind === "directory") throw new UserError(t("{0} is a folder: code goes into a file.", path));
  const content = await workspace.read(path, signal);
  if (content.kind !== "text") throw new UserError(t("{0} is an image: there is no place for code in it.", path));
  const placed = placeCode(content.text, text);
  if ("problem" in placed) throw new UserError(problemText(placed.problem, path));
  if (placed.after === content.text) throw new UserError(t("{0} has this code already.", path));
  return { path, before: content.text, after: placed.after };
}

function problemText(problem: "leavesOut" | "nowhere" | "ambiguous", path: string): string {
  switch (problem) {
    case "leavesOut":
      return t("The code leaves parts of {0} out. Ask the agent to edit the file itself.", path);
    case "nowhere":
      return t(
        "Where this code belongs in {0} is not clear: its first and last lines are not there. Put the cursor in place and use Insert at cursor, or ask the agent to edit the file.",
        path,
      );
    case "ambiguous":
      return t(
        "This code fits more than one place in {0}. Put the cursor in place and use Insert at cursor, or ask the agent to edit the file.",
        path,
      );
    default:
      return problem satisfies never;
  }
}

/** A file's text with the code in its place, or why it has none. */
export type Placed = { after: string } | { problem: "leavesOut" | "nowhere" | "ambiguous" };

/** From this share of a file's lines on, code that begins like the file is the whole of it. */
const wholeFromStart = 0.5;
const whole = 0.8;

/**
 * Puts code from an answer into a file. It is either the whole file, or a part of it: then it replaces what is
 * between its own first and last line, since those are what people and models leave as they were.
 */
export function placeCode(before: string, code: string): Placed {
  const text = code.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
  if (placeholderLines(text, before).length > 0) return { problem: "leavesOut" };
  const lines = text.split("\n");
  const known = before.split(/\r\n|\r|\n/);
  if (before.trim() === "" || isWhole(known, lines)) return { after: withLineEnds(before, `${text}\n`) };
  const part = partOf(known, lines);
  if ("problem" in part) return part;
  const after = known.toSpliced(part.start, part.count, ...part.lines).join("\n");
  return { after: withLineEnds(before, after) };
}

function withLineEnds(before: string, after: string): string {
  return keepLineEnds(before, after, majorityLineEnd(before) ?? "\n");
}

function isWhole(known: readonly string[], lines: readonly string[]): boolean {
  const written = known.filter((line) => line.trim() !== "");
  const share = sharedLines(written, lines) / written.length;
  return share >= (written[0] === lines[0] ? wholeFromStart : whole);
}

function sharedLines(a: readonly string[], b: readonly string[]): number {
  return a.length - diffSequences(a, b).reduce((changed, { aStart, aEnd }) => changed + aEnd - aStart, 0);
}

interface Part {
  start: number;
  count: number;
  lines: string[];
}

function partOf(known: readonly string[], lines: readonly string[]): Part | Extract<Placed, { problem: string }> {
  const [first = ""] = lines;
  const starts = known.flatMap((line, index) => (line.trim() === first.trim() ? [index] : []));
  const parts = starts.flatMap((start) => partFrom(known, lines, start) ?? []);
  const [best, second] = parts.toSorted((a, b) => b.alike - a.alike);
  if (best === undefined) return { problem: "nowhere" };
  return second !== undefined && second.alike === best.alike ? { problem: "ambiguous" } : best;
}

/** The part that begins at a line; `alike` is how many of its lines the code keeps. */
function partFrom(
  known: readonly string[],
  lines: readonly string[],
  start: number,
): (Part & { alike: number }) | undefined {
  const indented = indentLike(known[start] ?? "", lines);
  const last = indented.at(-1);
  const from = lines.length === 1 ? start : start + 1;
  const end = known.findIndex((line, index) => index >= from && line.trimEnd() === last);
  if (end < 0) return undefined;
  const replaced = known.slice(start, end + 1);
  return { start, count: replaced.length, lines: indented, alike: sharedLines(replaced, indented) };
}

/** Code in an answer often is at the margin, wherever it comes from. */
function indentLike(line: string, lines: readonly string[]): string[] {
  const own = indentOf(lines[0] ?? "");
  const wanted = indentOf(line);
  return lines.map((each) => {
    if (each.trim() === "") return "";
    return (each.startsWith(own) ? wanted + each.slice(own.length) : each).trimEnd();
  });
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
