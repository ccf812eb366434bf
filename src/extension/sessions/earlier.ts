import type { WholeFile } from "./searchFile.ts";
import { standingNumbers } from "./standing.ts";
import type { EarlierMessages } from "./transcripts.ts";

/** Nobody has spoken yet. */
export const nothingEarlier: EarlierMessages = { of: () => undefined, isUnknown: () => false };

/** What the agents at depth 0 said is known by its digests; what others said is not followed. */
export function earlierIn({ lines, standings }: WholeFile): EarlierMessages {
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
