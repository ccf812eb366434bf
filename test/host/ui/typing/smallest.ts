/** A failing round is played again with fewer steps, so that what is reported is short. */

export interface Smallest<Step> {
  steps: readonly Step[];
  /** How often it was tried. */
  tries: number;
}

/**
 * The shortest list found by leaving out parts, halves first, that still fails. What depends on the moment may fail no
 * second time: then all the steps are given.
 */
export async function smallestFailing<Step>(
  all: readonly Step[],
  { fails, maxTries }: { fails(steps: readonly Step[]): Promise<boolean>; maxTries: number },
): Promise<Smallest<Step>> {
  let steps = all;
  let tries = 0;
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < steps.length && tries < maxTries; ) {
      const fewer = steps.toSpliced(start, size);
      tries += 1;
      if (await fails(fewer)) steps = fewer;
      else start += size;
    }
  }
  return { steps, tries };
}
