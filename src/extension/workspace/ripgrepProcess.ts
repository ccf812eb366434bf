import { spawn } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { ripgrepProblem } from "./ripgrepProblem.ts";

export interface RipgrepRun {
  binary: string;
  args: readonly string[];
  folder: string;
  /** Searched in place of files. */
  input?: string;
  /** For error messages. */
  query: string;
}

const mostErrorText = 10_000;

/** The lines ripgrep writes, as it writes them. It is killed when the reader stops or the signal aborts. */
export async function* ripgrepLines(run: RipgrepRun, signal: AbortSignal): AsyncGenerator<string> {
  for await (const lines of ripgrepBatches(run, signal)) yield* lines;
}

/** The same, as many lines at a time as came together: one by one they cost more than ripgrep takes to find them. */
export async function* ripgrepBatches(run: RipgrepRun, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  signal.throwIfAborted();
  const child = start(run);
  const closed = once(child, "close");
  // Awaited only once the output has ended; until then a failed start is not unhandled.
  closed.catch(() => undefined);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (errors.length < mostErrorText) errors += text;
  });
  const kill = () => child.kill();
  signal.addEventListener("abort", kill, { once: true });
  try {
    yield* batchesOf(child.stdout);
    const [code] = await closed;
    signal.throwIfAborted();
    const problem = code === 0 || code === 1 ? undefined : ripgrepProblem(errors, run.query);
    if (problem) throw problem;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await closed.catch(() => undefined);
  }
}

function start({ binary, args, folder, input }: RipgrepRun) {
  const options = { cwd: folder, windowsHide: true };
  if (input === undefined) return spawn(binary, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const child = spawn(binary, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  // A process that ends before it has read its input breaks the pipe; its exit code tells what there is to tell.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return child;
}

async function* batchesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  if (rest !== "") yield [rest];
}
