import type { WholeFile } from "./searchFile.ts";
import { standingNumbers } from "./standing.ts";
import type { EarlierMessages } from "./transcripts.ts";
import type { Written } from "./writer.ts";

/** Nobody has spoken yet. */
export const nothingWritten: Written = {
  size: 0,
  lacksLineEnd: false,
  lastSeq: 0,
  spent: { tokens: 0, cost: 0 },
  earlier: { of: () => undefined, isUnknown: () => false },
};

export function writtenIn(whole: WholeFile): Written {
  const { end, lacksLineEnd, lastSeq, spent } = whole;
  return { size: end, lacksLineEnd, lastSeq, spent, earlier: earlierIn(whole) };
}

/** What the agents at depth 0 said is known by its digests; what others said is not followed. */
function earlierIn({ lines, standings }: WholeFile): EarlierMessages {
  const others = new Set<string>();
  for (const { head } of lines) if (head.of !== undefined && !standings.has(head.of)) others.add(head.of);
  return {
    of(agentId) {
      const standing = standings.get(agentId);
      return standing && { messages: standing.messages, numbers: standingNumbers(standing) };
    },
    isUnknown: (agentId) => others.has(agentId),
  };
}
