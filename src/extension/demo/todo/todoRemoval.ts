import type { LineChange } from "../lineChanges.ts";
import type { TodoComment } from "./todoComments.ts";

/** The change that takes a TODO away and leaves the code and the rest of a longer comment as they are. */
export function removalOf(lines: readonly string[], { start, end, codeBefore }: TodoComment): LineChange {
  if (codeBefore !== "") return { start, end: start, lines: [codeBefore] };
  const first = lines[start - 1] ?? "";
  const last = lines[end - 1] ?? "";
  const opens = /^\s*\/\*/.test(first);
  const closes = /\*\/\s*$/.test(last);
  const indent = /^\s*/.exec(first)?.[0] ?? "";
  if (opens && !closes) return { start, end, lines: [/^\s*\/\*+/.exec(first)?.[0] ?? ""] };
  if (closes && !opens && /^\s*\*/.test(first)) return { start, end, lines: [`${indent}*/`] };
  return { start, end, lines: [] };
}
