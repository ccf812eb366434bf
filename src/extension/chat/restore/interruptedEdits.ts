// Long because one state machine takes interrupted edits from the journal through their answers to the model.
import type { Approval, ApprovalHunk, HostEvent } from "../../../protocol/hostEvents.ts";
import { userAgentId } from "../../../protocol/userAgent.ts";
import type { FinishedCall, JournaledCall } from "../../changes/journal/callRecord.ts";
import { type HunkFate, type Rechecked, recheckCall } from "../../changes/journal/recheck.ts";
import type { ProposedFile, ProposedHunk, WrittenHunk } from "../../changes/model/change.ts";
import { approvalOf, approvalOutcome } from "../../changes/outcome.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { WrittenAnswer } from "../../changes/writtenReviews.ts";
import { onAbort } from "../../common/abort.ts";
import {
  editedFiles,
  type InterruptedFile,
  type InterruptedHunkState,
  interruptedDelegation,
  interruptedEdit,
} from "../../tools/interruptedReport.ts";

export interface InterruptedEditsDependencies {
  journal: Pick<
    RegisteredReview["journal"],
    "left" | "adopt" | "adoptFinished" | "find" | "answer" | "forget" | "release"
  >;
  reviews: Pick<RegisteredReview["proposals"], "adopt" | "showAgain" | "inTurn" | "withdraw">;
  applied: Pick<RegisteredReview["written"], "adopt" | "onDidAnswer">;
  /** Of the written edits that wait for Keep or Undo. */
  isUndecided(hunkId: string): boolean;
  /** What the user's answer to them does. */
  answer(scope: { hunkId: string } | { editId: string }, answer: WrittenAnswer): Promise<void>;
  /** What a file holds; undefined where there is none. */
  currentText(path: string): Promise<string | undefined>;
}

interface Interrupted {
  /** As the window left it, checked against the files. */
  call: JournaledCall;
  fates: ReadonlyMap<string, HunkFate>;
  rechecked: Rechecked;
  isCardOpen: boolean;
}

/** A result for the model in place of the one that a call never gave. */
export interface InterruptedResult {
  text: string;
  /** Something of it was not answered, or not done. */
  isOpen: boolean;
}

/**
 * The edits of one chat whose calls the end of the editor cut off. Nothing of them is written without an answer: what
 * waited waits again, and what turned out to be written can be kept or undone.
 */
export class InterruptedEdits {
  readonly #dependencies: InterruptedEditsDependencies;
  readonly #calls = new Map<string, Interrupted>();
  #finished: readonly FinishedCall[];
  #emit: (event: HostEvent) => void = () => {};
  readonly #whenAnswered = new Set<() => void>();

  /** Undefined when no edit of the chat was cut off. To be called by who has the chat's session. */
  static async read(
    dependencies: InterruptedEditsDependencies,
    { chatId, hasResult }: { chatId: string; hasResult(rootCallId: string): boolean },
  ): Promise<InterruptedEdits | undefined> {
    const all = await dependencies.journal.left(chatId);
    const records = all.filter(({ rootCallId }) => !hasResult(rootCallId));
    for (const { id, rootCallId } of all) if (hasResult(rootCallId)) dependencies.journal.forget(id, chatId);
    if (records.length === 0) return undefined;
    const calls = records.filter((record) => record.kind === "open");
    const finished = records.filter((record) => record.kind === "finished");
    const texts = new Map<string, string | undefined>();
    for (const path of calls.flatMap(pathsOf)) {
      if (!texts.has(path)) texts.set(path, await dependencies.currentText(path));
    }
    const checked = calls.map(({ kind: _, ...call }): Interrupted => {
      const rechecked = recheckCall(call, (path) => texts.get(path));
      const { files, fates, written } = rechecked;
      return { call: { ...call, files, written, writing: [] }, fates, rechecked, isCardOpen: false };
    });
    return new InterruptedEdits(dependencies, checked, finished);
  }

  constructor(
    dependencies: InterruptedEditsDependencies,
    calls: readonly Interrupted[],
    finished: readonly FinishedCall[],
  ) {
    this.#dependencies = dependencies;
    this.#finished = finished;
    for (const each of calls) this.#calls.set(each.call.id, each);
  }

  /** Offers them to the user again. What becomes of them is kept from then on, until it is disposed. */
  async attach(emit: (event: HostEvent) => void): Promise<{ dispose(): void }> {
    const { journal, reviews, applied } = this.#dependencies;
    this.#emit = emit;
    const listening = applied.onDidAnswer((hunks, answer) => this.#answered(hunks, answer));
    await reviews.inTurn(async () => {
      for (const call of this.#finished) journal.adoptFinished(call);
      for (const { call, rechecked } of this.#calls.values()) {
        const { mode, isHandedOver, answers } = call;
        const isAsked = mode !== "off" && !isHandedOver;
        const unanswered = rechecked.onDisk.map((file) => ({
          ...file,
          hunks: file.hunks.filter(({ id }) => answers[id] === undefined),
        }));
        if (isAsked) await applied.adopt(unanswered.filter(({ hunks }) => hunks.length > 0));
      }
      for (const each of this.#calls.values()) await this.#offer(each);
    });
    return {
      dispose: () => {
        listening.dispose();
        this.#release();
      },
    };
  }

  /** The chat is closed: what waits in it is not shown any more, and kept as it is. */
  #release(): void {
    const { journal, reviews } = this.#dependencies;
    this.#emit = () => {};
    for (const { call } of this.#calls.values()) journal.release(call.chatId);
    for (const id of this.#calls.keys()) reviews.withdraw(id);
  }

  /** Some of them wait for the user, and nothing of them is written. */
  get isWaiting(): boolean {
    return [...this.#calls.values()].some((each) => isWaiting(this.#now(each)));
  }

  /** Resolves when none of them waits. Rejects with the signal's reason. */
  async answered(signal: AbortSignal): Promise<void> {
    while (this.isWaiting) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#whenAnswered.add(resolve);
      const listening = onAbort(signal, resolve);
      await promise.finally(() => listening.dispose());
    }
    signal.throwIfAborted();
  }

  /** The calls of the root agent for which there is a result. */
  get rootCalls(): readonly string[] {
    const all = [...[...this.#calls.values()].map(({ call }) => call), ...this.#finished];
    return [...new Set(all.map(({ rootCallId }) => rootCallId))];
  }

  /** What the model gets in place of the result of a call; undefined for a call that edited nothing. */
  resultOf(callId: string): InterruptedResult | undefined {
    const calls = [...this.#calls.values()].map((each) => this.#now(each));
    const own = calls.find((call) => proposersOf(call).some((proposal) => proposal.callId === callId));
    if (own !== undefined) return { text: interruptedEdit(this.#report(own)), isOpen: this.#isOpen(own) };
    const edits = [
      ...this.#finished
        .filter(({ rootCallId }) => rootCallId === callId)
        .map(({ agentPath, toolName, result }) => ({ agent: agentPath.join(" › "), toolName, report: result })),
      ...calls
        .filter(({ rootCallId }) => rootCallId === callId)
        .map((call) => ({
          agent: proposersOf(call)
            .map(({ agentPath }) => agentPath.join(" › "))
            .join(", "),
          toolName: call.proposal.toolName,
          report: editedFiles(this.#report(call)),
        })),
    ];
    return edits.length === 0 ? undefined : { text: interruptedDelegation(edits), isOpen: true };
  }

  /** The model knows of these root calls: what has no answer left to get is forgotten. */
  markInformed(callIds: readonly string[]): void {
    for (const each of [...this.#calls.values()]) {
      const call = this.#now(each);
      if (!callIds.includes(call.rootCallId) || isWaiting(call) || this.#undecided(call).length > 0) continue;
      this.#calls.delete(call.id);
      this.#dependencies.journal.forget(call.id);
    }
    const left = new Set([...this.#calls.values()].map(({ call }) => call.rootCallId));
    const isDone = ({ rootCallId }: FinishedCall) => callIds.includes(rootCallId) && !left.has(rootCallId);
    for (const { id } of this.#finished.filter(isDone)) this.#dependencies.journal.forget(id);
    this.#finished = this.#finished.filter((call) => !isDone(call));
  }

  /** The conversation has no such calls any more: what waited for them is not asked about; what is written stays. */
  withdraw(rootCallIds: readonly string[]): void {
    const { reviews, journal } = this.#dependencies;
    for (const each of [...this.#calls.values()].filter(({ call }) => rootCallIds.includes(call.rootCallId))) {
      const { id } = each.call;
      this.#calls.delete(id);
      reviews.withdraw(id);
      this.#showCard(each);
      journal.forget(id);
    }
    this.markInformed(rootCallIds);
  }

  /** The user's answer to what is written. False when it is about something else. */
  async decide(approvalId: string, hunkId: string | undefined, decision: "accepted" | "rejected"): Promise<boolean> {
    const each = this.#calls.get(approvalId);
    if (each === undefined) return false;
    const call = this.#now(each);
    const undecided = this.#undecided(call);
    const isMeant = hunkId === undefined ? !isWaiting(call) : undecided.some(({ id }) => id === hunkId);
    if (!isMeant) return false;
    const scope = hunkId === undefined ? { editId: call.id } : { hunkId };
    if (undecided.length > 0) await this.#dependencies.answer(scope, decision === "accepted" ? "kept" : "undone");
    return true;
  }

  async #offer(each: Interrupted): Promise<void> {
    const { journal, reviews } = this.#dependencies;
    const { call } = each;
    if (call.mode === "before" && isWaiting(call)) {
      each.isCardOpen = true;
      await reviews.adopt(call, (event) => this.#onReview(each, event));
      return;
    }
    await journal.adopt(call, () => undefined);
    if (call.mode === "before") this.#showCard(each);
  }

  /** Of a proposal that waits again. Its card stays as long as something written is to be kept or undone. */
  #onReview(each: Interrupted, event: HostEvent): void {
    if (event.type === "approval_requested") this.#emit({ ...event, approval: this.#withFates(each, event.approval) });
    else if (event.type === "approval_closed") this.#showCard(each);
    else this.#emit(event);
    for (const resolve of this.#whenAnswered) resolve();
    this.#whenAnswered.clear();
  }

  async #answered(hunks: readonly WrittenHunk[], answer: WrittenAnswer): Promise<void> {
    for (const each of this.#calls.values()) {
      const own = hunks.filter(({ author }) => author.editId === each.call.id);
      if (own.length === 0) continue;
      await this.#dependencies.journal.answer(each.call.id, Object.fromEntries(own.map(({ id }) => [id, answer])));
      if (isWaiting(this.#now(each))) this.#dependencies.reviews.showAgain(each.call.id);
      else if (each.call.mode === "before") this.#showCard(each);
    }
  }

  /** With nothing that waits to be written: what is written and undecided, or no card. */
  #showCard(each: Interrupted): void {
    const call = this.#now(each);
    if (this.#undecided(call).length > 0) {
      each.isCardOpen = true;
      this.#emit({ type: "approval_requested", approval: this.#withFates(each, approvalOf(call)) });
    } else if (each.isCardOpen) {
      each.isCardOpen = false;
      this.#emit({ type: "approval_closed", approvalId: call.id, outcome: approvalOutcome(call) });
    }
    // No agent has to know what became of code that the user applied.
    if (call.proposal.agent.id === userAgentId && this.#undecided(call).length === 0) {
      this.#calls.delete(call.id);
      this.#dependencies.journal.forget(call.id);
    }
  }

  #withFates(each: Interrupted, approval: Approval): Approval {
    const call = this.#now(each);
    const onDisk = (hunk: ApprovalHunk): ApprovalHunk => {
      const state = hunk.decision === "accepted" ? cardState(this.#stateOf(call, hunk)) : undefined;
      return state === undefined ? hunk : { ...hunk, onDisk: state };
    };
    const files = approval.files.map((file) => ({ ...file, hunks: file.hunks.map(onDisk) }));
    return { ...approval, files, isInterrupted: true };
  }

  /** As it is now: its answers may have come since. */
  #now({ call }: Interrupted): JournaledCall {
    return this.#dependencies.journal.find(call.id) ?? call;
  }

  #undecided(call: JournaledCall): ProposedHunk[] {
    return call.files.flatMap(({ hunks }) => hunks.filter((hunk) => this.#stateOf(call, hunk) === "onDisk"));
  }

  #isOpen(call: JournaledCall): boolean {
    return call.files.some(({ hunks }) =>
      hunks.some((hunk) => ["waiting", "conflicted", "unwritten"].includes(this.#stateOf(call, hunk))),
    );
  }

  #report(call: JournaledCall): InterruptedFile[] {
    return call.files.map((file) => ({
      path: file.path,
      what: whatOf(file),
      hunks: file.hunks.map((each) => ({
        hunk: each.hunk,
        state: this.#stateOf(call, each),
        ...(each.reason === undefined ? {} : { reason: each.reason }),
      })),
    }));
  }

  #stateOf(call: JournaledCall, { id, decision }: Pick<ProposedHunk, "id" | "decision">): InterruptedHunkState {
    const fate = this.#calls.get(call.id)?.fates.get(id);
    if (decision === "rejected") return "rejected";
    if (decision === "pending") {
      if (fate === "unwritten") return "unwritten";
      const hunk = call.files.flatMap(({ hunks }) => hunks).find((each) => each.id === id);
      return hunk?.conflicted === true ? "conflicted" : "waiting";
    }
    const answer = call.answers[id];
    if (answer !== undefined) return answer;
    if (fate === "onDisk") {
      if (this.#dependencies.isUndecided(id)) return "onDisk";
      return call.mode === "before" ? "changed" : "inFile";
    }
    // The call that waited for an answer after the restart has got it.
    return fate === undefined || fate === "waiting" ? "written" : fate;
  }
}

function isWaiting(call: JournaledCall): boolean {
  return call.mode === "before" && call.files.some(({ hunks }) => hunks.some(({ decision }) => decision === "pending"));
}

function proposersOf({ proposal, same }: JournaledCall) {
  return [proposal, ...same];
}

function pathsOf({ files }: JournaledCall): string[] {
  return files.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
}

function whatOf({ change, movedTo }: ProposedFile): string {
  if (movedTo !== undefined) return `to be moved to ${movedTo}`;
  return { add: "new file", update: "", delete: "to be deleted" }[change];
}

function cardState(state: InterruptedHunkState): ApprovalHunk["onDisk"] {
  switch (state) {
    case "onDisk":
      return "undecided";
    case "kept":
    case "undone":
    case "changed":
    case "gone":
      return state;
    default:
      return undefined;
  }
}
