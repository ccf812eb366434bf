import type { HunkDecision } from "../../protocol/hostEvents.ts";
import {
  type OpenProposal,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
  type WrittenFile,
} from "./model/change.ts";
import { fittingEdits, type LineEdit, withText } from "./model/lineEdit.ts";
import { editorLines, sameLines } from "./model/pieces.ts";
import { textOf } from "./model/trackedLines.ts";
import { typeInto } from "./model/trackText.ts";
import type { UndoneFile } from "./undoWritten.ts";

/** The open proposals of all agents, oldest first, and who wants to know when they change. */
export class ProposalStore {
  #proposals: readonly OpenProposal[] = [];
  readonly #listeners = new Set<() => void>();

  get proposals(): readonly OpenProposal[] {
    return this.#proposals;
  }

  /** Hears of every change, and reads what it needs from `proposals`. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  find(proposalId: string): OpenProposal | undefined {
    return this.#proposals.find(({ id }) => id === proposalId);
  }

  file(proposalId: string, path: string): ProposedFile | undefined {
    return this.find(proposalId)?.files.find((file) => file.path === path);
  }

  add(proposal: OpenProposal): void {
    this.#set([...this.#proposals, proposal]);
  }

  remove(proposalId: string): void {
    this.#set(this.#proposals.filter(({ id }) => id !== proposalId));
  }

  replace(proposal: OpenProposal): void {
    this.#set(this.#proposals.map((open) => (open.id === proposal.id ? proposal : open)));
  }

  decide(hunkIds: ReadonlySet<string>, decision: HunkDecision, reason?: string): void {
    const decided = ({ reason: _, ...hunk }: ProposedHunk): ProposedHunk => ({
      ...hunk,
      decision,
      ...(reason === undefined ? {} : { reason }),
    });
    this.#mapFiles((file) =>
      file.hunks.some(({ id }) => hunkIds.has(id))
        ? { ...file, hunks: file.hunks.map((hunk) => (hunkIds.has(hunk.id) ? decided(hunk) : hunk)) }
        : file,
    );
  }

  /** A file's text is now this one: by these edits, or when they do not lead there, by whatever ones do. */
  setText(path: string, text: string, edits: readonly LineEdit[] = []): void {
    const lines = editorLines(text);
    this.#mapFiles((file) => {
      if (file.path !== path || sameLines(file.lines, lines)) return file;
      return withText(file, lines, fittingEdits(file.lines, edits, lines));
    });
  }

  isPending(path: string): boolean {
    return this.#proposals.some(({ files }) =>
      files.some((file) => file.path === path && pendingHunks(file).length > 0),
    );
  }

  #mapFiles(change: (file: ProposedFile) => ProposedFile): void {
    const proposals = this.#proposals.map((proposal) => {
      const files = proposal.files.map(change);
      return files.every((file, index) => file === proposal.files[index]) ? proposal : { ...proposal, files };
    });
    if (proposals.some((proposal, index) => proposal !== this.#proposals[index])) this.#set(proposals);
  }

  #set(proposals: readonly OpenProposal[]): void {
    this.#proposals = proposals;
    for (const listener of [...this.#listeners]) listener();
  }
}

const mostUndone = 20;

/** The files with pending hunks, and who wants to know when they change. */
export class AppliedStore {
  #files: ReadonlyMap<string, WrittenFile> = new Map();
  #undone: readonly (readonly UndoneFile[])[] = [];
  readonly #listeners = new Set<() => void>();

  get files(): readonly WrittenFile[] {
    return [...this.#files.values()];
  }

  /** What was undone and can be redone, by undo, the latest last. */
  get undone(): readonly (readonly UndoneFile[])[] {
    return this.#undone;
  }

  setUndone(undone: readonly (readonly UndoneFile[])[]): void {
    if (undone.length === 0 && this.#undone.length === 0) return;
    this.#undone = undone.slice(-mostUndone);
    this.#notify();
  }

  /** Hears of every change, and reads what it needs from `files`. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  find(path: string): WrittenFile | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Takes a file in as it is now; one without hunks is forgotten. */
  put(file: WrittenFile): void {
    if (this.#files.get(file.path) === file) return;
    const files = new Map(this.#files);
    if (file.hunks.length > 0) files.set(file.path, file);
    else if (!files.delete(file.path)) return;
    this.#files = files;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** A file's text is now this one: by these edits, or when they do not lead there, by whatever ones do. */
  setText(path: string, text: string, edits: readonly LineEdit[] = []): void {
    const file = this.#files.get(path);
    if (file !== undefined && textOf(file) !== text) this.put(typeInto(file, text, edits));
  }
}
