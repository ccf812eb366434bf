import { type HunkTokens, linesPerPlot, newTokens, oldTokens, standsIn, tokensIn } from "./documents.ts";
import type { Mode, Plan } from "./plan.ts";

/** A change or a save of a document, as the editor reported it. */
export interface Entry {
  kind: "change" | "saving" | "saved";
  file: string;
  at: number;
  /** Of the whole document, after it. */
  text: string;
  isDirty: boolean;
  /** Undo or Redo. */
  isHistory?: boolean;
  /** Of a document that is being saved: not by the editor itself. */
  isManual?: boolean;
  /** Of a document that was saved: what its file holds. */
  disk?: string;
}

/** What somebody did, at the moment just before it. Times are those of the machine. */
export type Deed = { at: number } & (
  | { did: "type"; file: string; token: string }
  | { did: "save"; file: string }
  | { did: "revert"; file: string; until: number }
  | { did: "write"; file: string; token: string }
  | { did: "overwrite"; file: string }
  | { did: "propose"; proposal: number }
  /** `sure` are the hunks that were answered; `perhaps` those that the answer may have reached. */
  | { did: "answer"; yes: boolean; sure: readonly HunkTokens[]; perhaps: readonly HunkTokens[]; reason?: string }
  /** The user's hand in the proposed side of a diff: a token put into a hunk's lines, or the hunk taken out. */
  | { did: "editProposal"; hunk: HunkTokens; token?: string }
  /** The user brought back what was undone last. */
  | { did: "redo" }
  | { did: "stop" }
);

export type Answered = Extract<Deed, { did: "answer" }>;

/** All that is known of one file of a round when the dust has settled. */
export interface FileRecord {
  file: string;
  mode: Mode;
  formatsOnSave: boolean;
  autoSave: Plan["autoSave"];
  original: string;
  hunks: readonly HunkTokens[];
  deeds: readonly Deed[];
  entries: readonly Entry[];
  buffer: string;
  disk: string;
}

/** Says in sentences what is not as it has to be. */
export function judgeFile(record: FileRecord): string[] {
  return [...judgeChanges(record), ...judgeTyping(record), ...judgeAnswers(record), ...judgeEnd(record)];
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokensIn(text)) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Each change of the document has a cause that explains what came and what went; nothing is ever in it twice. */
function judgeChanges(record: FileRecord): string[] {
  const faults: string[] = [];
  let before = countsOf(record.original);
  let saved = before;
  for (const entry of record.entries) {
    // What was typed while it was saved is in the document already, and not on disk.
    if (entry.kind === "saved") saved = countsOf(entry.disk ?? entry.text);
    if (entry.kind !== "change") continue;
    const after = countsOf(entry.text);
    const gone = [...before.keys()].filter((token) => !after.has(token));
    const come = [...after.keys()].filter((token) => !before.has(token));
    const isRevert = record.deeds.some(
      (deed) => deed.did === "revert" && entry.at >= deed.at && entry.at <= deed.until,
    );
    const mayGo = (token: string) => canGo(record, token, entry.at) || (isRevert && !saved.has(token));
    const mayCome = (token: string) => canCome(record, token, entry.at) || (isRevert && saved.has(token));
    if (!entry.isHistory) {
      faults.push(...gone.filter((token) => !mayGo(token)).map((token) => `${token} went from the editor by itself`));
      faults.push(...come.filter((token) => !mayCome(token)).map((token) => `${token} came into the editor by itself`));
    }
    const doubled = [...after].filter(([token, count]) => count > 1 && (before.get(token) ?? 0) <= 1);
    faults.push(...doubled.map(([token, count]) => `${token} was in the editor ${count} times`));
    before = after;
  }
  return faults;
}

/** Lines go when a hunk that replaces them is written, and a hunk's lines when it is undone. */
function canGo(record: FileRecord, token: string, at: number): boolean {
  const removing = record.hunks.filter((each) => oldTokens(each).includes(token));
  if (removing.length > 0) return removing.some((hunk) => isWritable(record, hunk, at));
  const written = writerOf(record, token);
  return written !== undefined && isUndoable(record, written, at);
}

function canCome(record: FileRecord, token: string, at: number): boolean {
  const written = writerOf(record, token);
  if (written !== undefined) return isWritable(record, written, at);
  const removing = record.hunks.filter((each) => oldTokens(each).includes(token));
  if (removing.length > 0) return removing.some((hunk) => isUndoable(record, hunk, at));
  return record.deeds.some(
    (deed) => (deed.did === "type" || deed.did === "write") && deed.token === token && deed.at <= at,
  );
}

/** The hunk whose lines have the token: by the agent, or by the user's hand in the proposal. */
function writerOf({ hunks, deeds }: FileRecord, token: string): HunkTokens | undefined {
  const edited = deeds.find((deed) => deed.did === "editProposal" && deed.token === token);
  return edited?.did === "editProposal" ? edited.hunk : hunks.find((each) => newTokens(each).includes(token));
}

export const isBefore = (mode: Mode): boolean => mode === "before";

export function answersTo(deeds: readonly Deed[], hunk: HunkTokens): (Answered & { isSure: boolean })[] {
  return deeds.flatMap((deed) => {
    if (deed.did !== "answer") return [];
    const isSure = deed.sure.includes(hunk);
    return isSure || deed.perhaps.includes(hunk) ? [{ ...deed, isSure }] : [];
  });
}

function isWritable({ mode, deeds }: FileRecord, hunk: HunkTokens, at: number): boolean {
  if (isBefore(mode)) return answersTo(deeds, hunk).some((answer) => answer.yes && answer.at <= at);
  return deeds.some((deed) => deed.did === "propose" && deed.proposal === hunk.proposal && deed.at <= at);
}

function isUndoable({ mode, deeds }: FileRecord, hunk: HunkTokens, at: number): boolean {
  if (isBefore(mode)) return false;
  const answers = answersTo(deeds, hunk).filter((answer) => answer.at <= at);
  const firstKept = answers.find(({ yes, isSure }) => yes && isSure)?.at ?? Number.POSITIVE_INFINITY;
  return answers.some((answer) => !answer.yes && answer.at <= firstKept);
}

/** Every key that was pressed has arrived. */
function judgeTyping({ file, deeds, entries }: FileRecord): string[] {
  return deeds.flatMap((deed) => {
    if (deed.did !== "type" || deed.file !== file) return [];
    const arrived = entries.some(({ text, at }) => at >= deed.at && tokensIn(text).includes(deed.token));
    return arrived ? [] : [`${deed.token} was typed and never arrived`];
  });
}

/** An answer has its effect, unless the lines that it is about were not as they have to be. */
function judgeAnswers(record: FileRecord): string[] {
  const effects = record.deeds.filter(
    (deed): deed is Answered => deed.did === "answer" && deed.yes === isBefore(record.mode),
  );
  const ofAnswers = effects.flatMap((answer) =>
    answer.sure
      .filter((hunk) => record.hunks.includes(hunk) && !hadEffect(record, answer, hunk))
      .map(
        (hunk) => `${answer.yes ? "Accepting" : "Undoing"} hunk ${hunk.id} had no effect, though its lines were there`,
      ),
  );
  return [...ofAnswers, ...judgeRedos(record)];
}

/** What is redone comes back: one hunk of the latest undo at least, unless its lines have changed since. */
function judgeRedos(record: FileRecord): string[] {
  return record.deeds.flatMap((deed) => {
    if (deed.did !== "redo") return [];
    const [before = "", ...after] = textsBetween(record, deed.at, Number.POSITIVE_INFINITY);
    const latest = latestUndo(record.deeds, deed.at);
    const undone = record.hunks.filter(
      (hunk) => latest.includes(hunk) && newTokens(hunk).length > 0 && !isAnyThere(before, hunk.newLines),
    );
    const isBack = ({ newLines, anchor, oldLines }: HunkTokens) =>
      [before, ...after].some((text) => isThere(text, newLines) || !standsIn(text, [anchor, ...oldLines]));
    // An undo is of several files, perhaps, and brings back the others alone.
    const isOfThisFile = latest.every((hunk) => record.hunks.includes(hunk));
    return undone.length === 0 || !isOfThisFile || undone.some(isBack)
      ? []
      : [`Redo brought nothing of ${undone.map(({ id }) => id)} back`];
  });
}

/** The hunks that the latest undo before a time reached, perhaps, in whichever file: each redo takes one undo. */
function latestUndo(deeds: readonly Deed[], at: number): readonly HunkTokens[] {
  const undos: (readonly HunkTokens[])[] = [];
  for (const deed of deeds.filter((each) => each.at < at)) {
    if (deed.did === "answer" && !deed.yes) undos.push([...deed.sure, ...deed.perhaps]);
    else if (deed.did === "redo") undos.pop();
  }
  return undos.at(-1) ?? [];
}

function hadEffect(record: FileRecord, answer: Answered, hunk: HunkTokens): boolean {
  const { mode, deeds } = record;
  // It was kept, perhaps: then there is nothing to undo.
  const isAnswered = answersTo(deeds, hunk).some(({ at, yes }) => at < answer.at && yes !== answer.yes);
  const isTakenOut = deeds.some((deed) => deed.did === "editProposal" && deed.hunk === hunk);
  // Of what another agent changes too, the line above is perhaps not there any more.
  const known = hunk.isShared ? [hunk.anchor, ...hunk.oldLines] : hunk.oldLines;
  const [from, to] = isBefore(mode) ? [known, hunk.newLines] : [hunk.newLines, hunk.oldLines];
  // Answers are done one after the other: this one perhaps after the next was given.
  const texts = textsBetween(record, answer.at, Number.POSITIVE_INFINITY);
  // Nothing of its own shows whether it was written: what it deletes, another agent may have replaced before it.
  if (hunk.isShared && hunk.newLines.length === 0) return true;
  // What a formatter changes in the line above belongs to the hunk, and what the user types there is not undone with it.
  const isAboveTyped = record.formatsOnSave && !standsIn(texts[0] ?? "", [hunk.anchor]);
  if (!isBefore(mode) && isAboveTyped) return true;
  const isDone = texts.some((text) => isThere(text, to) && !isAnyThere(text, isBefore(mode) ? hunk.oldLines : from));
  // The agents' questions are withdrawn, perhaps just before the answer.
  const isStopped = isBefore(mode) && deeds.some(({ did, at }) => did === "stop" && Math.abs(at - answer.at) < 5_000);
  // What a formatter made of the lines beside it belongs to a hunk, and an undo of the user's can take that away.
  const isUnformatted = record.formatsOnSave && record.entries.some(({ isHistory }) => isHistory);
  return (
    isDone ||
    isTakenOut ||
    isAnswered ||
    isStopped ||
    (!isBefore(mode) && isUnformatted) ||
    texts.some((text) => !standsIn(text, from))
  );
}

const isThere = (text: string, lines: readonly string[]) => {
  const tokens = new Set(tokensIn(text));
  return lines.flatMap(tokensIn).every((token) => tokens.has(token));
};
const isAnyThere = (text: string, lines: readonly string[]) => {
  const tokens = new Set(tokensIn(text));
  return lines.flatMap(tokensIn).some((token) => tokens.has(token));
};

/** What the document held at a time and until another, in order. */
export function textsBetween(
  { original, entries }: Pick<FileRecord, "original" | "entries">,
  from: number,
  until: number,
): string[] {
  const changes = entries.filter(({ kind }) => kind === "change");
  const first = changes.findLast(({ at }) => at < from)?.text ?? original;
  return [first, ...changes.filter(({ at }) => at >= from && at <= until).map(({ text }) => text)];
}

/** The disk has what the editor has; every line is whole, in its place, and somebody's. */
function judgeEnd(record: FileRecord): string[] {
  const { buffer, disk, original } = record;
  // The editor shows mixed line ends as one kind.
  const isMixed = new Set(original.match(/\r?\n/g)).size > 1;
  const folded = (text: string) => (isMixed ? text.replaceAll("\r\n", "\n") : text);
  const isSame = folded(buffer) === folded(disk);
  const faults = isSame ? [] : [`The disk holds another text than the editor: ${differences(disk, buffer)}`];
  return [...faults, ...judgeLines(record), ...(isMixed ? judgeMixedEnds(record) : []), ...judgeOrder(record)];
}

/** As long as the editor has not saved the file, each of its lines keeps its own line end. */
function judgeMixedEnds({ original, disk, entries }: FileRecord): string[] {
  if (entries.some(({ kind }) => kind === "saving")) return [];
  const endOf = (text: string) =>
    new Map([...text.matchAll(/^(.*?)(\r?\n)/gm)].map(([, line = "", end]) => [tokensIn(line)[0], end]));
  const now = endOf(disk);
  return [...endOf(original)].flatMap(([token, end]) =>
    now.has(token) && now.get(token) !== end ? [`The line end after ${token} was changed`] : [],
  );
}

function differences(disk: string, buffer: string): string {
  const [onDisk, inEditor] = [disk, buffer].map((text) => new Set(text.split(/\r\n|\n/)));
  const only = (one: Set<string> = new Set(), other: Set<string> = new Set()) =>
    JSON.stringify([...one].filter((line) => !other.has(line)));
  return `${only(onDisk, inEditor)} against ${only(inEditor, onDisk)}`;
}

function judgeLines(record: FileRecord): string[] {
  const lines = record.original.split(/\r\n|\n/);
  const known = new Map(
    [...lines, ...record.hunks.flatMap(({ newLines }) => newLines)].map((line) => [tokensIn(line)[0], line]),
  );
  const ofUser = new Set(
    record.deeds.flatMap((deed) => (deed.did === "type" || deed.did === "editProposal" ? [deed.token] : [])),
  );
  const mayTrim = mayBeFormatted(record);
  // The editor undoes typing in pieces of its own choice.
  const wasUndone = record.entries.some(({ isHistory }) => isHistory);
  const faults: string[] = [];
  for (const line of record.buffer.split(/\r\n|\n/)) {
    const tokens = tokensIn(line);
    const owner = tokens.find((token) => known.has(token));
    const own = (wasUndone ? line.replace(/\bu\d{0,3}\b/, "") : line).replace(/ ?\b[ux]\d{4}\b ?/g, "");
    const wanted = owner === undefined ? undefined : known.get(owner);
    const isWhole =
      wanted !== undefined
        ? own === wanted ||
          (wasUndone && own.trim() === wanted.trim()) ||
          (own.trimEnd() === wanted.trimEnd() && (mayTrim || tokens.length > 1))
        : own.trim() === "" ||
          (wasUndone && "note".startsWith(own.trim())) ||
          tokens.some((token) => ofUser.has(token));
    if (!isWhole) faults.push(`The line ${JSON.stringify(line)} is nobody's, or not whole`);
  }
  const lineEnds = new Set(record.original.match(/\r?\n/g));
  for (const lineEnd of new Set(record.buffer.match(/\r?\n/g))) {
    if (!lineEnds.has(lineEnd)) faults.push(`There are line ends ${JSON.stringify(lineEnd)}`);
  }
  return faults;
}

/** A formatter runs when the user saves, and with what an agent wrote, unless that is undone. */
function mayBeFormatted(record: FileRecord): boolean {
  const { formatsOnSave, autoSave, mode, deeds, hunks, entries, file } = record;
  if (!formatsOnSave) return false;
  // The editor formats also what it saves because the focus leaves, but not what it saves after a delay.
  if (autoSave === "onFocusChange" && entries.some(({ kind }) => kind === "saved")) return true;
  if (deeds.some((deed) => (deed.did === "save" || deed.did === "overwrite") && deed.file === file)) return true;
  return hunks.some((hunk) => {
    const wasWritten = entries.some(({ text }) => isThere(text, hunk.newLines) && !isAnyThere(text, hunk.oldLines));
    const answers = answersTo(deeds, hunk);
    // What the formatter changed elsewhere is not undone with a single hunk, and may be kept by a later answer.
    const isUndone =
      !isBefore(mode) && answers.some(({ yes, isSure }) => !yes && isSure) && answers.every(({ yes }) => !yes);
    return (
      wasWritten && !(isUndone && isThere(record.buffer, hunk.oldLines) && !isAnyThere(record.buffer, hunk.newLines))
    );
  });
}

function judgeOrder({ buffer, hunks, original }: FileRecord): string[] {
  const places = new Map(tokensIn(original).map((token, index) => [token, index]));
  for (const hunk of hunks) {
    const start = hunk.plot * linesPerPlot + (hunk.kind === "insert" ? 1 : 0.5);
    // Of two agents' lines at the same place either may come first.
    for (const [index, token] of newTokens(hunk).entries())
      places.set(token, start + (hunk.isShared ? 1 : index + 1) / 100);
  }
  const order = tokensIn(buffer).filter((token) => places.has(token));
  const wrong = order.filter((token, index) => (places.get(token) ?? 0) < (places.get(order[index - 1] ?? "") ?? -1));
  return wrong.map((token) => `${token} is not in its place`);
}
