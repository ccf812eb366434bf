import { type DemoCall, type DemoStep, delegate, gather, type Outcome, type Work } from "./conversation.ts";
import { inlineCode } from "./explore.ts";
import { parseMatches, readFiles } from "./toolResults.ts";

/** "Replace `from` with `to`", read from a sentence. */
export interface NameReplacement {
  from: string;
  to: string;
  /** The file or folder that it is limited to. */
  within?: string;
}

const maxMatches = 1_000;
const maxFiles = 40;
/** The pattern would be slow on a pasted page. */
const maxSentenceLength = 400;
const wordCharacter = /[\p{L}\p{N}_$]/u;

const operand = String.raw`(\x60[^\x60]+\x60|"[^"]+"|“[^”]+”|‘[^’]+’|'[^']+'|.+?)`;
const kind = String.raw`(?:(?:all|every)\s+)?(?:(?:occurrences?|uses?)\s+of\s+)?(?:the\s+)?(?:(?:function|method|variable|constant|class|type|name|word|text)\s+)?`;
const everywhere = String.raw`\s+(?:everywhere|globally|(?:in|across|throughout)\s+(?:the\s+)?(?:whole\s+|entire\s+)?(?:workspace|project|codebase|repository|code|all files|every file))\b.*?`;
const within = String.raw`\s+(?:in|within|inside|under)\s+(?:the\s+)?(?:file\s+|folder\s+)?[\x60"']?(?<within>[\w./@-]*[./][\w./@*-]*)[\x60"']?`;
const request = new RegExp(
  String.raw`^\W*(?:please\s+|can you\s+|could you\s+|now\s+|then\s+)*(?:replace\s+${kind}${operand}\s+(?:with|by)|rename\s+${kind}${operand}\s+(?:to|into|as))\s+${kind}${operand}(?:${everywhere}|${within})?\s*[.!?]?$`,
  "iu",
);

export function parseReplacement(text: string): NameReplacement | undefined {
  const sentence = text.trim().replace(/\s+/g, " ");
  const match = sentence.length > maxSentenceLength ? null : request.exec(sentence);
  if (match === null) return undefined;
  const folder = match.groups?.within;
  const from = unquote(match[1] ?? match[2] ?? "");
  return { from, to: unquote(match[3] ?? ""), ...(folder === undefined ? {} : { within: folder }) };
}

function unquote(text: string): string {
  return /^(?:`.+`|".+"|“.+”|‘.+’|'.+')$/.test(text) ? text.slice(1, -1) : text;
}

/** Replaces a text in all files, as the edit agent or through it: find, read, propose one edit per file, report. */
export function replaceText(replacement: NameReplacement, sentence: string, work: Work): DemoStep {
  const { from, to } = replacement;
  if (from === to) return { type: "answer", text: `${inlineCode(from)} is already what it would become.` };
  if (work.agents.has("edit")) return delegate("edit", sentence, work);
  const { outcomes, missing } = gather(work, [searchCall(replacement)]);
  if (missing.length > 0) return { type: "calls", text: `Searching for ${inlineCode(from)}.`, calls: missing };
  const found = outcomes[0];
  if (found === undefined || found.isError) return { type: "answer", text: `The search failed: ${found?.text ?? ""}` };
  const { files, insideOthers } = countWords(found.text, from);
  if (files.length === 0) return { type: "answer", text: describeNothing(replacement, insideOthers) };
  const read = readFiles(files.slice(0, maxFiles), work);
  if (read.missing.length > 0) {
    const text = `${inlineCode(from)} occurs in ${count(files.length, "file")}. Reading before editing.`;
    return { type: "calls", text, calls: read.missing };
  }
  const editing = [...read.files].flatMap(([path, lines]) => editCall(path, lines, replacement));
  const edited = gather(work, editing);
  if (edited.missing.length > 0) {
    const text = `Proposing to replace ${inlineCode(from)} with ${inlineCode(to)} in ${count(editing.length, "file")}.`;
    return { type: "calls", text, calls: edited.missing };
  }
  const reports = editing.map((call, index) => describeEdit(call, edited.outcomes[index]));
  const text = [`Replacing ${inlineCode(from)} with ${inlineCode(to)}:`, reports.join("\n")];
  if (insideOthers > 0) text.push(`Left alone: ${count(insideOthers, "place")} within longer words.`);
  if (isCutShort(found.text) || files.length > maxFiles) text.push("There are more: ask again for the rest.");
  return { type: "answer", text: text.join("\n\n") };
}

function searchCall({ from, within }: NameReplacement): DemoCall {
  const include = within === undefined ? {} : { include: globOf(within) };
  return { name: "search_text", arguments: { query: from, case_sensitive: true, limit: maxMatches, ...include } };
}

/** A file as it is, at any depth if it is a mere name; a folder with all that it holds. */
function globOf(within: string): string {
  const path = within.replace(/^\.?\//, "").replace(/\/$/, "");
  if (within.endsWith("/") || !/\.[^/]+$/.test(path)) return `${path}/**`;
  return path.includes("/") ? path : `**/${path}`;
}

/** The files with a word to replace, and how often the text is only part of a longer word. */
function countWords(found: string, from: string): { files: string[]; insideOthers: number } {
  const words = [...parseMatches(found)].map(([path, lines]) => {
    const inLines = lines.map(({ text }) => findWords(text, from));
    const starts = inLines.flatMap((line) => line.starts);
    return { path, starts, insideOthers: inLines.reduce((sum, line) => sum + line.insideOthers, 0) };
  });
  const files = words.filter(({ starts }) => starts.length > 0).map(({ path }) => path);
  return { files, insideOthers: words.reduce((sum, one) => sum + one.insideOthers, 0) };
}

function describeNothing({ from, within }: NameReplacement, insideOthers: number): string {
  const where = within === undefined ? "in this workspace" : `in ${inlineCode(within)}`;
  const others = insideOthers === 0 ? "" : ` except within longer words (${count(insideOthers, "place")})`;
  return `${inlineCode(from)} does not occur ${where}${others}, so nothing was changed.`;
}

/** Where a text is a word of its own in a line, and how often it is only part of a longer one. */
function findWords(line: string, text: string): { starts: number[]; insideOthers: number } {
  const isJoined = (a = "", b = "") => wordCharacter.test(a) && wordCharacter.test(b);
  const starts: number[] = [];
  let insideOthers = 0;
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) {
    const end = at + text.length;
    if (isJoined(line[at - 1], text[0]) || isJoined(text.at(-1), line[end])) insideOthers++;
    else starts.push(at);
  }
  return { starts, insideOthers };
}

/** The lines from the first that changes to the last, or the whole file where these occur twice. */
function editCall(path: string, lines: readonly string[], { from, to }: NameReplacement): DemoCall[] {
  const replaced = lines.map((line) =>
    findWords(line, from).starts.reduceRight((text, at) => text.slice(0, at) + to + text.slice(at + from.length), line),
  );
  const first = replaced.findIndex((line, index) => line !== lines[index]);
  if (first < 0) return [];
  const end = replaced.findLastIndex((line, index) => line !== lines[index]) + 1;
  const whole = lines.join("\n");
  const part = lines.slice(first, end).join("\n");
  const isUnique = whole.indexOf(part) === whole.lastIndexOf(part);
  const edit = isUnique
    ? { old_text: part, new_text: replaced.slice(first, end).join("\n") }
    : { old_text: whole, new_text: replaced.join("\n") };
  return [{ name: "edit_file", arguments: { path, edits: [edit] } }];
}

/** What the user decided on a file's edit, as `edit_file` reports it: hunks kept, hunks rejected and why. */
function describeEdit({ arguments: { path } }: DemoCall, outcome: Outcome | undefined): string {
  const text = outcome?.text ?? "";
  const heading = `- \`${String(path)}\``;
  if (outcome === undefined || outcome.isError) return `${heading}: not changed. ${text.split("\n")[0] ?? ""}`;
  // What follows are changes that are not the edit's own.
  const [main = ""] = text.split(/^(?:The user changed your proposal|Beside your edit the file got)/m);
  const rejected: string[] = [];
  let kept = 0;
  let answer: string | undefined;
  for (const line of main.split("\n")) {
    const refusal = /^Rejected by the user (?:without a reason|saying: (".*"))$/.exec(line);
    const hunk = /^@@ -(\d+),/.exec(line);
    if (refusal !== null) answer = refusal[1] === undefined ? "" : `, you said: “${String(JSON.parse(refusal[1]))}”`;
    else if (hunk !== null && answer === undefined) kept++;
    else if (hunk !== null) rejected.push(`\n  - rejected, line ${hunk[1]}${answer}`);
  }
  const changes = kept === 1 ? "the change was kept" : `${kept} changes were kept`;
  const decided = kept === 0 ? "rejected, nothing was written" : `kept ${kept}, rejected ${rejected.length}`;
  return `${heading}: ${rejected.length === 0 ? changes : decided}.${rejected.join("")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Whether a result was cut at the limit of its tool. */
function isCutShort(text: string): boolean {
  return /^\(.*(narrow the (search|pattern)|do not fit)/m.test(text);
}
