import type { Locator } from "playwright-core";
import { clickCard, readCards, type Shown, tryClick, tryNextCard } from "./cards.ts";
import { type HunkTokens, newTokens, oldTokens, tokensIn, userToken } from "./documents.ts";
import type { Deed } from "./oracle.ts";
import type { Step } from "./plan.ts";
import { showExactly } from "./rest.ts";
import { type FileHunk, hunkWith, note, type Round, released, show, unsure } from "./stage.ts";

type AnswerStep = Extract<Step, { do: "answer" }>;

/** The hunks of the shown card that wait. */
export function pendingIn(round: Round, shown: Shown): FileHunk[] {
  return shown.hunks.flatMap(({ tokens, isPending }) => (isPending ? (hunkWith(round, tokens) ?? []) : []));
}

/** Accepts or rejects what the panel shows. Nothing, when it shows nothing. */
export async function answerCard(round: Round, step: AnswerStep): Promise<void> {
  const { yes, pick } = step;
  if (pick % 3 === 0) await tryNextCard(round.panel);
  const shown = await readCards(round.panel);
  const pending = pendingIn(round, shown);
  const hunk = pending[pick % Math.max(pending.length, 1)];
  if (hunk === undefined) return;
  if (await answerOtherwise(round, step, { shown, pending, hunk })) {
    round.waysTaken.add(step.way);
    return;
  }
  const token = tokenOf(hunk);
  round.waysTaken.add("panel");
  const deed = noteAnswer(round, step, [hunk], "in the panel");
  if (!(await clickCard(round.panel, { yes, token, isHunk: shown.hunks.length > 1 }))) unsure(round, deed);
}

interface Choice {
  shown: Shown;
  pending: readonly FileHunk[];
  hunk: FileHunk;
}

/** By another way than the button of the hunk in the panel. False when that way is not there for it. */
async function answerOtherwise(round: Round, step: AnswerStep, { shown, pending, hunk }: Choice): Promise<boolean> {
  const { page, observer } = round;
  const { way, yes } = step;
  const isOnly = pending.length === 1 && shown.cards === 1;
  switch (way) {
    case "whole":
      await answerWhole(round, step, pending);
      return true;
    case "all":
      // With several cards the others may have come or gone meanwhile.
      noteAnswer(round, step, shown.cards > 1 ? [] : pending, "all", { perhaps: released(round) });
      await observer.run(yes ? "arbor.acceptAllEdits" : "arbor.rejectAllEdits");
      return true;
    case "key":
      if (!(await showExactly(round, hunk.file, lineOf(hunk)))) return false;
      noteAnswer(round, step, [hunk], "by a key");
      await page.keyboard.press(yes ? "Control+Alt+Enter" : "Control+Alt+Backspace");
      return true;
    case "lens":
    case "thread": {
      await show(round, hunk.file, lineOf(hunk));
      const targets =
        way === "lens"
          ? page.locator(".codelens-decoration a", { hasText: yes ? /Accept/ : /Reject\s*$/ })
          : page.locator(".review-widget").getByRole("button", { name: yes ? "Accept" : "Reject", exact: true });
      if (!isOnly || (await targets.count()) !== 1) return false;
      await click(round, noteAnswer(round, step, [hunk], `in its ${way}`), targets);
      return true;
    }
    case "diff": {
      if (pending.length !== 1 || !(await openDiff(round, hunk))) return false;
      const lenses = page.locator(".modified .codelens-decoration a", { hasText: yes ? /Accept \(/ : /Reject/ });
      await click(round, noteAnswer(round, step, [hunk], "in the diff"), lenses.first());
      return true;
    }
    default:
      return false;
  }
}

function noteAnswer(
  round: Round,
  { yes }: AnswerStep,
  sure: readonly HunkTokens[],
  how: string,
  { perhaps = [], reason }: { perhaps?: readonly HunkTokens[]; reason?: string } = {},
): Deed {
  const words = `${yes ? "accept" : "reject"} ${sure.map(({ id }) => id).join()} ${how}`;
  return note(round, { did: "answer", yes, sure, perhaps, ...(reason !== undefined && { reason }) }, words);
}

async function click(round: Round, deed: Deed, target: Locator): Promise<void> {
  if (!(await tryClick(target))) unsure(round, deed);
}

/** By the buttons of the card, with or without words. */
async function answerWhole(round: Round, step: AnswerStep, pending: readonly FileHunk[]): Promise<void> {
  const { panel } = round;
  const token = tokenOf(pending[0]);
  const reason = step.reason && !step.yes ? `because of ${token}` : undefined;
  const field = panel.approvals.filter({ hasText: token }).getByRole("textbox", { name: "Reject with feedback…" });
  if (reason !== undefined && !(await tryFill(field, reason))) return;
  const more = reason === undefined ? {} : { reason };
  const deed = noteAnswer(round, step, pending, "in the panel, as a whole", more);
  if (!(await clickCard(panel, { yes: step.yes, token }))) unsure(round, deed);
}

const tryFill = (field: Locator, words: string): Promise<boolean> =>
  field.fill(words, { timeout: 3_000 }).then(
    () => true,
    () => false,
  );

const tokenOf = (hunk: HunkTokens | undefined): string => (hunk && (newTokens(hunk)[0] ?? oldTokens(hunk)[0])) ?? "";

/** Of the line at which a key answers a hunk. */
const lineOf = (hunk: HunkTokens): string => oldTokens(hunk)[0] ?? tokensIn(hunk.anchor)[0] ?? "";

async function openDiff({ panel, page }: Round, hunk: FileHunk): Promise<boolean> {
  const card = panel.approvals.filter({ hasText: tokenOf(hunk) });
  if (!(await tryClick(card.getByRole("button", { name: "Open diff" })))) return false;
  const lenses = page.locator(".monaco-diff-editor .modified .codelens-decoration a");
  return lenses
    .first()
    .waitFor({ timeout: 5_000 })
    .then(
      () => true,
      () => false,
    );
}

/** The user's hand in the proposal: types behind a new line, or takes the hunk out by the button of the diff. */
export async function editProposal(round: Round, how: "type" | "revert"): Promise<void> {
  const { panel, page } = round;
  const pending = pendingIn(round, await readCards(panel));
  const [hunk] = pending;
  if (hunk === undefined || pending.length > 1 || !(await openDiff(round, hunk))) return;
  const [first] = newTokens(hunk);
  if (how === "type" && first !== undefined) {
    const line = page.locator(".monaco-diff-editor .modified .view-line", { hasText: first }).first();
    if (!(await tryClick(line))) return;
    await page.keyboard.press("End");
    const token = userToken(round.tokens++);
    note(round, { did: "editProposal", hunk, token }, `type ${token} into the proposal, behind ${first}`);
    return page.keyboard.type(` ${token}`);
  }
  // On a busy machine a click that is given up can still take effect.
  note(round, { did: "editProposal", hunk }, `take hunk ${hunk.id} out of the proposal`);
  await tryClick(page.locator('.monaco-diff-editor [aria-label="Revert Block"]').first());
}
