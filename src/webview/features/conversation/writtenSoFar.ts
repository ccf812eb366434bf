const maxLines = 8;
const maxPrintedLines = 3;
/** Enough for the last lines: what is before it is not read again with each piece that comes. */
const maxRead = 4_000;

/**
 * The last lines of the text that a streaming edit has come to, of raw JSON arguments that have no end yet. `isRemoved`:
 * it is what the edit replaces.
 */
export function writtenSoFar(json: string): { text: string; isRemoved: boolean } {
  const read = json.slice(-maxRead);
  const starts = [...read.matchAll(/"(content|new_text|old_text|patch)"\s*:\s*"/g)];
  const last = starts.at(-1);
  // Without a name in what is read, all of it is the inside of one long text.
  if (last === undefined && read.length === json.length) return { text: "", isRemoved: false };
  const start = last === undefined ? 0 : last.index + last[0].length;
  const inside = /^(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*/.exec(read.slice(start))?.[0] ?? "";
  const text = inside.replace(/\\(?:u([\da-fA-F]{4})|([^u]))/g, (_, code?: string, letter = "") =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return { text: lastLines(text), isRemoved: last?.[1] === "old_text" };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "", b: "", f: "" };

/** The last lines of what a command has printed. */
export function lastOutput(output: string): string {
  const lines = output.slice(-maxRead).split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-maxPrintedLines)
    .join("\n");
}

function lastLines(text: string): string {
  return text.split("\n").slice(-maxLines).join("\n");
}
