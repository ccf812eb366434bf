import type { ThinkingLevel } from "../../agent/types.ts";
import { thinkingLevels } from "../../protocol/modes.ts";

/** What an earlier session, maybe of another version, kept. */
export function keptThinking(kept: unknown): ThinkingLevel {
  return thinkingLevels.find((level) => level === kept) ?? "off";
}

/** The chosen level or, of a model that does not know it, the next lower one. */
export function thinkingFor(chosen: ThinkingLevel, known: readonly ThinkingLevel[] | undefined): ThinkingLevel {
  if (known === undefined) return chosen;
  const upToChosen = thinkingLevels.slice(0, thinkingLevels.indexOf(chosen) + 1);
  return upToChosen.findLast((level) => known.includes(level)) ?? "off";
}
