import path from "node:path";
import type { Locator } from "playwright-core";
import { readCards, tryClick } from "./cards.ts";
import { allTokens, type HunkTokens, newTokens, oldTokens, tokensIn } from "./documents.ts";
import { answersTo, type Deed } from "./oracle.ts";
import type { Step } from "./plan.ts";
import { showExactly } from "./rest.ts";
import { type FileHunk, note, type Round, released, unsure, within } from "./stage.ts";

type AnswerStep = Extract<Step, { do: "answer" }>;

/** Keeps or undoes what is written. Nothing, when nothing is. */
export async function answerWritten(round: Round, step: AnswerStep): Promise<void> {
  const written = await openHunks(round);
  const hunk = written[step.pick % Math.max(written.length, 1)];
  if (hunk === undefined) return;
  if (await answerOtherwise(round, step, { written, hunk })) {
    round.waysTaken.add(step.way);
    return;
  }
  if (!(await showExactly(round, hunk.file, lineOf(hunk)))) return;
  round.waysTaken.add("key");
  const deed = noteAnswer(round, step, [hunk], "by a key");
  const lenses = round.page.locator(".codelens-decoration a", { hasText: /Keep \(/ });
  const before = await lenses.count();
  await round.page.keyboard.press(step.yes ? "Control+Alt+Enter" : "Control+Alt+Backspace");
  // On a busy machine the editor can learn after the key that the caret is at a hunk. Nothing in the text shows a keep.
  const isSeen = !step.yes || (await within(5_000, async () => (await lenses.count()) < before));
  // Of what was only removed the line above is shown: what a formatter changed there is an edit of its own.
  const isAtHunk = newTokens(hunk).length > 0 || !round.plan.formats;
  if (!isSeen || !isAtHunk) unsure(round, deed);
}

/** Hunks that the files hold now, and that no one has kept or undone. */
async function openHunks({ files, hunks, deeds, proposed, observer }: Round): Promise<FileHunk[]> {
  const texts = new Map<string, Set<string>>();
  const redoneAt = deeds.findLast(({ did }) => did === "redo")?.at ?? 0;
  for (const file of files) texts.set(file, new Set(tokensIn((await observer.state(file)).text ?? "")));
  return hunks.filter((hunk) => {
    const there = texts.get(hunk.file) ?? new Set();
    const isThere =
      newTokens(hunk).every((token) => there.has(token)) && !oldTokens(hunk).some((token) => there.has(token));
    const isOpen = answersTo(deeds, hunk).every(({ isSure, at }) => !isSure || at < redoneAt);
    return proposed.has(hunk.proposal) && isThere && isOpen;
  });
}

/** By another way than a key at the hunk. False when that way is not there for it. */
async function answerOtherwise(
  round: Round,
  step: AnswerStep,
  { written, hunk }: { written: readonly FileHunk[]; hunk: FileHunk },
): Promise<boolean> {
  const { panel, page, observer } = round;
  const { way, yes } = step;
  const verb = yes ? "Keep" : "Undo";
  const inFile = (each: FileHunk) => each.file === hunk.file;
  /** What several agents wrote may be meant in part. */
  const ofOne = (hunks: readonly FileHunk[]) =>
    new Set(hunks.map(({ proposal }) => proposal)).size === 1 ? hunks : [];
  const click = async (deed: Deed, target: Locator) => {
    if (!(await tryClick(target))) unsure(round, deed);
    else if (!yes) await confirmUndo(round, deed);
    return true;
  };
  switch (way) {
    case "all":
      return click(noteAnswer(round, step, written, "all in the panel", released(round)), panel.button(`${verb} all`));
    case "file": {
      if (!(await showExactly(round, hunk.file, lineOf(hunk)))) return false;
      const deed = noteAnswer(round, step, written.filter(inFile), "in its file", released(round).filter(inFile));
      const done = observer.run(yes ? "arbor.keepFileEdits" : "arbor.undoFileEdits");
      if (!yes) await confirmUndo(round, deed);
      await done;
      return true;
    }
    case "lens": {
      if (!(await showExactly(round, hunk.file, lineOf(hunk)))) return false;
      const lenses = page.locator(".codelens-decoration a", { hasText: yes ? /Keep \(/ : /Undo/ });
      if (written.filter(inFile).length !== 1 || (await lenses.count()) !== 1) return false;
      return click(noteAnswer(round, step, [hunk], "by its lens"), lenses);
    }
    case "diff": {
      if (written.length !== 1 || !(await tryClick(panel.button("Review")))) return false;
      const lenses = page.locator(".multiDiffEntry .codelens-decoration a", { hasText: yes ? /Keep \(/ : /Undo/ });
      const isShown = await within(5_000, async () => (await lenses.count()) === 1);
      return isShown && click(noteAnswer(round, step, [hunk], "in the diff of all files"), lenses);
    }
    case "panel": {
      const region = panel.frame.getByRole("region", { name: "Pending edits" });
      const name = new RegExp(`^${verb} .*${path.basename(hunk.file)}$`);
      const rows = region.getByRole("button", { name });
      const row = rows.first();
      if (!(await row.isVisible())) await tryClick(region.getByRole("button", { expanded: false }).first());
      // A row of another agent has what a formatter changed in the file with its edit, perhaps.
      const ofRow = (await rows.count()) === 1 ? ofOne(written.filter(inFile)) : [];
      return click(noteAnswer(round, step, ofRow, "in the panel's row", released(round).filter(inFile)), row);
    }
    case "agent": {
      const deed = noteAnswer(round, step, ofOne(written), "of an agent", released(round));
      // On a busy machine the list of agents can close under the pointer: then the user chooses once more.
      for (let tries = 1; tries <= 2; tries++) {
        const done = observer.run(yes ? "arbor.keepAgentEdits" : "arbor.undoAgentEdits");
        const rows = page.locator(".quick-input-list .monaco-list-row", { hasText: "main › edit" });
        const isChosen = await tryClick(rows.first());
        if (!isChosen) {
          await page.keyboard.press("Escape");
          unsure(round, deed);
        }
        const isCarriedOut = !isChosen || (yes ? await isKept(round) : await confirmUndo(round, deed));
        await done;
        if (isCarriedOut) break;
        // A proposal that came meanwhile waits, perhaps: then it can't be seen whether the others were kept.
        if (yes && tries === 2) unsure(round, deed);
      }
      return true;
    }
    default:
      return false;
  }
}

/** Nothing that is written waits any more. */
const isKept = ({ panel }: Round): Promise<boolean> =>
  within(5_000, async () => !(await readCards(panel)).isAnyWritten);

/** To undo several edits the user is asked once; a single one is undone at once. Whether either was seen. */
export async function confirmUndo({ page, observer, files }: Round, deed: Deed): Promise<boolean> {
  const button = page.locator(".monaco-dialog-box").getByRole("button", { name: "Undo", exact: true });
  const { sure = [], perhaps = [] } = deed.did === "answer" ? deed : {};
  const meant = (sure.length > 0 ? sure : perhaps).flatMap(newTokens);
  const isUndone = async () => {
    const texts = await Promise.all(files.map(async (file) => (await observer.state(file)).text ?? ""));
    const there = new Set(texts.flatMap(tokensIn));
    return !meant.some((token) => there.has(token));
  };
  const isSeen = await within(8_000, async () => (await button.isVisible()) || (await isUndone()));
  // What was never written, or only removes lines, looks undone from the start.
  if (perhaps.length > 0 || meant.length === 0) await within(1_500, () => button.isVisible());
  if (await button.isVisible()) await button.click();
  return isSeen;
}

function noteAnswer(
  round: Round,
  { yes }: AnswerStep,
  sure: readonly HunkTokens[],
  how: string,
  perhaps: readonly HunkTokens[] = [],
): Deed {
  const words = `${yes ? "keep" : "undo"} ${sure.map(({ id }) => id).join()} ${how}`;
  return note(round, { did: "answer", yes, sure, perhaps }, words);
}

/** Of a line that the hunk wrote, or of the one above what it removed. */
const lineOf = (hunk: HunkTokens): string => newTokens(hunk)[0] ?? tokensIn(hunk.anchor)[0] ?? allTokens(hunk)[0] ?? "";
