import { delegateEdit } from "./delegateEdit.ts";
import { describeEdits } from "./editReport.ts";
import { readFiles } from "./readFiles.ts";
import type { ReplaceRequest } from "./replaceRequest.ts";
import { inlineCode } from "./report.ts";
import { type Call, gather, type Step, type Work } from "./step.ts";
import { isCutShort, readMatches } from "./toolTexts.ts";
import { findWords, wordEdits } from "./wordEdits.ts";

const mostMatches = 1_000;
const mostFiles = 40;

/** Replaces a text in all files: find, read, propose one edit per file, tell what became of it. */
export function replaceText(request: ReplaceRequest, sentence: string, work: Work): Step {
  const { from, to } = request;
  if (from === to) return { type: "answer", text: `${inlineCode(from)} is already what it would become.` };
  if (work.agents.has("edit")) return delegateEdit(sentence, work);
  const searching = searchCall(request, true);
  const { outcomes, missing } = gather(work, [searching]);
  if (missing.length > 0) return { type: "calls", text: `Searching for ${inlineCode(from)}.`, calls: missing };
  const found = outcomes[0];
  if (found === undefined || found.isError) return { type: "answer", text: `The search failed: ${found?.text ?? ""}` };
  const places = countPlaces(found.text, request);
  const paths = places.files.slice(0, mostFiles);
  if (paths.length === 0) return nothingFound(request, places.insideOthers, work);
  const read = readFiles(paths, work);
  if (read.missing.length > 0) {
    const text = `${inlineCode(from)} stands in ${count(places.files.length, "file")}. Reading before editing.`;
    return { type: "calls", text, calls: read.missing };
  }
  return proposeEdits(
    request,
    read.files,
    { ...places, cut: isCutShort(found.text) || places.files.length > mostFiles },
    work,
  );
}

function proposeEdits(
  request: ReplaceRequest,
  files: ReadonlyMap<string, string[]>,
  { insideOthers, cut }: Places & { cut: boolean },
  work: Work,
): Step {
  const { from, to, insideWords } = request;
  const editing = [...files].flatMap(([path, lines]): Call[] => {
    const edits = wordEdits(lines, request);
    return edits.length === 0 ? [] : [{ name: "edit_file", arguments: { path, edits } }];
  });
  const { outcomes, missing } = gather(work, editing);
  if (missing.length > 0) {
    const text = `Proposing to replace ${inlineCode(from)} with ${inlineCode(to)} in ${count(editing.length, "file")}.`;
    return { type: "calls", text, calls: missing };
  }
  const notes = [
    ...(insideOthers > 0 && !insideWords
      ? [
          `Left alone: ${count(insideOthers, "place")} where ${inlineCode(from)} is part of a longer word. To change these too, add “also inside longer words”.`,
        ]
      : []),
    ...(cut ? ["There are more places than I take in at once: ask again for the rest."] : []),
  ];
  const heading = `Replacing ${inlineCode(from)} with ${inlineCode(to)}:`;
  return { type: "answer", text: [heading, describeEdits(editing, outcomes), ...notes].join("\n\n") };
}

interface Places {
  /** Files with at least one place to change. */
  files: string[];
  insideOthers: number;
}

function countPlaces(found: string, { from, insideWords }: ReplaceRequest): Places {
  const files: string[] = [];
  let insideOthers = 0;
  for (const [path, lines] of readMatches(found)) {
    const words = lines.map(({ text }) => findWords(text, from));
    insideOthers += words.reduce((sum, word) => sum + word.insideOthers, 0);
    if (insideWords || words.some(({ starts }) => starts.length > 0)) files.push(path);
  }
  return { files, insideOthers };
}

function nothingFound(request: ReplaceRequest, insideOthers: number, work: Work): Step {
  const { from, within } = request;
  const where = within === undefined ? "in this workspace" : `in ${inlineCode(within)}`;
  if (insideOthers > 0) {
    const text = `${inlineCode(from)} stands ${where} only as part of longer words (${count(insideOthers, "place")}). To change these, add “also inside longer words”.`;
    return { type: "answer", text };
  }
  const { outcomes, missing } = gather(work, [searchCall(request, false)]);
  if (missing.length > 0) return { type: "calls", text: "Nothing yet. Looking again in any case.", calls: missing };
  const similar = [...readMatches(outcomes[0]?.text ?? "")].flatMap(([path, lines]) =>
    lines.slice(0, 1).map(({ line, text }) => `\n- \`${path}:${line}\` ${inlineCode(text.trim())}`),
  );
  const hint = similar.length === 0 ? "" : ` In other case it does:${similar.slice(0, 5).join("")}`;
  return { type: "answer", text: `${inlineCode(from)} does not occur ${where}, so nothing was changed.${hint}` };
}

function searchCall({ from, within }: ReplaceRequest, caseSensitive: boolean): Call {
  const include = within === undefined ? {} : { include: globOf(within) };
  return {
    name: "search_text",
    arguments: { query: from, case_sensitive: caseSensitive, limit: caseSensitive ? mostMatches : 20, ...include },
  };
}

/** A file as it is, at any depth if it is a mere name; a folder with all that it holds. */
function globOf(within: string): string {
  const path = within.replace(/^\.?\//, "").replace(/\/$/, "");
  const isFile = !within.endsWith("/") && /\.[^/]+$/.test(path);
  return isFile ? (path.includes("/") ? path : `**/${path}`) : `${path}/**`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
