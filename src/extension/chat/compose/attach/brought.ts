import type { ImagePart, TextPart } from "../../../../agent/index.ts";

/** What an attachment brings: one text, and for some a picture after it. */
export type Brought = [TextPart] | [TextPart, ImagePart];

/** The most characters that one attachment brings, unless the user put them there. */
export const mostOfOne = 100_000;

/** An element of ours around a text: attributes are JSON, so that no name ends them. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  text: string,
): [TextPart] {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}=${JSON.stringify(String(value))}`],
  );
  return [{ type: "text", text: `<${name}${written.join("")}>\n${text}\n</${name}>` }];
}

/** As many whole lines as there is room for; a single line that is longer is cut. */
export function fittingLines(lines: readonly string[], room: number): { text: string; shown: number } {
  let length = 0;
  let shown = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room + 1) break;
    shown++;
  }
  if (shown > 0 || lines.length === 0) return { text: lines.slice(0, shown).join("\n"), shown };
  return { text: (lines[0] ?? "").slice(0, Math.max(0, room)), shown: 0 };
}
