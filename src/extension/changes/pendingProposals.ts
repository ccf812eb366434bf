import { createHash, randomUUID } from "node:crypto";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import { PendingDecisions, type QueuedDecision } from "../approvals/pendingDecisions.ts";
import { onAbort } from "../common/abort.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { CallOrigin } from "./journal/callRecord.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import { type EditProposal, type OpenProposal, pendingHunks, proposersOf, type ReviewOutcome } from "./model/change.ts";
import { approvalOf, approvalOutcome, outcomeOf } from "./outcome.ts";
import type { ReviewedWorkspace } from "./reviewedWorkspace.ts";

/** Called with the event, and who waits for the answer that it is about. */
export type EmitProposal = (event: HostEvent, proposers: readonly EditProposal[]) => void;

/** Where the questions of a chat go. */
export interface ProposingChat {
  chat: object;
  emit: EmitProposal;
  /** Where the journal has a proposal. Undefined: it has not. */
  originOf(proposal: EditProposal): CallOrigin | undefined;
}

interface PendingDependencies {
  store: ChangeStore;
  workspace: ReviewedWorkspace;
  newId(): string;
  journal?: EditJournal;
  /** Runs a step when no write is under way. */
  inTurn<T>(step: () => Promise<T>): Promise<T>;
}

/** One call that waits for a proposal's end, or those of an earlier window. */
interface ProposalRequest {
  proposers: readonly EditProposal[];
  emit: EmitProposal;
}

/**
 * The proposals that wait for the user, as decisions in their chats: what agents of one chat propose alike is one
 * decision, whose answer is the proposal as it is at its end.
 */
export class PendingProposals {
  readonly #dependencies: PendingDependencies;
  readonly #decisions: PendingDecisions<ProposalRequest, OpenProposal>;
  /** By chat. */
  readonly #scopes = new WeakMap<object, string>();
  /** By id, as their chats were shown them: the hunks in conflict. */
  readonly #shownConflicts = new Map<string, string>();
  #isShowingDue = false;

  constructor(dependencies: PendingDependencies) {
    this.#dependencies = dependencies;
    this.#decisions = new PendingDecisions({
      newId: dependencies.newId,
      show: (decision, isNew) => this.#showDecision(decision, isNew),
      close: (decision, proposal) => this.#closeDecision(decision, proposal),
    });
    dependencies.store.onDidChange(() => this.#showConflicts(), "proposals");
  }

  /** The id of the very same that waits in the chat already. */
  findSame(chat: object, proposal: EditProposal): string | undefined {
    return this.#decisions.findSame(this.#scopeOf(chat), proposalKey(proposal))?.id;
  }

  /**
   * Shows it, and resolves with what became of it. An abort withdraws it in turn, so that no write is under way; what others
   * propose as well stays open for them.
   */
  async wait(
    id: string,
    proposal: EditProposal,
    { chat, emit }: ProposingChat,
    signal: AbortSignal,
  ): Promise<ReviewOutcome> {
    const { store, workspace, inTurn } = this.#dependencies;
    const withdrawal = new AbortController();
    let withdrawn: OpenProposal | undefined;
    const withdraw = async () => {
      withdrawn = withdrawnFrom(store.proposal(id));
      withdrawal.abort();
    };
    const listening = onAbort(signal, () => void inTurn(withdraw));
    try {
      const how = { id, scope: this.#scopeOf(chat), key: proposalKey(proposal) };
      const closed = this.#decisions.wait({ proposers: [proposal], emit }, withdrawal.signal, how);
      proposal.asked?.();
      return await outcomeOf(workspace, await closed, "unanswered");
    } catch (error) {
      if (withdrawn === undefined || error !== withdrawal.signal.reason) throw error;
      return await outcomeOf(workspace, withdrawn, "unanswered");
    } finally {
      listening.dispose();
    }
  }

  /** The same for what an earlier window left: no call waits for it any more. */
  adopt(id: string, proposers: readonly EditProposal[], emit: EmitProposal): void {
    void this.#decisions.wait({ proposers, emit }, new AbortController().signal, { id });
  }

  /** Shown again, it takes the place it had. */
  show(id: string): void {
    const proposal = this.#dependencies.store.proposal(id);
    if (proposal === undefined) return;
    this.#shownConflicts.set(id, conflictsOf(proposal));
    this.emit(id, { type: "approval_requested", approval: approvalOf(proposal) });
  }

  /** Shows those again that can't be written any more, or can again, because a file's text is another one now. */
  #showConflicts(): void {
    const { store, inTurn } = this.#dependencies;
    const outdated = () =>
      store.proposals.filter((each) => {
        const shown = this.#shownConflicts.get(each.id);
        return shown !== undefined && shown !== conflictsOf(each);
      });
    if (this.#isShowingDue || outdated().length === 0) return;
    this.#isShowingDue = true;
    // What is being written counts as accepted, and may yet fail.
    void inTurn(async () => {
      this.#isShowingDue = false;
      for (const { id } of outdated()) this.show(id);
    });
  }

  emit(id: string, event: HostEvent): void {
    const proposal = this.#dependencies.store.proposal(id);
    const [first] = this.#decisions.find(id)?.requests ?? [];
    first?.emit(event, proposal === undefined ? [] : proposersOf(proposal));
  }

  /** It is answered, or not proposed any more. */
  close(id: string): void {
    const proposal = this.#dependencies.store.proposal(id);
    if (proposal !== undefined) this.#decisions.answer(id, proposal);
  }

  #scopeOf(chat: object): string {
    const scope = this.#scopes.get(chat) ?? randomUUID();
    this.#scopes.set(chat, scope);
    return scope;
  }

  #showDecision({ id, requests }: QueuedDecision<ProposalRequest>, isNew: boolean): void {
    const { store, journal } = this.#dependencies;
    const open = store.proposal(id);
    const [first, ...same] = requests.flatMap(({ proposers }) => proposers);
    if (!isNew && open !== undefined && first !== undefined) {
      store.replaceProposal({ ...open, proposal: first, same });
      void journal?.save([id]);
    }
    this.show(id);
  }

  #closeDecision({ id, requests }: QueuedDecision<ProposalRequest>, answer: OpenProposal | undefined): void {
    const { store, journal } = this.#dependencies;
    const closed = answer ?? withdrawnFrom(store.proposal(id));
    if (closed === undefined) return;
    journal?.settle(closed);
    const outcome = approvalOutcome(closed);
    requests[0]?.emit({ type: "approval_closed", approvalId: id, outcome }, proposersOf(closed));
    this.#shownConflicts.delete(id);
    store.removeProposal(id);
  }
}

function conflictsOf({ files }: OpenProposal): string {
  const conflicted = files.flatMap((file) => pendingHunks(file).filter((hunk) => hunk.conflicted));
  return conflicted.map(({ id }) => id).join(" ");
}

function withdrawnFrom(proposal: OpenProposal | undefined): OpenProposal | undefined {
  return proposal && { ...proposal, withdrawn: true };
}

/** Equal for agents who propose the very same: the same files from the same text to the same text. */
function proposalKey({ changes, writesItself }: EditProposal): string {
  const texts = changes.map(({ path, before, after, movedTo, follows }) => [path, before, after, movedTo, follows]);
  return createHash("sha256")
    .update(JSON.stringify([writesItself === true, ...texts]))
    .digest("base64");
}
