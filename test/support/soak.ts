import figures from "./soakFigures.json" with { type: "json" };

/** `npm run soak` sets the share of the full figures that it wants; without it each property is tried on a sample. */
const { ARBOR_SOAK: share, ARBOR_SOAK_SEED: seed } = process.env;

/** How often fast-check tries a property, and from which seed. */
export function tries(name: keyof typeof figures): { numRuns: number; seed?: number } {
  const { sample, full } = figures[name];
  return {
    numRuns: share === undefined ? sample : Math.max(1, Math.round(full * Number(share))),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  };
}

/** A soak takes the time it takes. */
export function timeLimitMs(ofSample: number): number {
  return share === undefined ? ofSample : 0;
}

/** Whether the exact figures are asked for, on a machine that does nothing else. */
export const isFull = share !== undefined;
