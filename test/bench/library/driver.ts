import type { Scenario } from "./scenarios.ts";

/** What a driver has seen of a scenario, beside what the process is measured by. */
export interface Seen {
  /** Text deltas. */
  deltas: number;
  /** Tool calls executed. */
  calls: number;
  /** When each request began, in milliseconds. */
  turns: number[];
  /** From the abort until everything has settled, in milliseconds. */
  settledAfter?: number;
  /** Deltas that came after a stream had settled. */
  late?: number;
}

/** One way to run agents. A driver uses what its library offers to everybody, never a private shortcut. */
export interface Driver {
  /** Everything that is loaded once; `url` is the fake server's. */
  prepare(url: string): Promise<{ run(scenario: Pick<Scenario, "kind" | "width">): Promise<Seen> }>;
}

/** Waits for the streams to be under way, aborts them all and measures until they have settled. */
export async function measureAbort(o: {
  width: number;
  seen: Seen;
  start(onDelta: () => void): { settled: Promise<unknown>; abort(): void };
}): Promise<Seen> {
  const deltasEach = 50;
  const underWay = Promise.withResolvers<void>();
  let settled = false;
  const onDelta = () => {
    if (settled) o.seen.late = (o.seen.late ?? 0) + 1;
    o.seen.deltas += 1;
    if (o.seen.deltas === o.width * deltasEach) underWay.resolve();
  };
  const streams = Array.from({ length: o.width }, () => o.start(onDelta));
  await underWay.promise;
  const from = performance.now();
  for (const stream of streams) stream.abort();
  await Promise.all(streams.map((stream) => stream.settled));
  o.seen.settledAfter = performance.now() - from;
  settled = true;
  o.seen.late ??= 0;
  return o.seen;
}
