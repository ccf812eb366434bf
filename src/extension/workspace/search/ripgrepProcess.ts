import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { onAbort } from "../../common/abort.ts";
import { ToolError } from "../../common/userError.ts";

export interface RipgrepRun {
  binary: string;
  args: readonly string[];
  folder: string;
  /** Searched in place of files: a text, or the number of an open file. */
  input?: string | number;
  /** For error messages. */
  query: string;
}

const maxErrorTextLength = 10_000;

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
    if (errors.length < maxErrorTextLength) errors += text;
  });
  const kill = () => child.kill();
  const listening = onAbort(signal, kill);
  try {
    yield* batchesOf(child.stdout);
    const [code] = await closed;
    signal.throwIfAborted();
    const problem = code === 0 || code === 1 ? undefined : ripgrepProblem(errors, run.query);
    if (problem) throw problem;
  } finally {
    listening.dispose();
    kill();
    await closed.catch(() => undefined);
  }
}

function start({ binary, args, folder, input }: RipgrepRun) {
  const options = { cwd: folder, windowsHide: true };
  if (input === undefined) return spawn(binary, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  if (typeof input === "number") {
    // Types know of no open file that a process is given; what it writes is piped as always.
    return spawn(binary, args, { ...options, stdio: [input, "pipe", "pipe"] }) as ChildProcessByStdio<
      null,
      Readable,
      Readable
    >;
  }
  const child = spawn(binary, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  // A process that ends before it has read its input breaks the pipe; its exit code says what there is to say.
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

/** What ripgrep's error text means for the author of the query; absent for what concerns single files only. */
export function ripgrepProblem(errors: string, query: string): Error | undefined {
  if (errors.includes("regex parse error:") || errors.includes("regex could not be compiled")) {
    return regexProblem(errors, query);
  }
  if (/compiled regex exceeds size limit/i.test(errors)) {
    return new ToolError(`The regex ${JSON.stringify(query)} is too large. Repeat less, or set regex to false.`);
  }
  const glob = /error parsing glob '(.*)': (.*)/.exec(errors);
  if (glob) return new ToolError(`The glob ${JSON.stringify(glob[1])} is invalid: ${glob[2]}.`);
  if (/unrecognized flag|unexpected argument|for more information try/i.test(errors)) {
    return new Error(`ripgrep does not know an option: ${errors.trim()}`);
  }
  return undefined;
}

function regexProblem(errors: string, query: string): ToolError {
  const reason = /^error: (.*)$/m.exec(errors)?.[1] ?? "it does not compile";
  const at = reason.endsWith("group") ? unbalancedGroup(query) : caretPosition(errors);
  const known = at !== undefined && at >= 0 && at < query.length;
  const where = known ? ` at character ${at + 1} (${JSON.stringify(query.slice(at, at + 10))})` : "";
  return new ToolError(
    `The regex ${JSON.stringify(query)} is invalid${where}: ${reason}. Correct it, or set regex to false to find it literally.`,
  );
}

/** ripgrep indents the pattern by four and wraps it in `(?:…)`. */
function caretPosition(errors: string): number | undefined {
  const match = /^ {4}(\(\?:)?.*\n( *)\^/m.exec(errors);
  return match ? (match[2] ?? "").length - 4 - (match[1] ?? "").length : undefined;
}

/** The first closing parenthesis without an opening one, else the last opening one left open; from 0. */
function unbalancedGroup(pattern: string): number | undefined {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (!inClass && character === "(") open.push(at);
    else if (!inClass && character === ")" && open.pop() === undefined) return at;
  }
  return open.at(-1);
}
