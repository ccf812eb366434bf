import type { HunkDecision } from "../../protocol/hostEvents.ts";
import { movedWith } from "../workspace/search/fileTree.ts";
import {
  type OpenProposal,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
  type TrackedFile,
} from "./model/change.ts";
import { rebasedHunk } from "./model/fitHunks.ts";
import { fittingEdits, type LineEdit, withText } from "./model/lineEdit.ts";
import { editorLines, sameLines } from "./model/pieces.ts";
import { liveText } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import type { UndoneFile } from "./undoWritten.ts";

const maxUndone = 20;

type ChangedPart = "proposals" | "files" | "undone";

/**
 * What agents change and the user has not decided about: open proposals, and files with written hunks that may still be
 * kept or undone. Both follow what becomes of the files' text. All of it is immutable: every change makes new values.
 */
export class ChangeStore {
  #proposals: readonly OpenProposal[] = [];
  #files: readonly TrackedFile[] = [];
  #undone: readonly (readonly UndoneFile[])[] = [];
  #underWay: readonly UndoneFile[] = [];
  readonly #listeners = new Set<{ listener: () => void; of: ChangedPart | undefined }>();

  /** Of all agents, oldest first. */
  get proposals(): readonly OpenProposal[] {
    return this.#proposals;
  }

  /** With written hunks, in the order in which they were first written to. */
  get files(): readonly TrackedFile[] {
    return this.#files;
  }

  /** What was undone and can be redone, by undo, the latest last. */
  get undone(): readonly (readonly UndoneFile[])[] {
    return this.#undone;
  }

  /** Files of an undo, or of a redo, that is being made. */
  get underWay(): readonly UndoneFile[] {
    return this.#underWay;
  }

  /** Called after every change, or after those of one part; reads what it needs from the store. */
  onDidChange(listener: () => void, of?: ChangedPart): { dispose(): void } {
    const entry = { listener, of };
    this.#listeners.add(entry);
    return { dispose: () => void this.#listeners.delete(entry) };
  }

  /** Whether something waits for the user in this file. */
  has(path: string): boolean {
    const isPending = (file: ProposedFile) => file.path === path && pendingHunks(file).length > 0;
    return this.find(path) !== undefined || this.#proposals.some(({ files }) => files.some(isPending));
  }

  /**
   * A file's text is now this one: by these edits, or when they do not lead there, by whatever ones do. `isHistory`: by an
   * undo or a redo of the editor's.
   */
  setText(path: string, text: string, edits: readonly LineEdit[] = [], isHistory = false): void {
    this.setProposedText(path, text, edits);
    this.setWrittenText(path, text, edits, isHistory);
  }

  /** The same for what is proposed alone: an editor may have reported a newer text than a read gave. */
  setProposedText(path: string, text: string, edits: readonly LineEdit[] = []): void {
    const lines = editorLines(text);
    this.#mapProposed((file) => {
      if (file.path !== path || sameLines(file.lines, lines)) return file;
      return withText(file, lines, fittingEdits(file.lines, edits, lines));
    });
  }

  /** The same for what is written alone. */
  setWrittenText(path: string, text: string, edits: readonly LineEdit[] = [], isHistory = false): void {
    const file = this.find(path);
    if (file !== undefined && liveText(file) !== text) this.put(typeInto(file, text, edits, isHistory));
  }

  proposal(id: string): OpenProposal | undefined {
    return this.#proposals.find((proposal) => proposal.id === id);
  }

  proposedFile(proposalId: string, path: string): ProposedFile | undefined {
    return this.proposal(proposalId)?.files.find((file) => file.path === path);
  }

  addProposal(proposal: OpenProposal): void {
    this.#setProposals([...this.#proposals, proposal]);
  }

  removeProposal(id: string): void {
    this.#setProposals(this.#proposals.filter((proposal) => proposal.id !== id));
  }

  replaceProposal(proposal: OpenProposal): void {
    this.#setProposals(this.#proposals.map((open) => (open.id === proposal.id ? proposal : open)));
  }

  decide(hunkIds: ReadonlySet<string>, decision: HunkDecision, reason?: string): void {
    const decided = ({ reason: _, ...hunk }: ProposedHunk): ProposedHunk => ({
      ...hunk,
      decision,
      ...(reason === undefined ? {} : { reason }),
    });
    this.#mapProposed((file) =>
      file.hunks.some(({ id }) => hunkIds.has(id))
        ? { ...file, hunks: file.hunks.map((hunk) => (hunkIds.has(hunk.id) ? decided(hunk) : hunk)) }
        : file,
    );
  }

  /** These replace from now on what their lines have become. */
  rebase(path: string, hunkIds: ReadonlySet<string>, text: string): void {
    this.#mapProposed((file) =>
      file.path === path && file.hunks.some(({ id }) => hunkIds.has(id))
        ? { ...file, hunks: file.hunks.map((hunk) => (hunkIds.has(hunk.id) ? rebasedHunk(file, hunk, text) : hunk)) }
        : file,
    );
  }

  /** The written hunks of a file. */
  find(path: string): TrackedFile | undefined {
    return this.#files.find((file) => file.path === path);
  }

  /** A file with its written hunks as it is now; one without any is forgotten. */
  put(file: TrackedFile): void {
    const at = this.#files.findIndex(({ path }) => path === file.path);
    if (at < 0 ? file.hunks.length === 0 : this.#files[at] === file) return;
    if (file.hunks.length === 0) this.#files = this.#files.toSpliced(at, 1);
    else this.#files = at < 0 ? [...this.#files, file] : this.#files.with(at, file);
    this.#notify("files");
  }

  /** The user moved a file, or a folder with all in it. What an agent deleted stays where it was. */
  followRename(from: string, to: string): void {
    const isDeleted = ({ hunks }: TrackedFile) => hunks.at(-1)?.kind === "delete";
    const moved = new Map<string, TrackedFile>();
    for (const file of this.#files) {
      const path = isDeleted(file) ? undefined : movedWith(file.path, from, to);
      if (path !== undefined) moved.set(file.path, { ...file, path });
    }
    if (moved.size === 0) return;
    const taken = new Set([...moved.values()].map(({ path }) => path));
    const others = this.#files.filter(({ path }) => moved.has(path) || !taken.has(path));
    this.#files = others.map((file) => moved.get(file.path) ?? file);
    this.#notify("files");
  }

  setUndone(undone: readonly (readonly UndoneFile[])[], underWay = this.#underWay): void {
    if ([undone, this.#undone, underWay, this.#underWay].every(({ length }) => length === 0)) return;
    this.#undone = undone.slice(-maxUndone);
    this.#underWay = underWay;
    this.#notify("undone");
  }

  #mapProposed(change: (file: ProposedFile) => ProposedFile): void {
    const proposals = this.#proposals.map((proposal) => {
      const files = proposal.files.map(change);
      return files.every((file, index) => file === proposal.files[index]) ? proposal : { ...proposal, files };
    });
    if (proposals.some((proposal, index) => proposal !== this.#proposals[index])) this.#setProposals(proposals);
  }

  #setProposals(proposals: readonly OpenProposal[]): void {
    this.#proposals = proposals;
    this.#notify("proposals");
  }

  #notify(part: ChangedPart): void {
    for (const { listener, of } of [...this.#listeners]) if (of === undefined || of === part) listener();
  }
}
