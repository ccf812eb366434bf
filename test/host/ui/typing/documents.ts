/**
 * The files of a round. Every line and everything that is put into one has a token of its own, so that its origin can be
 * read from any text: `o0105` line 5 of file 1, `a2103` line 3 of the first hunk of proposal 2, `u0017` what the user
 * typed, `x0001` what another program wrote.
 */

export type HunkKind = "replace" | "replaceTwo" | "shrink" | "insert" | "delete";

/** Of each plot the user has the first and the last line, a hunk the two between. */
export const linesPerPlot = 4;

export interface HunkTokens {
  id: string;
  proposal: number;
  kind: HunkKind;
  plot: number;
  /** Whole lines without their ends, as they are in the file, and as they are to be. */
  oldLines: readonly string[];
  newLines: readonly string[];
  /** The line above, which stays. */
  anchor: string;
  /** Another agent changes lines of the same plot. */
  isShared: boolean;
}

const number = (value: number, digits: number) => String(value).padStart(digits, "0");
const words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll"];
const word = (index: number) => words[index % words.length] ?? "";

export const originalToken = (file: number, line: number) => `o${number(file, 2)}${number(line, 2)}`;
export const userToken = (index: number) => `u${number(index, 4)}`;
export const writtenToken = (index: number) => `x${number(index, 4)}`;

/** All tokens in a text, as often as they are in it. */
export const tokensIn = (text: string): string[] => text.match(/\b[oaux]\d{4}\b/g) ?? [];

/** The lines of a file; the first of each plot ends in blanks, which a formatter would take away. */
export function originalLines(file: number, count: number): string[] {
  return Array.from({ length: count }, (_, line) => {
    const text = `${originalToken(file, line)} ${word(line)} ${word(line * 3 + file)}`;
    return line % linesPerPlot === 0 ? `${text}  ` : text;
  });
}

/** A hunk in the middle of a plot. */
export function hunkIn(
  lines: readonly string[],
  { proposal, index, plot, kind }: Pick<HunkTokens, "proposal" | "kind" | "plot"> & { index: number },
): HunkTokens {
  const first = plot * linesPerPlot + 1;
  const fresh = (count: number) =>
    Array.from({ length: count }, (_, line) => `a${proposal}${index}${number(line, 2)} ${word(line + plot)} new`);
  const counts: Record<HunkKind, [old: number, now: number]> = {
    replace: [1, 1],
    replaceTwo: [2, 3],
    shrink: [2, 1],
    insert: [0, 2],
    delete: [1, 0],
  };
  const [old, now] = counts[kind];
  // What is inserted follows the first of the two lines, so that it has lines of no one else beside it.
  const at = kind === "insert" ? first + 1 : first;
  return {
    id: `${proposal}.${index}`,
    ...{ proposal, kind, plot },
    oldLines: lines.slice(at, at + old),
    newLines: fresh(now),
    anchor: lines[at - 1] ?? "",
    isShared: false,
  };
}

/** The hunk as `edit_file` takes it. */
export function editOf({ kind, oldLines, newLines, anchor }: HunkTokens): { old_text: string; new_text: string } {
  if (kind === "insert") return { old_text: `${anchor}\n`, new_text: `${[anchor, ...newLines].join("\n")}\n` };
  if (kind === "delete") return { old_text: `${oldLines.join("\n")}\n`, new_text: "" };
  return { old_text: oldLines.join("\n"), new_text: newLines.join("\n") };
}

export const oldTokens = (hunk: HunkTokens): string[] => hunk.oldLines.flatMap(tokensIn);
export const newTokens = (hunk: HunkTokens): string[] => hunk.newLines.flatMap(tokensIn);

export const allTokens = (hunk: HunkTokens): string[] => [...newTokens(hunk), ...oldTokens(hunk)];

/** Whether the lines stand in the text as they are, one below the other; of an insertion there is nothing to stand. */
export function standsIn(text: string, lines: readonly string[]): boolean {
  const all = text.split(/\r\n|\n/).map((line) => line.trimEnd());
  const wanted = lines.map((line) => line.trimEnd());
  const start = all.indexOf(wanted[0] ?? "");
  return wanted.length === 0 || (start >= 0 && wanted.every((line, index) => all[start + index] === line));
}
