import { type DemoCall, delegate, type Outcome, type Rule, type Work } from "./conversation.ts";
import { count, inlineCode } from "./markdown.ts";
import { wholeWord } from "./query.ts";
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
export function* replaceText(replacement: NameReplacement, sentence: string, { agents }: Work): Rule {
  const { from, to, within } = replacement;
  if (from === to) return `${inlineCode(from)} is already what it would become.`;
  if (agents.has("edit")) return yield* delegate("edit", sentence);
  const search = { query: from, case_sensitive: true, limit: maxMatches, ...(within && { include: globOf(within) }) };
  const calls = [{ name: "search_text", arguments: search }];
  const [found] = yield { text: `Searching for ${inlineCode(from)}.`, calls };
  if (found === undefined || found.isError) return `The search failed: ${found?.text ?? ""}`;
  const { files, insideOthers } = countWords(found.text, from);
  if (files.length === 0) {
    const where = within === undefined ? "in this workspace" : `in ${inlineCode(within)}`;
    const others = insideOthers === 0 ? "" : ` except within longer words (${count(insideOthers, "place")})`;
    return `${inlineCode(from)} does not occur ${where}${others}, so nothing was changed.`;
  }
  const occurs = `${inlineCode(from)} occurs in ${count(files.length, "file")}. Reading before editing.`;
  const read = yield* readFiles(files.slice(0, maxFiles), occurs);
  const edits = [...read].flatMap(([path, lines]) => editCall(path, lines, replacement));
  const proposing = `Proposing to replace ${inlineCode(from)} with ${inlineCode(to)} in ${count(edits.length, "file")}.`;
  const outcomes = yield { text: proposing, calls: edits };
  const reports = edits.map((call, index) => describeEdit(call, outcomes[index]));
  const text = [`Replacing ${inlineCode(from)} with ${inlineCode(to)}:`, reports.join("\n")];
  if (insideOthers > 0) text.push(`Left alone: ${count(insideOthers, "place")} within longer words.`);
  const isCutShort = /^\(.*(narrow the (search|pattern)|do not fit)/m.test(found.text);
  if (isCutShort || files.length > maxFiles) text.push("There are more: ask again for the rest.");
  return text.join("\n\n");
}

/** A file as it is, at any depth if it is a mere name; a folder with all that it holds. */
function globOf(within: string): string {
  const path = within.replace(/^\.?\//, "").replace(/\/$/, "");
  if (within.endsWith("/") || !/\.[^/]+$/.test(path)) return `${path}/**`;
  return path.includes("/") ? path : `**/${path}`;
}

/** The files with a word to replace, and how often the text is only part of a longer word. */
function countWords(found: string, from: string): { files: string[]; insideOthers: number } {
  const word = wholeWord(from, "gu");
  const counts = [...parseMatches(found)].map(([path, lines]) => {
    const text = lines.map((line) => line.text).join("\n");
    return { path, words: text.match(word)?.length ?? 0, all: text.split(from).length - 1 };
  });
  const files = counts.filter(({ words }) => words > 0).map(({ path }) => path);
  return { files, insideOthers: counts.reduce((sum, { words, all }) => sum + Math.max(0, all - words), 0) };
}

/** The lines from the first that changes to the last, or the whole file where these occur twice. */
function editCall(path: string, lines: readonly string[], { from, to }: NameReplacement): DemoCall[] {
  const word = wholeWord(from, "gu");
  const replaced = lines.map((line) => line.replace(word, () => to));
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
  for (const [, line, reason] of main.matchAll(
    /^(?:@@ -(\d+),.*|Rejected by the user (?:without a reason|saying: (".*")))$/gm,
  )) {
    if (line === undefined) answer = reason === undefined ? "" : `, you said: “${String(JSON.parse(reason))}”`;
    else if (answer === undefined) kept++;
    else rejected.push(`\n  - rejected, line ${line}${answer}`);
  }
  const changes = kept === 1 ? "the change was kept" : `${kept} changes were kept`;
  const decided = kept === 0 ? "rejected, nothing was written" : `kept ${kept}, rejected ${rejected.length}`;
  return `${heading}: ${rejected.length === 0 ? changes : decided}.${rejected.join("")}`;
}
