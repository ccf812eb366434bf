import { sep } from "node:path";
import * as z from "zod";
import { clipLine } from "./searchLines.ts";
import type { TextMatch } from "./workspace.ts";

/** Text, or bytes (base64) where it is not UTF-8. */
const textSchema = z.union([
  z.object({ text: z.string() }),
  z.object({ bytes: z.string() }).transform(({ bytes }) => ({ text: Buffer.from(bytes, "base64").toString("latin1") })),
]);

const lineSchema = z.object({
  type: z.enum(["match", "context"]),
  data: z.object({
    path: textSchema,
    lines: textSchema,
    line_number: z.int(),
    submatches: z.array(z.object({ start: z.int() })),
  }),
});

/** The lines of ripgrep's JSON output that are matches or stand around them. */
export async function* matchesOf(lines: AsyncIterable<string>): AsyncGenerator<TextMatch> {
  for await (const line of lines) {
    if (!line.startsWith('{"type":"match"') && !line.startsWith('{"type":"context"')) continue;
    const { type, data } = lineSchema.parse(JSON.parse(line));
    const path = relativePath(data.path.text);
    const texts = data.lines.text.replace(/\r?\n$/, "").split(/\r?\n/);
    for (const [index, text] of texts.entries()) {
      const at = index === 0 ? (data.submatches[0]?.start ?? 0) : 0;
      yield { path, line: data.line_number + index, text: clipLine(text, at), isMatch: type === "match" };
    }
  }
}

/** A path as ripgrep writes it for a search of `./`, with forward slashes and without the start. */
export function relativePath(path: string): string {
  const slashed = sep === "/" ? path : path.replaceAll(sep, "/");
  return slashed.startsWith("./") ? slashed.slice(2) : slashed;
}
