/** A reported number of tokens. Anything that is none counts as zero, so that no sum becomes NaN. */
export function tokenCount(reported: unknown): number {
  return typeof reported === "number" && Number.isFinite(reported) && reported > 0 ? Math.round(reported) : 0;
}
