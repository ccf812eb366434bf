import { nearestLevel } from "../../agent/providers/shared/modelFamily.ts";
import type { ThinkingLevel } from "../../agent/types.ts";
import { thinkingLevels } from "../../protocol/modes.ts";

/** What an earlier session, maybe of another version, saved; undefined where nothing was chosen. */
export function savedThinking(saved: unknown): ThinkingLevel | undefined {
  return thinkingLevels.find((level) => level === saved);
}

/**
 * The chosen level or, of a model that does not know it, the next lower one; at least its lowest. Where nothing was
 * chosen, models think as their makers mean them to; one of which nothing is known is left alone.
 */
export function thinkingFor(
  chosen: ThinkingLevel | undefined,
  known: readonly ThinkingLevel[] | undefined,
): ThinkingLevel {
  if (known === undefined) return chosen ?? "off";
  return nearestLevel(chosen ?? "medium", known);
}
