/** A reported number of tokens. Anything that is none counts as zero, so that no sum becomes NaN. */
export function tokenCount(reported: unknown): number {
  return typeof reported === "number" && Number.isFinite(reported) && reported > 0 ? Math.round(reported) : 0;
}

/** Whether a report counts anything at all. An empty one says no more than none: unknown, not zero. */
export function reportsTokens(...counts: readonly unknown[]): boolean {
  return counts.some((count) => typeof count === "number" && Number.isFinite(count));
}

/**
 * Input without what came from or went to the cache. Most servers count the cache as input; one whose cache is larger
 * than the input has reported them apart.
 */
export function uncachedInput(input: number, cache: { read: number; write: number }): number {
  return cache.read > input ? input : Math.max(0, input - cache.read - cache.write);
}
