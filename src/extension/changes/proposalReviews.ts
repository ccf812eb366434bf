import type { HostEvent } from "../../protocol/hostEvents.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { together } from "../common/userError.ts";
import { type AcceptContext, type AcceptTarget, acceptHunks, rebaseHunks } from "./acceptHunks.ts";
import type { JournaledCall } from "./journal/callRecord.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import {
  type EditProposal,
  type EditReview,
  type OpenProposal,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
  type ReviewOutcome,
} from "./model/change.ts";
import { type EditedProposal, openProposal, repropose } from "./model/openProposal.ts";
import { editorLines, sameLines } from "./model/pieces.ts";
import { meansProposal, type ProposalScope, selectHunks, withFollowers, withTwins } from "./model/scope.ts";
import { currentTextsOf, outcomeOf } from "./outcome.ts";
import { type EmitProposal, PendingProposals, type ProposingChat } from "./pendingProposals.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

interface ReviewDependencies extends AcceptContext {
  newId(): string;
  /** Where what waits is found again after a crash. Default: nowhere. */
  journal?: EditJournal;
  /** The workspace as the proposal's agent writes to it. Default: the same. */
  workspaceFor?(proposal: EditProposal, proposalId: string): ReviewedWorkspace;
}

/**
 * The answers to proposals. Only an explicit command answers; commands run one after another, so that each meets the
 * text as the one before left it. A proposal is over when none of its hunks is pending after a command, or when it is
 * withdrawn.
 */
export class ProposalReviews {
  readonly #dependencies: ReviewDependencies;
  /** Ids of proposals that were edited since their chat last showed them. */
  readonly #edited = new Set<string>();
  readonly #queue = new SerialQueue();
  readonly #pending: PendingProposals;

  constructor(dependencies: ReviewDependencies) {
    this.#dependencies = dependencies;
    this.#pending = new PendingProposals({ ...dependencies, inTurn: (step) => this.inTurn(step) });
  }

  /** Reviews whose approvals go to one chat's log. What agents of the same `chat` propose alike is one question. */
  reviewFor(emit: EmitProposal, chat: object = {}, originOf: ProposingChat["originOf"] = () => undefined): EditReview {
    return { chat, review: (proposal, signal) => this.#review(proposal, signal, { chat, emit, originOf }) };
  }

  /** Asks again about what an earlier window left unanswered. No call waits for the outcome: the journal has it. */
  async adopt(call: JournaledCall, emit: EmitProposal): Promise<void> {
    const { store, journal } = this.#dependencies;
    const { id, proposal, same, files, hunkCount } = call;
    await journal?.adopt(call, () => store.proposal(id));
    store.addProposal({ id, proposal, same, files, hunkCount });
    this.#pending.adopt(id, [proposal, ...same], emit);
  }

  /** It is not proposed any more. To be called in turn with the answers. */
  withdraw(proposalId: string): void {
    this.#pending.close(proposalId);
  }

  /** Shows a proposal again: something about it changed that is known elsewhere. */
  showAgain(proposalId: string): void {
    this.#pending.show(proposalId);
  }

  /** Runs a step after the answers given so far and before those that follow, so that no write is under way. */
  inTurn<T>(command: () => Promise<T>): Promise<T> {
    return this.#queue.run(command);
  }

  /**
   * Writes what is meant and fits; hunks in conflict stay pending. Gives how many those are. Throws a `UserError` when
   * a file can't be written, after the others were.
   */
  accept(scope: ProposalScope): Promise<number> {
    return this.#accept(scope, (context, target) => this.#take(context, target));
  }

  /** The same, over what has become of the lines of hunks in conflict. */
  acceptOver(scope: ProposalScope): Promise<number> {
    return this.#accept(scope, async (context, target) => {
      await rebaseHunks(context, target);
      await this.#take(context, target);
    });
  }

  async #take(context: AcceptContext, target: AcceptTarget): Promise<void> {
    const open = context.store.proposal(target.proposalId);
    if (open?.proposal.writesItself !== true) return acceptHunks(context, target);
    const [meant] = selectHunks([open], target);
    const ids = meant?.hunks.flatMap(({ id, conflicted }) => (target.hunkIds.has(id) && !conflicted ? id : [])) ?? [];
    context.store.decide(new Set(ids), "accepted");
  }

  #accept(
    scope: ProposalScope,
    acceptIn: (context: AcceptContext, target: AcceptTarget) => Promise<void>,
  ): Promise<number> {
    return this.inTurn(async () => {
      const { store } = this.#dependencies;
      const errors: unknown[] = [];
      const meant = selectHunks(store.proposals, scope);
      for (const { proposalId, file, hunks } of meant) {
        const target = { proposalId, path: file.path, hunkIds: new Set(hunks.map(({ id }) => id)) };
        const write = () =>
          acceptIn(this.#contextOf(proposalId), target).catch((error: unknown) => void errors.push(error));
        // Shown file by file: a write can take as long as what runs on save.
        await this.#answering(write).catch((error: unknown) => void errors.push(error));
      }
      await this.#closeEmptied(scope).catch((error: unknown) => void errors.push(error));
      if (errors.length > 0) throw together(errors);
      const ids = new Set(meant.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
      return selectHunks(store.proposals, scope).flatMap(({ hunks }) => hunks.filter(({ id }) => ids.has(id))).length;
    });
  }

  reject(scope: ProposalScope, reason?: string): Promise<void> {
    return this.inTurn(async () => {
      const { store } = this.#dependencies;
      if (reason !== undefined) this.#noteReason(scope, reason);
      await this.#answering(async () => {
        for (const selection of withFollowers(store.proposals, selectHunks(store.proposals, scope))) {
          store.decide(withTwins(store.proposals, selection), "rejected", reason);
        }
      });
      await this.#closeEmptied(scope);
    });
  }

  /**
   * The user edited the proposed text of a file. To be called in turn with the answers.
   */
  editProposed(proposalId: string, path: string, file: EditedProposal): void {
    const proposal = this.#dependencies.store.proposal(proposalId);
    const changed = proposal && repropose(proposal, path, file);
    if (changed === undefined) return;
    this.#dependencies.store.replaceProposal(changed);
    this.#edited.add(proposalId);
    void this.#dependencies.journal?.save([proposalId]);
  }

  /** Shows edited proposals in their chats. Code that reports single keystrokes calls this at their end. */
  showEdits(): void {
    for (const proposalId of this.#edited) {
      this.#pending.show(proposalId);
    }
    this.#edited.clear();
  }

  async #review(proposal: EditProposal, signal: AbortSignal, asked: ProposingChat): Promise<ReviewOutcome> {
    const { store, newId, workspace, journal } = this.#dependencies;
    const findSame = () => (signal.aborted ? undefined : this.#pending.findSame(asked.chat, proposal));
    const answer = (id: string) => this.#pending.wait(id, proposal, asked, signal);
    const known = findSame();
    if (known !== undefined) return answer(known);
    const current = await currentTextsOf(workspace, proposal);
    const opened = openProposal(newId(), proposal, current);
    const nothingToAsk = opened.files.every((file) => file.hunks.length === 0);
    // After a crash no process is left to write it.
    const origin = nothingToAsk || proposal.writesItself ? undefined : asked.originOf(proposal);
    // What is shown is stored already. Another of the same may come meanwhile.
    if (origin !== undefined) await journal?.open(origin, opened, () => store.proposal(opened.id));
    const same = findSame();
    if (same !== undefined || signal.aborted) journal?.forget(opened.id);
    if (same !== undefined) return answer(same);
    if (signal.aborted || nothingToAsk) return outcomeOf(workspace, opened, "unanswered");
    store.addProposal(opened);
    return answer(opened.id);
  }

  #contextOf(proposalId: string): AcceptContext {
    const { workspace, workspaceFor, store } = this.#dependencies;
    const proposal = store.proposal(proposalId)?.proposal;
    const own = proposal === undefined ? undefined : workspaceFor?.(proposal, proposalId);
    return { ...this.#dependencies, workspace: own ?? workspace };
  }

  /** Shows in the chats what a command decided and closes the proposals that it answered. */
  async #answering(command: () => Promise<void>): Promise<void> {
    const { store, journal } = this.#dependencies;
    this.showEdits();
    const pendingBefore = new Set(selectHunks(store.proposals, {}).flatMap(({ hunks }) => hunks.map(({ id }) => id)));
    await command();
    const isDecided = ({ id, decision }: ProposedHunk) => decision !== "pending" && pendingBefore.has(id);
    const failures: unknown[] = [];
    for (const open of store.proposals) {
      if (open.files.some(({ hunks }) => hunks.some(isDecided))) failures.push(...(await this.#writeWanted(open)));
    }
    const answered = store.proposals.filter(({ files }) => files.some(({ hunks }) => hunks.some(isDecided)));
    await journal?.save(answered.map(({ id }) => id));
    for (const { id: approvalId, files } of store.proposals) {
      const hunks = files.flatMap((file) => file.hunks);
      const decided = hunks.filter(isDecided);
      for (const hunk of decided) this.#pending.emit(approvalId, hunkDecided(approvalId, hunk));
      if (decided.length > 0 && hunks.every(({ decision }) => decision !== "pending")) this.#pending.close(approvalId);
    }
    if (failures.length > 0) throw together(failures);
  }

  /**
   * Of what an agent would write itself, where every hunk is answered and not all of it is wanted as it is, or the agent
   * would overwrite what it has not seen: what is wanted is written here. Hunks that can't be written wait for another
   * answer.
   */
  async #writeWanted(open: OpenProposal): Promise<unknown[]> {
    const { store } = this.#dependencies;
    const { id: proposalId, proposal, files } = open;
    const isAnswered = files.every((file) => pendingHunks(file).length === 0);
    if (proposal.writesItself !== true || !isAnswered) return [];
    if (open.writtenHere === undefined && isWantedWhole(files) && (await this.#isAsSeen(open))) return [];
    const failures: unknown[] = [];
    for (const { path, hunks } of files) {
      const written = store.proposal(proposalId)?.writtenHere;
      const isWanted = ({ id, decision }: ProposedHunk) => decision === "accepted" && written?.has(id) !== true;
      const hunkIds = new Set(hunks.filter(isWanted).map(({ id }) => id));
      if (hunkIds.size === 0) continue;
      store.decide(hunkIds, "pending");
      const write = acceptHunks(this.#contextOf(proposalId), { proposalId, path, hunkIds });
      await write.catch((error: unknown) => void failures.push(error));
      this.#noteWritten(proposalId, path, hunkIds);
    }
    const isOpen = selectHunks(store.proposals, { proposalId }).length > 0;
    if (isOpen) this.#pending.show(proposalId);
    return failures;
  }

  #noteWritten(proposalId: string, path: string, hunkIds: ReadonlySet<string>): void {
    const { store } = this.#dependencies;
    const open = store.proposal(proposalId);
    const now = store.proposedFile(proposalId, path)?.hunks ?? [];
    const ids = now.flatMap(({ id, decision }) => (hunkIds.has(id) && decision === "accepted" ? id : []));
    if (open === undefined || ids.length === 0) return;
    store.replaceProposal({ ...open, writtenHere: new Set([...(open.writtenHere ?? []), ...ids]) });
  }

  /** Whether the files on the disk hold what the agent made its edit for. */
  async #isAsSeen({ id, proposal: { changes } }: OpenProposal): Promise<boolean> {
    const { workspace } = this.#contextOf(id);
    const isSame = changes.map(async ({ path, before }) => {
      const now = await currentText(workspace, path).catch(() => undefined);
      if (now === undefined || before === undefined) return now?.text === before;
      return !now.unsaved && sameLines(editorLines(now.text), editorLines(before));
    });
    return (await Promise.all(isSame)).every(Boolean);
  }

  /** Where the user edited every change away, no hunk is left that could hold the reason. */
  #noteReason(scope: ProposalScope, reason: string): void {
    const { store } = this.#dependencies;
    if (scope.hunkId !== undefined) return;
    for (const proposal of store.proposals.filter(({ id }) => meansProposal(scope, id))) {
      const isMeant = ({ path, hunks }: ProposedFile) => hunks.length === 0 && (scope.path ?? path) === path;
      if (!proposal.files.some(isMeant)) continue;
      store.replaceProposal({
        ...proposal,
        files: proposal.files.map((file) => (isMeant(file) ? { ...file, reason } : file)),
      });
    }
  }

  /** An answer to a whole proposal also closes it when the user edited away what was left of it. */
  async #closeEmptied(scope: ProposalScope): Promise<void> {
    if (scope.hunkId !== undefined) return;
    const { store } = this.#dependencies;
    const failures: unknown[] = [];
    for (const open of store.proposals.filter(({ id }) => meansProposal(scope, id))) {
      failures.push(...(await this.#writeWanted(open)));
      const files = store.proposal(open.id)?.files ?? [];
      if (files.every((file) => pendingHunks(file).length === 0)) this.#pending.close(open.id);
    }
    if (failures.length > 0) throw together(failures);
  }
}

/** As the agent proposed it. */
function isWantedWhole(files: readonly ProposedFile[]): boolean {
  return files.every(
    ({ changedByUser, hunks }) => !changedByUser && hunks.every(({ decision }) => decision === "accepted"),
  );
}

function hunkDecided(approvalId: string, { id: hunkId, decision, reason }: ProposedHunk): HostEvent {
  return { type: "hunk_decided", approvalId, hunkId, decision, ...(reason === undefined ? {} : { reason }) };
}
