import { allTokens, type HunkTokens, newTokens, oldTokens, standsIn, tokensIn } from "./documents.ts";
import { answersTo, type FileRecord, isBefore, textsBetween } from "./oracle.ts";

/** The result of one edit, as the model got it. */
export interface ToolResult {
  text: string;
  isError: boolean;
  /** When the agent called, and when the model had the result. */
  calledAt: number;
  at: number;
}

/** The parts of a result, by what they say of the lines in them. */
type Part = "kept" | "rejected" | "unanswered" | "unfit" | "further" | "other";

const beginnings: [RegExp, Part][] = [
  [/^(Edited|Created|Deleted) /, "kept"],
  [/^Rejected by the user/, "rejected"],
  [/^Not answered/, "unanswered"],
  [/^Not written/, "unfit"],
  [/^(Beside your edit|The user changed your proposal)/, "further"],
  [/^(\S+ changed since you read it|The|New problems|Solved problems|Problems) /, "other"],
];

interface Read {
  head: string;
  come: string[];
  gone: string[];
}

function readParts(text: string): Record<Part, Read> {
  const none = (): Read => ({ head: "", come: [], gone: [] });
  const parts = {
    ...{ kept: none(), rejected: none(), unanswered: none() },
    ...{ unfit: none(), further: none(), other: none() },
  };
  let part: Part = "other";
  for (const line of text.split("\n")) {
    const begun = beginnings.find(([beginning]) => beginning.test(line));
    if (begun !== undefined) part = begun[1];
    if (begun !== undefined) parts[part].head += `${line}\n`;
    if (line.startsWith("+")) parts[part].come.push(...tokensIn(line));
    if (line.startsWith("-")) parts[part].gone.push(...tokensIn(line));
  }
  return parts;
}

/** Says where the result of a proposal is another than what happened. `hunks` are those of the proposal. */
export function judgeResult(record: FileRecord, hunks: readonly HunkTokens[], result: ToolResult): string[] {
  const parts = readParts(result.text);
  const untouched = hunks.filter((hunk) => !wasEdited(record, hunk));
  const isRefusal = result.isError || /^The edit of .* was not written/.test(result.text);
  const faults = [
    ...untouched.flatMap((hunk) => judgeHunk(record, hunk, { parts, result, isRefusal })),
    ...(isRefusal && !hunks.some((hunk) => wasUnfit(record, hunk, result))
      ? ["it is refused, though its lines were there"]
      : []),
    ...(parts.kept.head === "" ? [] : judgeView(record, parts, result)),
    ...judgeReasons(record, untouched, { parts, result }),
  ];
  return faults.map((fault) => `The result of proposal ${hunks[0]?.proposal}: ${fault}\n${result.text}`);
}

const wasEdited = ({ deeds }: FileRecord, hunk: HunkTokens) =>
  deeds.some((deed) => deed.did === "editProposal" && deed.hunk === hunk);

/** Whether the hunk was put into the document, at any time before the model was informed. */
function wasWritten(record: FileRecord, hunk: HunkTokens, { calledAt, at }: ToolResult): boolean {
  const { mode, deeds } = record;
  if (isBefore(mode) && !answersTo(deeds, hunk).some(({ yes }) => yes)) return false;
  return textsBetween(record, calledAt, at).some((text) => {
    const tokens = new Set(tokensIn(text));
    return newTokens(hunk).every((token) => tokens.has(token)) && !oldTokens(hunk).some((token) => tokens.has(token));
  });
}

/** Whether the lines that it replaces, or follows, were at some time not as the agent knew them. */
function wasUnfit(record: FileRecord, hunk: HunkTokens, { at }: ToolResult): boolean {
  return textsBetween(record, 0, at).some((text) => !standsIn(text, [hunk.anchor, ...hunk.oldLines]));
}

interface ReadResult {
  parts: Record<Part, Read>;
  result: ToolResult;
  /** Nothing was proposed at all, or nothing had a place. */
  isRefusal: boolean;
}

/** A hunk is called kept when it was written, rejected when the user did so, unfit when its lines had changed. */
function judgeHunk(record: FileRecord, hunk: HunkTokens, { parts, result, isRefusal }: ReadResult): string[] {
  const { id } = hunk;
  const isIn = (part: Part) =>
    allTokens(hunk).some((token) => [...parts[part].come, ...parts[part].gone].includes(token));
  const isCalledRejected = isIn("rejected") || /^The user rejected the edit/.test(result.text);
  const isKept = parts.kept.head !== "" && isIn("kept");
  // A line that two agents delete went by either.
  const isAnybodys = hunk.isShared && hunk.newLines.length === 0;
  if (!isAnybodys && wasWritten(record, hunk, result) !== isKept)
    return [`hunk ${id} was ${isKept ? "not " : ""}written`];
  if (isCalledRejected && answersTo(record.deeds, hunk).every(({ yes }) => yes)) {
    return [`hunk ${id} is called rejected, and nobody rejected it`];
  }
  if (isIn("unfit") && !wasUnfit(record, hunk, result)) return [`hunk ${id} is called unfit, and its lines were there`];
  const isMentioned = isRefusal || isKept || isCalledRejected || isIn("unfit");
  return isMentioned ? [] : [`it does not say what became of hunk ${id}`];
}

/** The user's words on a hunk that was rejected in the end. */
function judgeReasons(
  { deeds }: FileRecord,
  hunks: readonly HunkTokens[],
  { parts, result }: Pick<ReadResult, "parts" | "result">,
): string[] {
  return hunks.flatMap((hunk) => {
    const reason = answersTo(deeds, hunk).findLast(({ isSure }) => isSure)?.reason;
    const isRejected = parts.rejected.gone.concat(parts.rejected.come).some((token) => allTokens(hunk).includes(token));
    return reason === undefined || !isRejected || result.text.includes(reason)
      ? []
      : [`it leaves out why hunk ${hunk.id} was rejected`];
  });
}

/** What the model takes for the text, from the one its edit was made for, is one that the document had. */
function judgeView(record: FileRecord, { kept, further }: Record<Part, Read>, { calledAt, at }: ToolResult): string[] {
  const key = (tokens: Iterable<string>) => [...tokens].sort().join(" ");
  const texts = [...new Set(textsBetween(record, calledAt, at).map((text) => key(tokensIn(text))))];
  const there = new Set(texts);
  const fits = texts.some((before) => {
    const tokens = new Set(before.split(" "));
    for (const { gone, come } of [kept, further]) {
      for (const token of gone) tokens.delete(token);
      for (const token of come) tokens.add(token);
    }
    return there.has(key(tokens));
  });
  return fits ? [] : ["what it says does not add up to any text that the file had"];
}
