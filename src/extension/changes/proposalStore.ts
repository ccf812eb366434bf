import type { HunkDecision } from "../../protocol/hostEvents.ts";
import { sameLines } from "./model/fitHunk.ts";
import { editorLines, fittingEdits, type LineEdit } from "./model/lineEdit.ts";
import { type PendingProposal, pendingHunks, type ReviewedFile, type ReviewedHunk } from "./proposals.ts";
import { withText } from "./tracking.ts";

/** The open proposals of all agents, oldest first, and who wants to know when they change. */
export class ProposalStore {
  #proposals: readonly PendingProposal[] = [];
  readonly #listeners = new Set<() => void>();

  get proposals(): readonly PendingProposal[] {
    return this.#proposals;
  }

  /** Hears of every change, and reads what it needs from `proposals`. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  find(proposalId: string): PendingProposal | undefined {
    return this.#proposals.find(({ id }) => id === proposalId);
  }

  file(proposalId: string, path: string): ReviewedFile | undefined {
    return this.find(proposalId)?.files.find((file) => file.path === path);
  }

  add(proposal: PendingProposal): void {
    this.#set([...this.#proposals, proposal]);
  }

  remove(proposalId: string): void {
    this.#set(this.#proposals.filter(({ id }) => id !== proposalId));
  }

  replace(proposal: PendingProposal): void {
    this.#set(this.#proposals.map((open) => (open.id === proposal.id ? proposal : open)));
  }

  decide(hunkIds: ReadonlySet<string>, decision: HunkDecision, reason?: string): void {
    const decided = ({ reason: _, ...hunk }: ReviewedHunk): ReviewedHunk => ({
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

  #mapFiles(change: (file: ReviewedFile) => ReviewedFile): void {
    const proposals = this.#proposals.map((proposal) => {
      const files = proposal.files.map(change);
      return files.every((file, index) => file === proposal.files[index]) ? proposal : { ...proposal, files };
    });
    if (proposals.some((proposal, index) => proposal !== this.#proposals[index])) this.#set(proposals);
  }

  #set(proposals: readonly PendingProposal[]): void {
    this.#proposals = proposals;
    for (const listener of [...this.#listeners]) listener();
  }
}
