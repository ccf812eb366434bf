/** The start of a text that shall not fill the panel; undefined when all of it is short enough. */
export function clipped(text: string, limits: { lines: number; characters: number }): string | undefined {
  let end = 0;
  for (let line = 0; line < limits.lines; line++) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
    if (end >= text.length) break;
  }
  const head = text.slice(0, Math.min(end, limits.characters)).trimEnd();
  return text.trimEnd().length > head.length ? head : undefined;
}
