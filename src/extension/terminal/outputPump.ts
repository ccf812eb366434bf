import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { textCleaner } from "./cleanText.ts";
import type { KeptOutput } from "./keptOutput.ts";

/** A daemon may hold the pipe for ever: this long after the shell has ended, silence is the end. */
const silenceMs = 250;

/** What is known of a pump: when it last brought something, and when it is done. */
interface Pump {
  readonly done: Promise<unknown>;
  /** Milliseconds since it brought something; 0 while that is being kept. */
  readonly silence: () => number;
}

/** Moves what a process writes into its output, as text. */
export function pump(child: ChildProcess, output: KeptOutput): Pump {
  let lastAt = performance.now();
  let writing = 0;
  const keep = async (text: string) => {
    writing++;
    await output.write(text);
    writing--;
    lastAt = performance.now();
  };
  const read = async (stream: AsyncIterable<Buffer> | null) => {
    if (stream === null) return;
    const decoder = new StringDecoder("utf8");
    const clean = textCleaner();
    for await (const chunk of stream) await keep(clean(decoder.write(chunk)));
    await keep(clean(decoder.end()));
  };
  // A pipe that is torn down has nothing more to say.
  const quietly = (stream: AsyncIterable<Buffer> | null) => read(stream).catch(() => undefined);
  return {
    done: Promise.all([quietly(child.stdout), quietly(child.stderr)]),
    silence: () => (writing > 0 ? 0 : performance.now() - lastAt),
  };
}

/** Waits for the end of the output of a process that has ended, or for its silence. */
export async function drained({ done, silence }: Pump): Promise<void> {
  let isDone = false;
  const finished = done.then(() => {
    isDone = true;
  });
  const endedAt = performance.now();
  while (!isDone) {
    const left = silenceMs - Math.min(silence(), performance.now() - endedAt);
    if (left <= 0) return;
    await Promise.race([finished, delay(left)]);
  }
}
