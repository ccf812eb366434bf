import type { AgentMeta } from "../../../agent/types.ts";
import type { HunkDecision } from "../../../protocol/hostEvents.ts";
import type { RemovedFile } from "../../workspace/workspace.ts";
import type { ExactHunk, Hunk } from "./diffLines.ts";
import type { Extent } from "./lineEdit.ts";

/** `before` is absent for a file to be added, `after` for one to be deleted, both for one to be moved as it is. */
export interface ProposedChange {
  path: string;
  before?: string;
  after?: string;
  /** Where the file goes. Nothing is there. */
  movedTo?: string;
  /** The path of a file of the same proposal with whose move this change is made, and never without it. */
  follows?: string;
}

/** What an agent wants to change, all from one tool call. */
export interface EditProposal {
  callId: string;
  toolName: string;
  agent: AgentMeta;
  /** Names from the root agent down, like ["main", "edit"]. */
  agentPath: readonly string[];
  changes: readonly ProposedChange[];
  /**
   * It is asked for whatever the mode says: it would replace a file, or lines that the user has changed as well, or it could
   * not be written unasked; `unwritten` is the error, for the user.
   */
  mustAsk?: "overwrites" | "conflicts" | { unwritten: string };
  /**
   * The agent writes it itself, if all of it is accepted and the files are as it saw them, and gets a no otherwise: then
   * what the user wants of it is written here once every hunk is answered. It is asked for in every mode.
   */
  writesItself?: true;
  /** Called when the question is shown: who proposes the very same from now on waits for its answer as well. */
  asked?(): void;
}

export interface HunkOutcome {
  hunk: Hunk;
  accepted: boolean;
  /** The user's reason for a rejection. */
  reason?: string;
  /** The lines it replaces changed, so that it could not be written. Not set on what the user rejected. */
  conflicted?: boolean;
  /** The run was stopped before the user answered. */
  unanswered?: boolean;
}

export interface FileOutcome {
  path: string;
  hunks: HunkOutcome[];
  /** The file's text after the review; absent when the file does not exist then. */
  text?: string;
  /** False when the document keeps unsaved text. */
  saved: boolean;
  /** The user changed the proposed text before accepting it. */
  changedByUser: boolean;
  /** Files in which the editor followed a move, like those that import what was moved. */
  followed?: readonly string[];
  /** Of a move: files of the proposal that were changed with it. */
  changedWith?: readonly string[];
}

export interface ReviewOutcome {
  files: FileOutcome[];
  /** What was accepted was written in place of the agent that would have. */
  isWritten?: true;
}

/** Shows a proposal, waits for the answers, writes what was accepted. An abort withdraws what is still open. */
export interface EditReview {
  /** The same for all reviews whose questions go to the same chat. */
  chat?: object;
  /** Which of the files may not be written, whatever the user answers, and why, for the model. Default: all may be. */
  denies?(edits: Pick<EditProposal, "agent" | "changes">): Promise<ReadonlyMap<string, string>>;
  review(proposal: EditProposal, signal: AbortSignal): Promise<ReviewOutcome>;
}

/** One tool call's edits while they wait for answers. Immutable: every change makes a new one. */
export interface OpenProposal {
  id: string;
  proposal: EditProposal;
  /** The very same, proposed by other agents of the chat; one answer is for all of them. */
  same: readonly EditProposal[];
  files: readonly ProposedFile[];
  /** How many hunks it has had; a hunk's id is never used again. */
  hunkCount: number;
  /** The run was stopped before every answer was given. */
  withdrawn?: boolean;
  /** Ids of hunks that were written in place of the agent that would have. */
  writtenHere?: ReadonlySet<string>;
}

export interface ProposedFile {
  path: string;
  change: "add" | "update" | "delete";
  /** The file goes there as it is: from its own path it is deleted, as one hunk without lines. */
  movedTo?: string;
  /** The file of the same proposal with whose move this is written, and never without it. */
  follows?: string;
  /** Files in which the editor followed the move. */
  followed?: readonly string[];
  /** Of the file as it is in the editor; empty when it is not known. */
  languageId: string;
  /** The current text's lines, as the editor counts them. */
  lines: readonly string[];
  /** The usual line end of the text the hunks were made for. */
  lineEnd: string;
  hunks: readonly ProposedHunk[];
  /** The user changed the proposed text. */
  changedByUser: boolean;
  /** The user's reason for a rejection after every change had been edited away; else they are with the hunks. */
  reason?: string;
  /** The hunks as the agent proposed them. */
  proposed: readonly ExactHunk[];
}

export interface ProposedHunk {
  id: string;
  hunk: ExactHunk;
  /** Where the lines it replaces are now. */
  extent: Extent;
  /** The lines it replaces changed: it can't be written as things are. */
  conflicted: boolean;
  decision: HunkDecision;
  /** The user's reason for a rejection. */
  reason?: string;
}

/** All whose answer it is, the first of them first. */
export function proposersOf({ proposal, same }: OpenProposal): readonly EditProposal[] {
  return [proposal, ...same];
}

/** As `authorName`; several are separated by commas. */
export function proposerNames(pending: OpenProposal): string {
  return proposersOf(pending)
    .map(({ agent, agentPath }) => authorName({ agentPath, ...titlePart(agent) }))
    .join(", ");
}

export function pendingHunks(file: ProposedFile): ProposedHunk[] {
  return file.hunks.filter((hunk) => hunk.decision === "pending");
}

/** Who wrote a hunk: ids and names from the root agent down. */
export interface Author {
  agentIds: readonly string[];
  agentPath: readonly string[];
  /** What the agent worked on, in a few words; absent for a root agent. */
  title?: string;
  /** The same for all that one tool call wrote. */
  editId: string;
  /** That tool call; absent where none is known. */
  callId?: string;
  /** The chat that it belongs to. */
  chatId?: string;
}

/** Like `main › Fix the totals`: agents of one name differ by their work. */
export function authorName({ agentPath, title }: Pick<Author, "agentPath" | "title">): string {
  return [...agentPath.slice(0, -1), title ?? agentPath.at(-1)].join(" › ");
}

interface FoundAuthor {
  agentId: string;
  /** By names alone. */
  path: string;
  label: string;
  /** Of hunks that are theirs or of agents below them. */
  count: number;
}

/** Those who wrote to files, and all above them. */
export function authorsOf(files: readonly TrackedFile[]): FoundAuthor[] {
  const found = new Map<string, FoundAuthor>();
  for (const { author } of files.flatMap(({ hunks }) => hunks)) {
    for (const [depth, agentId] of author.agentIds.entries()) {
      const isOwn = depth === author.agentIds.length - 1;
      const { label, count = 0 } = found.get(agentId) ?? {};
      const path = author.agentPath.slice(0, depth + 1).join(" › ");
      found.set(agentId, { agentId, path, label: isOwn ? authorName(author) : (label ?? path), count: count + 1 });
    }
  }
  return [...found.values()];
}

/** What names an agent's work in what it writes. */
export function titlePart({ label = "", depth }: AgentMeta): Pick<Author, "title"> {
  return label === "" || depth === 0 ? {} : { title: label };
}

/** A written change that may still be kept or undone. */
export interface WrittenHunk {
  id: string;
  author: Author;
  /** What undoing it does to the file, beside giving back the lines. */
  kind: "update" | "add" | "delete" | "move";
  /** As it was written; a move changes no lines. */
  hunk: ExactHunk;
  /** Where a moved file was. */
  movedFrom?: string;
  /** What a deleted file was beside its text. */
  removed?: RemovedFile;
  /** Ids of later hunks of the same agent that have become a part of this one. */
  merged?: readonly string[];
}

/**
 * A line that is in the file, or was there and may come back. Its origin is stored with it, not computed from
 * positions: whatever is typed, kept or undone around it in whatever order, each line stays where it belongs.
 */
export interface TrackedLine {
  text: string;
  /** Its line end; empty for a last line without one. */
  end: string;
  isLive: boolean;
  /** The pending hunk that wrote it. */
  by?: string;
  /** The pending hunk that removed it; it may be live all the same, when the user brought it back. */
  goneBy?: string;
  /** The user brought it back and then typed over it, so that it is gone by the user now, and not as the hunk left it. */
  isTypedOver?: true;
  /** The hunk that wrote it somewhere else in the file, from where the user moved it. It counts as the user's all the same. */
  movedFrom?: string;
}

/** A file with pending hunks. Immutable. */
export interface TrackedFile {
  path: string;
  /** Of the file as it is in the editor; empty when it is not known. */
  languageId: string;
  /** The live ones are the lines of the current text. */
  lines: readonly TrackedLine[];
  /** In the order they were written. */
  hunks: readonly WrittenHunk[];
}
