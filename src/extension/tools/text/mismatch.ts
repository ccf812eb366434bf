import { EditError } from "./editError.ts";
import { lineNumbers } from "./nearestLines.ts";

const leftOutLine = /^(?:\/\/|#|--|\/\*|<!--)?\s*(?:\.{3}|…).*$/;
const copiedNumber = /^\s*\d+(?:\t| ?[|:→])/;
/** A text this short may be in a file by chance. */
const minTelling = 12;

/**
 * Why a text that a model copied is not in the file, as a sentence that goes on from "was not found:"; undefined where
 * none of the usual causes is certain.
 */
export function mismatchOf(text: string, search: string, replacement: string): string | undefined {
  const lines = search.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > 0 && lines.every((line) => copiedNumber.test(line))) {
    return "it contains line numbers. Leave them out.";
  }
  for (const { what, clean } of wrappings) {
    const cleaned = clean(search);
    if (cleaned === undefined || cleaned.trim() === "") continue;
    const at = text.indexOf(cleaned);
    if (at >= 0) return `without ${what} it is at line ${lineNumbers(text, [at])}. Give the file's text alone.`;
  }
  const known = new Set(text.split("\n").map((line) => line.trim()));
  const leftOut = lines.map((line) => line.trim()).find((line) => leftOutLine.test(line) && !known.has(line));
  if (leftOut !== undefined) {
    return `"${leftOut}" is a placeholder for omitted lines. Give all lines of one place, or one edit for each place.`;
  }
  const isTelling = replacement.trim().length >= minTelling && !search.includes(replacement.trim());
  const made = isTelling ? text.indexOf(replacement) : -1;
  if (made < 0) return undefined;
  return `new_text is there already, at line ${lineNumbers(text, [made])}. If this edit was made before, go on without it.`;
}

/** What models put around a text, or make of its characters, with what takes it away; undefined where it is not there. */
const wrappings: readonly { what: string; clean(search: string): string | undefined }[] = [
  { what: "the code fence around it", clean: (search) => /^\s*```[^\n]*\n(.*?)\n?```\s*$/s.exec(search)?.[1] },
  {
    what: "the conflict markers",
    clean: (search) => /^<{4,}[^\n]*\n(.*?)\n?(?:={4,}[^\n]*\s*|>{4,}[^\n]*\s*)$/s.exec(search)?.[1],
  },
  {
    what: 'the "-" or "+" before its lines',
    clean: (search) =>
      /^[-+]/m.test(search) && /^(?:[-+ ][^\n]*(?:\n|$))+$/.test(search) ? search.replace(/^[-+ ]/gm, "") : undefined,
  },
  {
    what: "the blank lines around it",
    clean: (search) => (/^\s*\n|\n\s*\n$/.test(search) ? search.replace(/^(?:[ \t]*\n)+|\s+$/g, "") : undefined),
  },
  {
    what: "HTML entities (&lt; for <)",
    clean: (search) => (/&(?:lt|gt|amp|quot|#39|apos);/.test(search) ? withoutEntities(search) : undefined),
  },
  {
    what: "the backslashes before its quotes",
    clean: (search) => (/\\["'`]/.test(search) ? search.replace(/\\(["'`])/g, "$1") : undefined),
  },
];

function withoutEntities(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replace(/&(?:#39|apos);/g, "'")
    .replaceAll("&amp;", "&");
}

/** Files in which a code block may be all that is written. */
const prose = /\.(?:md|mdx|mdc|markdown|qmd|rmd|rst|adoc|txt|prompt)$|(?:^|\/)[^./]+$/i;

/** Whether a text for a file of code is in the fence of a Markdown code block, as if it were an answer in a chat. */
export function isFenced(path: string, text: string, before: string): boolean {
  if (prose.test(path) || before.includes("```")) return false;
  return /^\s*```[^\n`]*\n.*\n\s*```\s*$/s.test(text) && text.split("```").length === 3;
}

export function fencedText(field: "content" | "new_text"): EditError {
  return new EditError(
    "malformed",
    `${field} is in a Markdown code fence, which would be written into the file. Give the code without the \`\`\` lines.`,
  );
}
