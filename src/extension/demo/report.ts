import type { Finding } from "./rank.ts";
import type { Query } from "./words.ts";

/** An explorer's report: for a reader, and for the agent that merges it with others. */
export function reportFindings(findings: readonly Finding[], query: Query, faults: readonly string[]): string {
  const words = query.terms.map((term) => `“${term.word}”`).join(", ");
  const trouble = faults.map((fault) => `A search failed: ${fault}`);
  if (findings.length === 0) return [`Nothing found for ${words}.`, ...trouble].join("\n");
  return [`Found for ${words}, best first:`, "", ...findings.map(describeFinding), ...trouble].join("\n");
}

/** One line that `readReport` reads back. */
function describeFinding({ path, line, text, points, reason }: Finding): string {
  return `- \`${path}:${line}\` (${Math.round(points * 10)} points, ${reason}): ${inlineCode(clip(text.trim()))}`;
}

/** The findings of a report. */
export function readReport(report: string): Finding[] {
  return report.split("\n").flatMap((entry): Finding[] => {
    const match = /^- `(.+):(\d+)` \((\d+) points, (.*?)\): (`+) ?(.*?) ?\5$/.exec(entry);
    if (match === null) return [];
    const [, path = "", line, points, reason = "", , text = ""] = match;
    return [{ path, line: Number(line), text, points: Number(points) / 10, reason }];
  });
}

/** Code within a sentence, whatever it holds. */
export function inlineCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

const shownCharacters = 160;

function clip(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
