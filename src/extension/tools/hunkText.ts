import type { Hunk } from "../changes/model/diffLines.ts";

const mostLines = 60;
const longestLine = 300;

/** Hunks as a unified diff without context; past the limit only how many lines are left out. */
export function hunksText(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => [
    hunkHeader(hunk),
    ...hunk.oldLines.map((line) => `-${line.slice(0, longestLine)}`),
    ...hunk.newLines.map((line) => `+${line.slice(0, longestLine)}`),
  ]);
  if (lines.length <= mostLines) return lines.join("\n");
  return [...lines.slice(0, mostLines), `(${lines.length - mostLines} more lines of the diff are left out)`].join("\n");
}

/** In place of the hunks of a file that the agent may not see. */
export function hiddenHunks(): string {
  return "(The lines are not shown, since the file may hold secrets. read_file asks the user.)";
}

function hunkHeader({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines.length} +${newStart},${newLines.length} @@`;
}

/** Like "3 changes (+5 −2)". */
export function changeCount(hunks: readonly Hunk[]): string {
  const added = hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0);
  const removed = hunks.reduce((sum, hunk) => sum + hunk.oldLines.length, 0);
  return `${hunks.length} ${hunks.length === 1 ? "change" : "changes"} (+${added} −${removed})`;
}
