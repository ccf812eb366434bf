import type {
  EditProposal,
  EditReview,
  FileOutcome,
  ProposedChange,
} from "../../src/extension/changes/model/change.ts";
import {
  applyHunks,
  diffLines,
  type ExactHunk,
  type Hunk,
  wholeFile,
} from "../../src/extension/changes/model/diffLines.ts";
import type { Workspace } from "../../src/extension/workspace/workspace.ts";

/** What the user does with one hunk: takes it, or refuses it with words. */
type HunkAnswer = "accept" | { reject: string };

export interface ScriptedReviewOptions {
  /** The answer to a hunk; everything is accepted by default. */
  answer?(hunk: Hunk, path: string): HunkAnswer;
  /** What the user makes of the text before it is written. */
  change?(text: string, path: string): string;
  /** Runs while the proposal waits for its answers. */
  whileOpen?(proposal: EditProposal, signal: AbortSignal): Promise<void>;
}

/** An `EditReview` that answers as scripted and writes through the workspace; it keeps what it was shown. */
export interface ScriptedReview extends EditReview {
  readonly proposals: EditProposal[];
}

export function scriptedReview(workspace: Workspace, options: ScriptedReviewOptions = {}): ScriptedReview {
  const proposals: EditProposal[] = [];
  return {
    proposals,
    async review(proposal, signal) {
      proposals.push(proposal);
      // No one answers before what was under way when the question came has had its turn.
      await new Promise((resolve) => setImmediate(resolve));
      await options.whileOpen?.(proposal, signal);
      signal.throwIfAborted();
      const files: FileOutcome[] = [];
      const all = proposal.changes.map((change) => answersTo(change, options));
      const isWhole = proposal.writesItself === true && all.flat().every(({ answer }) => answer === "accept");
      for (const [index, change] of proposal.changes.entries()) {
        const answers = all[index] ?? [];
        files.push(await answered(workspace, change, { ...options, answers, isWhole }));
      }
      return { files };
    },
  };
}

interface Answered {
  hunk: ExactHunk;
  answer: HunkAnswer;
}

function answersTo({ path, before, after, movedTo }: ProposedChange, { answer }: ScriptedReviewOptions): Answered[] {
  const hunks = movedTo === undefined ? diffLines(before ?? "", after ?? "") : [wholeFile("", "")];
  return hunks.map((hunk) => ({ hunk, answer: answer?.(hunk, path) ?? "accept" }));
}

async function answered(
  workspace: Workspace,
  { path, before, after, movedTo }: ProposedChange,
  { change, answers, isWhole }: Pick<ScriptedReviewOptions, "change"> & { answers: Answered[]; isWhole: boolean },
): Promise<FileOutcome> {
  const outcomes = answers.map(({ hunk, answer }) =>
    answer === "accept" ? { hunk, accepted: true } : { hunk, accepted: false, reason: answer.reject },
  );
  const accepted = answers.filter(({ answer }) => answer === "accept").map(({ hunk }) => hunk);
  const current = { path, hunks: outcomes, saved: true, changedByUser: false };
  // It is for the agent to write.
  if (isWhole) return { ...current, ...(before !== undefined && { text: before }) };
  if (accepted.length === 0) return before === undefined ? current : { ...current, text: before };
  if (movedTo !== undefined) return { ...current, followed: await workspace.move(path, movedTo) };
  if (after === undefined) {
    await workspace.remove(path);
    return current;
  }
  const kept = applyHunks(before ?? "", accepted);
  const text = change?.(kept, path) ?? kept;
  const written =
    before === undefined
      ? await workspace.create(path, text)
      : await workspace.replace(path, [{ start: 0, end: before.length, text }]);
  return { ...current, text: written.text, saved: written.saved, changedByUser: text !== kept };
}
