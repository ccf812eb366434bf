import { type HunkTokens, newTokens, standsIn, tokensIn } from "./documents.ts";
import type { FileRecord } from "./oracle.ts";
import { plotsPerFile } from "./plan.ts";

/** What the root agent has before it with the user's next message, when all agents are done. */
export interface FollowUp {
  /** The last message, with what Arbor puts beside the user's words. */
  question: string;
  /** All that was said before it, with what Arbor put beside the results of tools while the agents worked. */
  before: string;
  /** The proposals whose agents were stopped before they learned what became of them. */
  stopped: ReadonlySet<number>;
}

interface Entry {
  kind: "undone" | "changed" | "back";
  /** Lines of the file, by their numbers from 1. */
  shown: [number: number, text: string][];
}

/** Says where the agent learns something else of a file's edits than what became of them. */
export function judgeFollowUp(record: FileRecord, path: string, { question, before, stopped }: FollowUp): string[] {
  const told = entriesOf(path, question).filter(({ kind }) => kind !== "back");
  const written = record.hunks.filter((hunk) => wasWritten(record, hunk));
  const undone = written.filter((hunk) => !hunk.isShared && isUndone(record, hunk));
  const doubtful = written.filter((hunk) => hunk.isShared || !isIntact(record, hunk));
  const faults: string[] = [];
  const heard = entriesOf(path, before).length + told.length;
  if (heard < undone.length) faults.push(`it hears nothing of some of ${ids(undone)}, which were undone`);
  // The lines that a formatter changed with what an agent wrote are edits of their own to the user who undoes them.
  const formatted = record.formatsOnSave && written.length > 0 ? plotsPerFile : 0;
  if (told.length > doubtful.length + formatted) {
    faults.push(`it hears that ${told.length} edits were undone or changed: only ${ids(doubtful)} can be`);
  }
  const lines = record.buffer.split(/\r\n|\n/);
  for (const [number, text] of told.flatMap(({ shown }) => shown)) {
    if (lines[number - 1] !== text) faults.push(`line ${number} is shown as ${JSON.stringify(text)}`);
  }
  // An agent that was stopped can not report what it wrote: what is in the file is named all the same.
  const unreported = written.filter(({ proposal }) => stopped.has(proposal));
  const there = unreported.filter((hunk) => hasAny(record.buffer, newTokens(hunk)));
  for (const hunk of there.filter((each) => !hasAny(before + question, newTokens(each)))) {
    faults.push(`it hears nothing of ${hunk.id}, which is in the file`);
  }
  return faults.map((fault) => `Of ${path}, ${fault}\n${question}`);
}

const ids = (hunks: readonly HunkTokens[]) => hunks.map(({ id }) => id).join(", ");

function entriesOf(path: string, text: string): Entry[] {
  const entries: Entry[] = [];
  let last: Entry | undefined;
  for (const line of text.split("\n")) {
    const shown = /^ {2}(\d+)\| (.*)$/.exec(line);
    if (shown !== null) {
      last?.shown.push([Number(shown[1]), shown[2] ?? ""]);
      continue;
    }
    const isOwn = line.startsWith(`- ${path}, `);
    const kind = /: (undone|changed) by the user|: (there again)/.exec(line);
    last = isOwn && kind !== null ? { kind: (kind[1] as "undone" | "changed") ?? "back", shown: [] } : undefined;
    if (last !== undefined) entries.push(last);
  }
  return entries;
}

const hasAny = (text: string, tokens: readonly string[]) => tokensIn(text).some((token) => tokens.includes(token));

/** Whether the hunk's lines were in the document, whole, and those that it replaces were not. */
function wasWritten({ entries }: FileRecord, { newLines, oldLines }: HunkTokens): boolean {
  return entries.some(({ text }) => {
    const there = new Set(tokensIn(text));
    return newLines.flatMap(tokensIn).every((token) => there.has(token)) && !hasAny(text, oldLines.flatMap(tokensIn));
  });
}

function isUndone({ buffer }: FileRecord, hunk: HunkTokens): boolean {
  return !hasAny(buffer, newTokens(hunk)) && standsIn(buffer, [hunk.anchor, ...hunk.oldLines]);
}

/** As it was written, and nothing is typed into its lines or beside them. */
function isIntact({ buffer, deeds }: FileRecord, hunk: HunkTokens): boolean {
  const isEdited = deeds.some((deed) => deed.did === "editProposal" && deed.hunk === hunk);
  return (
    !isEdited && standsIn(buffer, [hunk.anchor, ...hunk.newLines]) && !hasAny(buffer, hunk.oldLines.flatMap(tokensIn))
  );
}
