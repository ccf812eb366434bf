import type { Scenario } from "./scenarios.ts";

/** What a driver has seen of a scenario, beside what the process is measured by. */
export interface Seen {
  /** Text deltas, and their characters. */
  deltas: number;
  characters: number;
  /** Tool calls executed, and the characters of the texts they were called with. */
  calls: number;
  argumentCharacters: number;
  /** Tokens that the answers reported. */
  usage: { input: number; output: number };
  /** The last answer's text. */
  text?: string;
  /** When each request began, in milliseconds. */
  turns: number[];
  /** From the abort until everything has settled, in milliseconds. */
  settledAfter?: number;
  /** Deltas that came after a stream had settled. */
  late: number;
}

export function nothingSeen(): Seen {
  const usage = { input: 0, output: 0 };
  return { deltas: 0, characters: 0, calls: 0, argumentCharacters: 0, usage, turns: [], late: 0 };
}

export function seeDelta(seen: Seen, text: string): void {
  seen.deltas += 1;
  seen.characters += text.length;
}

/** What the tools of all drivers do. */
export function readFile(seen: Seen, { path }: { path: string }): string {
  seen.calls += 1;
  seen.argumentCharacters += path.length;
  return `The content of ${path}.`;
}

export function writeFile(seen: Seen, { path, text }: { path: string; text: string }): string {
  seen.calls += 1;
  seen.argumentCharacters += path.length + text.length;
  return `${text.length} characters.`;
}

/** One way to run agents. A driver uses what its library offers to everybody, never a private shortcut. */
export interface Driver {
  /** Everything that is loaded once; `url` is the fake server's. */
  prepare(url: string): Promise<{ run(scenario: Pick<Scenario, "kind" | "width">): Promise<Seen> }>;
}

/** Waits for the streams to be under way, aborts and measures until everything has settled. */
export async function measureAbort(o: {
  seen: Seen;
  /** Deltas after which all streams are under way. */
  deltas: number;
  start(onDelta: (text: string) => void): { settled: Promise<unknown>; abort(): void };
}): Promise<Seen> {
  const underWay = Promise.withResolvers<void>();
  let hasSettled = false;
  const { settled, abort } = o.start((text) => {
    if (hasSettled) o.seen.late += 1;
    seeDelta(o.seen, text);
    if (o.seen.deltas === o.deltas) underWay.resolve();
  });
  await underWay.promise;
  const from = performance.now();
  abort();
  await settled;
  o.seen.settledAfter = performance.now() - from;
  hasSettled = true;
  return o.seen;
}
