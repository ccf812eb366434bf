import type { Line } from "./lines.ts";
import type { Head } from "./records.ts";

export interface PageLimits {
  bytes: number;
  entries: number;
}

/** What a panel shows at once with ease, many times over. */
export const pageLimits: PageLimits = { bytes: 4 * 1_024 * 1_024, entries: 4_000 };

/**
 * Where the last page of these lines begins: an index, 0 when they fit into one. It begins with a turn of the root
 * agent, when one is near: none of its calls is under way there.
 */
export function startOfLastPage(lines: readonly Line[], limits: PageLimits): number {
  let bytes = 0;
  let full: number | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    bytes += lines[at]?.length ?? 0;
    const share = Math.max(bytes / limits.bytes, (lines.length - at) / limits.entries);
    if (share > 1) full ??= at + 1;
    if (full === undefined) continue;
    if (isStart(lines[at]?.head)) return at;
    // Rather in the middle of a turn than twice the size.
    if (share > 2) return Math.min(full, lines.length - 1);
  }
  return 0;
}

function isStart(head: Head | undefined): boolean {
  return head?.depth === 0 && (head.kind === "turn_start" || head.kind === "agent_start");
}
