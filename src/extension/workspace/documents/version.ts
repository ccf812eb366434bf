import { createHash } from "node:crypto";

/** A version that changes whenever the text does, and with nothing else: a time of change gives false alarms. */
export function versionOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("base64url").slice(0, 22);
}

/** The text with the ranges replaced; ranges are offsets in the text as given and must not overlap. */
export function withReplacements(
  text: string,
  replacements: readonly { start: number; end: number; text: string }[],
): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: replacement } of [...replacements].sort((one, other) => one.start - other.start)) {
    if (start < done || end < start || end > text.length) throw new RangeError(`Bad range ${start}–${end}`);
    result += text.slice(done, start) + replacement;
    done = end;
  }
  return result + text.slice(done);
}
