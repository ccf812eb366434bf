import { diffSequences } from "./sequenceDiff.ts";

/** Characters of one line, from 0: from `start` to before `end`. */
export interface WordRange {
  line: number;
  start: number;
  end: number;
}

/** What differs between lines and the lines they become. */
export interface ChangedWords {
  old: readonly WordRange[];
  new: readonly WordRange[];
}

/** Longer texts are compared line by line only: a reader would not look for single words in them. */
const maxTokens = 4_000;
/** When less than this share of the words stays, the lines are new altogether and no word of them is marked. */
const leastShared = 0.3;

const none: ChangedWords = { old: [], new: [] };

/** The words that differ. None where lines are only added or only removed, or have little in common. */
export function changedWords(oldLines: readonly string[], newLines: readonly string[]): ChangedWords {
  const [old, now] = [tokensOf(oldLines), tokensOf(newLines)];
  if (old.length === 0 || now.length === 0 || old.length + now.length > maxTokens) return none;
  const differences = diffSequences(
    old.map(({ text }) => text),
    now.map(({ text }) => text),
  );
  const isChanged = (tokens: readonly Token[], side: "a" | "b") => {
    const changed = new Set<Token>();
    for (const difference of differences) {
      for (const token of tokens.slice(difference[`${side}Start`], difference[`${side}End`])) changed.add(token);
    }
    return changed;
  };
  const [removed, added] = [isChanged(old, "a"), isChanged(now, "b")];
  if (shareOf(old, removed) < leastShared && shareOf(now, added) < leastShared) return none;
  return { old: rangesOf(old, removed), new: rangesOf(now, added) };
}

interface Token extends WordRange {
  text: string;
}

/** Words, runs of blanks, and every other character alone; a line break is a token too, so that lines stay apart. */
function tokensOf(lines: readonly string[]): Token[] {
  return lines.flatMap((text, line) => [
    ...[...text.matchAll(/[\p{L}\p{N}_]+|\s+|./gu)].map(({ 0: token, index }) => ({
      ...{ line, start: index, end: index + token.length },
      text: token,
    })),
    ...(line < lines.length - 1 ? [{ line, start: text.length, end: text.length, text: "\n" }] : []),
  ]);
}

/** How much of what can be seen stays, by characters. */
function shareOf(tokens: readonly Token[], changed: ReadonlySet<Token>): number {
  const length = (some: readonly Token[]) =>
    some.reduce((sum, { text }) => sum + (text.trim() === "" ? 0 : text.length), 0);
  const whole = length(tokens);
  return whole === 0 ? 0 : length(tokens.filter((token) => !changed.has(token))) / whole;
}

/** Neighbours become one range, with the blanks between them; blanks around them are not marked. */
function rangesOf(tokens: readonly Token[], changed: ReadonlySet<Token>): WordRange[] {
  const ranges: WordRange[] = [];
  let blanksFrom: number | undefined;
  for (const token of tokens) {
    if (token.text.trim() === "") {
      blanksFrom = token.start;
      continue;
    }
    const previous = ranges.at(-1);
    const before = blanksFrom ?? token.start;
    blanksFrom = undefined;
    if (!changed.has(token)) continue;
    if (previous?.line === token.line && previous.end === before) previous.end = token.end;
    else ranges.push({ line: token.line, start: token.start, end: token.end });
  }
  return ranges;
}
