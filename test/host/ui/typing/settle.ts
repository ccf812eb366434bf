import { readFile } from "node:fs/promises";
import path from "node:path";
import { pendingIn } from "./answerCard.ts";
import { confirmUndo } from "./answerWritten.ts";
import { endOf } from "./arrange.ts";
import { clickCard, readCards, type Shown, tryClick, tryNextCard } from "./cards.ts";
import { standsIn } from "./documents.ts";
import { answersTo } from "./oracle.ts";
import { log, note, type Round, show, unsure, within } from "./stage.ts";
import { revert, save } from "./user.ts";

const runLimitMs = 90_000;
const answerLimitMs = 10_000;
/** Until the editor has seen what another program wrote, and has loaded it. */
const restLimitMs = 15_000;

const keyOf = ({ hunks }: Shown): string => hunks.flatMap(({ tokens, isPending }) => (isPending ? tokens : [])).join();

/** Answers the cards that are shown now, or with `toTheEnd` all that come until the run is over. */
export async function settleCards(round: Round, toTheEnd: boolean): Promise<void> {
  const { panel, plan } = round;
  const giveUpAt = performance.now() + runLimitMs;
  let last = "";
  for (let answers = 0; ; ) {
    const shown = await readCards(panel);
    if (toTheEnd ? await isOver(round) : !shown.isCard) return;
    if (performance.now() > giveUpAt) throw new Error("The run does not come to its end.");
    const hunks = pendingIn(round, shown);
    if (hunks.length === 0) {
      await closeEmptied(round, shown);
      continue;
    }
    const { text = "" } = await round.observer.state(hunks[0]?.file ?? "");
    const fits = hunks.every(({ oldLines }) => standsIn(text, oldLines));
    const key = keyOf(shown);
    // What an answer left is in conflict: there is nothing else to do than to reject it.
    const yes = key !== last && fits && plan.finally[answers++ % plan.finally.length] === true;
    last = key;
    const words = `${yes ? "accept" : "reject"} ${hunks.map(({ id }) => id).join()} at the end`;
    const deed = note(round, { did: "answer", yes, sure: hunks, perhaps: [] }, words);
    if (!(await clickCard(panel, { yes, token: key.split(",")[0] ?? "" }))) unsure(round, deed);
    // The card is gone, or has less to answer, or keeps what could not be written.
    await within(answerLimitMs, async () => keyOf(await readCards(panel)) !== key);
    await tryNextCard(panel);
  }
}

/** The agents have come to their end, or were stopped. */
async function isOver(round: Round): Promise<boolean> {
  const { panel, deeds } = round;
  if (await panel.conversation.getByText(endOf(round)).isVisible()) return true;
  return deeds.some(({ did }) => did === "stop") && !(await panel.stop.isVisible());
}

/**
 * The user has taken out of the proposal what was not answered: its card asks for nothing more than to be closed, or
 * about blanks at line ends, which the user's formatter took away when the proposal was saved. The card of another
 * proposal can take its place before the click: that one is not to be rejected.
 */
async function closeEmptied(round: Round, { isCard, hunks }: Shown): Promise<void> {
  const { panel } = round;
  const isOriginal = (token: string) => token.startsWith("o");
  const pending = hunks.filter(({ isPending }) => isPending).flatMap(({ tokens }) => tokens);
  if (isCard && pending.every(isOriginal)) {
    const waiting = '.hunk[data-decision="pending"]';
    const asks = pending.length === 0 ? waiting : `${waiting} :text-matches("\\\\ba\\\\d{4}\\\\b")`;
    const emptied = panel.frame.locator(`.approval:not(:has(${asks}))`, { hasText: pending[0] ?? "" });
    const isClosed = await tryClick(emptied.getByRole("button", { name: "Reject", exact: true }));
    log(round, isClosed ? "close a card that asks for nothing" : "  it was closed already");
  }
  await tryNextCard(panel);
}

/** Keeps or undoes all that is written and still open. */
export async function settleWritten(round: Round): Promise<void> {
  const { panel, hunks, deeds, plan } = round;
  const isOver = async () => !(await readCards(panel)).isAnyWritten;
  // What can't be undone stays, and is kept then.
  for (const yes of [plan.finally[0] === true, true]) {
    if (await isOver()) return;
    const sure = hunks.filter((hunk) => answersTo(deeds, hunk).every(({ isSure }) => !isSure));
    const deed = note(round, { did: "answer", yes, sure, perhaps: hunks }, `${yes ? "keep" : "undo"} all at the end`);
    await tryClick(panel.button(yes ? "Keep all" : "Undo all"));
    if (!yes) {
      await confirmUndo(round, deed);
      // Offered once all is written: what a formatter makes of a file is put right after it was saved.
      await within(answerLimitMs, () => panel.button("Redo").isVisible());
    }
    if (await within(answerLimitMs, isOver)) return;
  }
  throw new Error("What is written can't be kept.");
}

/** The user saves what is unsaved; a file that another program changed meanwhile is overwritten. Gives what fails. */
export async function settleFiles(round: Round): Promise<string[]> {
  const faults: string[] = [];
  for (const file of round.files) {
    const fault = await settleFile(round, file);
    if (fault !== undefined) faults.push(`${path.basename(file)} ${fault}`);
  }
  return faults;
}

async function settleFile(round: Round, file: string): Promise<string | undefined> {
  const { observer, page, plan, deeds } = round;
  const isDirty = async () => (await observer.state(file)).isDirty === true;
  const isClean = async () => {
    const { text, isDirty } = await observer.state(file);
    return isDirty !== true && (text === undefined || text === (await readFile(file, "utf8")));
  };
  const isWritten = deeds.some((deed) => deed.did === "write" && deed.file === file);
  const savesItself = plan.autoSave === "afterDelay" && !isWritten;
  await within(restLimitMs, async () => (await isClean()) || (!savesItself && (await isDirty())));
  if (!(await isDirty())) {
    // What is written while a file is unsaved is not loaded by the editor, also not once its typing is undone.
    if (isWritten && !(await isClean())) await revert(round, file);
    return undefined;
  }
  await save(round, file);
  // The editor asks when another program has written the file, and when it can't save it.
  const asking = page.locator(".notification-list-item", { hasText: `'${path.basename(file)}'` });
  const question = asking.getByRole("button", { name: "Overwrite" }).first();
  await within(restLimitMs, async () => (await isClean()) || (await question.isVisible()));
  if (await isClean()) return undefined;
  if (!isWritten) return `can't be saved: ${await notifications(round)}`;
  note(round, { did: "overwrite", file }, `overwrite ${path.basename(file)}`);
  // The editor's question comes again when it saves on its own meanwhile, and takes the place of the one that was shown.
  for (let tried = 1; tried <= 3; tried++) {
    await tryClick(question);
    if (await within(restLimitMs / 3, isClean)) return undefined;
  }
  await show(round, file);
  return `can't be overwritten: ${await notifications(round)}`;
}

export const notifications = async ({ page }: Pick<Round, "page">): Promise<string> =>
  (await page.locator(".notification-list-item-message").allInnerTexts()).join(" | ");
