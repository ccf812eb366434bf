import figures from "./soakFigures.json" with { type: "json" };

/** `npm run soak` sets the share of the full figures that it wants; without it each property is tried on a sample, or on the fewer of `plain`. */
const { ARBOR_SOAK: share, ARBOR_SOAK_SEED: seed } = process.env;

/** `npm test` leaves out what repeats a test at full scale; `npm test -- all` and a run by hand do not. */
export const isEverything = process.env.ARBOR_TEST_ALL !== "0";

/** How often fast-check tries a property, and from which seed. */
export function tries(name: keyof typeof figures): { numRuns: number; seed?: number } {
  const figure: { sample: number; full: number; plain?: number } = figures[name];
  const { sample, full, plain = sample } = figure;
  const few = isEverything ? sample : plain;
  return {
    numRuns: share === undefined ? few : Math.max(1, Math.round(full * Number(share))),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  };
}

/** A soak takes the time it takes. */
export function timeLimitMs(ofSample: number): number {
  return share === undefined ? ofSample : 0;
}

/** Whether the exact figures are asked for, on a machine that does nothing else. */
export const isFull = share !== undefined;
