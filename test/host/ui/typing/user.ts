import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { answerCard, editProposal } from "./answerCard.ts";
import { answerWritten } from "./answerWritten.ts";
import { tryClick } from "./cards.ts";
import { allTokens, linesPerPlot, originalToken, tokensIn, userToken, writtenToken } from "./documents.ts";
import { isBefore } from "./oracle.ts";
import { plotsPerFile, type Step } from "./plan.ts";
import { columnOf, gateOf, log, note, type Round, show } from "./stage.ts";

/** Does one step of a plan, as a user would by keys and clicks. What comes of it is not waited for. */
export async function take(round: Round, step: Step): Promise<void> {
  switch (step.do) {
    case "propose":
      round.proposed.add(step.proposal);
      note(round, { did: "propose", proposal: step.proposal }, `proposal ${step.proposal} comes`);
      return round.fake.release(gateOf(round, step.proposal));
    case "type":
      return type(round, step);
    case "goOn":
      return goOn(round);
    case "save":
      return save(round, lastFile(round));
    case "undo":
      return press(round, "Control+z", step.times);
    case "redo":
      return press(round, "Control+y", 1);
    case "revert":
      return revert(round, fileAt(round, step.file));
    case "write":
      return write(round, step.file);
    case "answer":
      return isBefore(round.plan.mode) ? answerCard(round, step) : answerWritten(round, step);
    case "editProposal":
      return editProposal(round, step.how);
    case "redoEdits":
      return redoEdits(round);
    case "stop":
      return stop(round);
    case "settle":
      return;
  }
}

const lastFile = ({ caret, files }: Round): string => caret ?? files[0] ?? "";
const fileAt = (round: Round, index: number): string => round.files[index] ?? lastFile(round);

export async function save(round: Round, file: string): Promise<void> {
  await show(round, file);
  note(round, { did: "save", file }, `save ${path.basename(file)}`);
  await round.page.keyboard.press("Control+s");
}

async function press(round: Round, key: string, times: number): Promise<void> {
  const file = lastFile(round);
  await show(round, file);
  log(round, `${key} ${times} times in ${path.basename(file)}`);
  for (let time = 0; time < times; time++) await round.page.keyboard.press(key);
}

async function type(round: Round, { file: index, plot, where }: Extract<Step, { do: "type" }>): Promise<void> {
  const { keyboard } = round.page;
  const file = fileAt(round, index);
  const first = plot * linesPerPlot;
  // The last line of a file belongs to another program.
  const line = plot % 2 === 0 || plot === plotsPerFile - 1 ? first : first + linesPerPlot - 1;
  const target = where === "inHunk" ? await tokenInHunk(round, file, plot) : originalToken(index, line);
  await show(round, file, target);
  // The editor knows better where the line begins and ends than the one who put the caret into it.
  await keyboard.press(where === "start" ? "Home" : "End");
  round.hasTypedInSecond ||= columnOf(round, file) === 2;
  const token = userToken(round.tokens++);
  note(round, { did: "type", file, token }, `type ${token} (${where} of ${target}) in ${path.basename(file)}`);
  switch (where) {
    case "start":
      // The blank first, so that the token behind it is a word of its own all the time.
      await keyboard.press("Space");
      await keyboard.press("ArrowLeft");
      return keyboard.type(token);
    case "newLine":
      await keyboard.press("Enter");
      return keyboard.type(`${token} note`);
    default:
      return keyboard.type(` ${token}`);
  }
}

/** Of the first line that a hunk of the plot has written, or else would replace. */
async function tokenInHunk({ hunks, observer, files }: Round, file: string, plot: number): Promise<string> {
  const hunk = hunks.find((each) => each.file === file && each.plot === plot);
  const { text = "" } = await observer.state(file);
  const there = new Set(tokensIn(text));
  const token = hunk && allTokens(hunk).find((each) => there.has(each));
  return token ?? originalToken(files.indexOf(file), plot * linesPerPlot);
}

/** Types on at the end of the line in which the caret happens to be. */
async function goOn(round: Round): Promise<void> {
  const file = lastFile(round);
  await show(round, file);
  const { keyboard } = round.page;
  await keyboard.press("End");
  const token = userToken(round.tokens++);
  note(round, { did: "type", file, token }, `type ${token} where the caret is in ${path.basename(file)}`);
  await keyboard.type(` ${token}`);
}

export async function revert(round: Round, file: string): Promise<void> {
  await show(round, file);
  const deed = note(round, { did: "revert", file, until: Number.POSITIVE_INFINITY }, `revert ${path.basename(file)}`);
  await round.observer.run("workbench.action.files.revert");
  if (deed.did === "revert") deed.until = Date.now();
}

async function redoEdits(round: Round): Promise<void> {
  const { panel, deeds } = round;
  const redo = panel.frame.getByRole("note", { name: "Undone edits" }).getByRole("button", { name: "Redo" });
  if (!(await redo.isVisible())) return;
  const deed = note(round, { did: "redo" }, "redo the undone edits");
  if (!(await tryClick(redo))) deeds.splice(deeds.indexOf(deed), 1);
}

async function stop(round: Round): Promise<void> {
  const { panel, deeds } = round;
  if (!(await panel.stop.isVisible())) return;
  const deed = note(round, { did: "stop" }, "stop the run");
  if (!(await tryClick(panel.stop))) deeds.splice(deeds.indexOf(deed), 1);
}

/** Another program adds to the last line of a file. */
async function write(round: Round, index: number): Promise<void> {
  const file = fileAt(round, index);
  // The editor empties a file before it saves it: a program that reads and writes it then would do the damage itself.
  if (!(await isAtRest(round, file))) return;
  const token = writtenToken(round.tokens++);
  note(round, { did: "write", file, token }, `another program writes ${token} into ${path.basename(file)}`);
  const { lineEnd } = round.plan;
  const end = lineEnd === "mixed" ? "\n" : lineEnd;
  // At once, so that no one else writes between the two.
  writeFileSync(file, `${readFileSync(file, "utf8").slice(0, -end.length)} ${token}${end}`);
}

async function isAtRest({ observer, plan }: Round, file: string): Promise<boolean> {
  const entries = (await observer.entries()).filter((entry) => entry.file === file);
  const [saving, saved] = ["saving", "saved"].map((kind) => entries.filter((entry) => entry.kind === kind).length);
  const text = readFileSync(file, "utf8");
  return saving === saved && text.endsWith(plan.lineEnd === "\r\n" ? "\r\n" : "\n");
}
