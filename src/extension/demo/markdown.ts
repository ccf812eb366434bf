/** Code within a sentence, whatever it holds. */
export function inlineCode(text: string): string {
  const ticks = "`".repeat(maxTicks(text) + 1);
  return ticks.length === 1 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`;
}

/** Lines of code in a fence that they don't end themselves. */
export function fenced(lines: readonly string[], language = ""): string {
  const text = lines.join("\n");
  const fence = "`".repeat(Math.max(3, maxTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** How many backticks follow one another, at most. */
function maxTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Those that are not empty. */
export function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
