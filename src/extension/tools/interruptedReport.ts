import type { Hunk } from "../changes/model/diffLines.ts";
import { hunksText } from "./editReport.ts";

/** What became of a hunk of a call that the end of the editor cut off. */
export type InterruptedHunkState =
  /** Written by an answer that was given since. */
  | "written"
  /** Written before, unasked. */
  | "inFile"
  /** Written before, and to be kept or undone. */
  | "onDisk"
  | "kept"
  | "undone"
  /** Written before; its lines were changed since. */
  | "changed"
  /** Written before, and not there any more. */
  | "gone"
  /** Accepted, and the file had it already. */
  | "accepted"
  | "rejected"
  /** It was not answered. */
  | "waiting"
  /** It was not answered, and its lines changed. */
  | "conflicted"
  /** No answer was wanted, and it was not written. */
  | "unwritten";

export interface InterruptedFile {
  path: string;
  /** "moved to other.ts", for example; empty for an edit in place. */
  what: string;
  hunks: readonly { hunk: Hunk; state: InterruptedHunkState; reason?: string }[];
}

const stateWords: Readonly<Record<InterruptedHunkState, string>> = {
  written: "Accepted by the user and written",
  inFile: "Written before the interruption, and in the file",
  onDisk: "Written before the interruption, and in the file; the user may still undo it",
  kept: "Written before the interruption, and kept by the user",
  undone: "Written before the interruption, then undone by the user: it is not in the file",
  changed: "Written before the interruption; these lines were changed since, so read the file again",
  gone: "Written before the interruption, but not in the file any more",
  accepted: "Accepted by the user; the file had it already",
  rejected: "Rejected by the user",
  waiting: "Not written: the user has not answered yet",
  conflicted: "Not written: the lines changed meanwhile, and the user has not answered yet",
  unwritten: "Not written: the interruption came first",
};

const interrupted = "the editor was closed or reloaded";
const opening = "This call was interrupted";

/** The result of a call that gave none itself. */
export function isInterruptedResult(text: string): boolean {
  return text.startsWith(opening);
}

/** Of a call that waited for the user. */
export const interruptedWait = `${opening} while it waited for the user's answer: ${interrupted}. It did nothing.`;

/** Of a call of which nothing else is known. */
export const interruptedCall = `${opening} before it gave a result: ${interrupted}.`;

/** For the model: what became of an edit whose call was interrupted. */
export function interruptedEdit(files: readonly InterruptedFile[]): string {
  return `${opening}: ${interrupted}. What became of its edit:\n${editedFiles(files)}`;
}

/** Edits of agents that worked for an interrupted call: `report` says what became of each. */
export function interruptedDelegation(edits: readonly { agent: string; toolName: string; report: string }[]): string {
  const list = edits.map(({ agent, toolName, report }) => `${agent}, ${toolName}:\n${report}`);
  return `${interruptedCall} What its agents edited:\n\n${list.join("\n\n")}`;
}

export function editedFiles(files: readonly InterruptedFile[]): string {
  return files.map(fileReport).join("\n");
}

function fileReport({ path, what, hunks }: InterruptedFile): string {
  const title = what === "" ? path : `${path} (${what})`;
  return [`${title}:`, ...hunks.map((each) => `- ${stateText(each)}${linesOf(each.hunk)}`)].join("\n");
}

function stateText({ state, reason }: InterruptedFile["hunks"][number]): string {
  if (state !== "rejected") return stateWords[state];
  return `${stateWords.rejected} ${reason === undefined || reason === "" ? "without a reason" : `saying: ${JSON.stringify(reason)}`}`;
}

function linesOf(hunk: Hunk): string {
  return hunk.oldLines.length + hunk.newLines.length === 0 ? "" : `\n${hunksText([hunk])}`;
}
