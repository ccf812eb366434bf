import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import spawn from "cross-spawn";
import { firstOf } from "../common/deadline.ts";
import { commandEnvironment } from "../terminal/environment.ts";
import { endProcesses, killProcesses, killWindowsTree, membersOf, readProcesses } from "../terminal/processTable.ts";

/** A server that sends more than this in one message gets an error in its place. */
export const maxMessageBytes = 16 * 1_024 * 1_024;
/** How long a server has to end after its input was closed, and again after it was asked to. */
const graceMs = 1_000;
/** What is looked at of a message that is too long, at both its ends: its id is there. */
const edgeBytes = 1_024;

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** null removes a variable. */
  env: Readonly<Record<string, string | null>>;
  /** Variables that hold keys of model providers. */
  keyNames: readonly string[];
  parseMessage(line: string): JSONRPCMessage;
  /** Called with each line of the error output, and with what makes no sense. */
  log(line: string): void;
}

/** A server as a process of its own, with all that it spawns: no more of it is left after `close` or `kill`. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  readonly #mark = randomUUID();
  readonly #known = new Set<string>();
  readonly #exited = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #isOver = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Resolves when the process runs. Rejects when it can't be started. */
  async start(): Promise<void> {
    const { command, args, cwd, keyNames, log } = this.#options;
    const started = Promise.withResolvers<void>();
    // On Windows, cross-spawn finds what is no program but a script, like npx.
    const child = spawn(command, [...args], {
      cwd,
      env: this.#environment(keyNames),
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    }) as ChildProcessWithoutNullStreams; // Its three pipes are there, as `stdio` says.
    this.#child = child;
    child.on("spawn", () => started.resolve());
    child.on("error", (error) => {
      started.reject(error);
      this.#exited.resolve();
      this.#end();
    });
    child.on("exit", (code, signal) => {
      log(signal === null ? `The server exited with code ${code}.` : `The server was ended by ${signal}.`);
      this.#exited.resolve();
      this.#endLeftBehind();
      this.#end();
    });
    // A server that has closed its input is about to end, which is reported then.
    child.stdin.on("error", () => {});
    child.stdout.on(
      "data",
      lineReader(maxMessageBytes, (line) => this.#receive(line)),
    );
    child.stderr.on(
      "data",
      lineReader(4_096, ({ head }) => log(head)),
    );
    await started.promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) throw new Error("The server does not run.");
    const written = Promise.withResolvers<void>();
    child.stdin.write(`${JSON.stringify(message)}\n`, () => written.resolve());
    await Promise.race([written.promise, this.#exited.promise]);
  }

  /** Ends the process and all that it spawned; resolves when they have ended. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin.end();
    await firstOf(this.#exited.promise, graceMs);
    if (process.platform === "win32" && child.pid !== undefined && child.exitCode === null) killWindowsTree(child.pid);
    await endProcesses(() => this.#members(), graceMs);
    this.#end();
  }

  /** The same at once, for when there is no time to wait. */
  kill(): void {
    const pid = this.#child?.pid;
    if (process.platform === "win32" && pid !== undefined && !this.#isOver) killWindowsTree(pid);
    killProcesses(() => this.#members());
    this.#end();
  }

  #environment(keyNames: readonly string[]): Record<string, string> {
    const environment = commandEnvironment(process.env, { mark: this.#mark, keyNames });
    for (const [name, value] of Object.entries(this.#options.env)) {
      if (value === null) delete environment[name];
      else environment[name] = value;
    }
    return environment;
  }

  #members() {
    // Once it has ended, the system may give its id to another process.
    const pid = this.#isOver ? -1 : (this.#child?.pid ?? -1);
    return membersOf({ pid, mark: this.#mark, known: this.#known }, readProcesses());
  }

  #endLeftBehind(): void {
    endProcesses(() => this.#members(), graceMs).catch((error: unknown) => this.#options.log(String(error)));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
  }

  #receive(line: Line): void {
    if (line.head.trim() === "") return;
    if (line.isCut) {
      this.#refuse(line);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = this.#options.parseMessage(line.head);
    } catch {
      this.#options.log(`Not a message: ${line.head.slice(0, 500)}`);
      return;
    }
    this.onmessage?.(message);
  }

  /** Answers the request that a message of this length was the result of, so that nothing waits for it. */
  #refuse({ head, tail, bytes }: Line): void {
    const megabytes = Math.round(bytes / 1_048_576);
    this.#options.log(`A message of ${megabytes} MB was dropped.`);
    const id = /"id"\s*:\s*(\d+)/.exec(head.slice(0, 100)) ?? /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail);
    if (id?.[1] === undefined) return;
    const error = { code: -32_603, message: `The answer has ${megabytes} MB, which is too long.` };
    this.onmessage?.({ jsonrpc: "2.0", id: Number(id[1]), error });
  }
}

interface Line {
  /** All of it, or its beginning when it is cut. */
  head: string;
  /** Its end, when it is cut. */
  tail: string;
  bytes: number;
  isCut: boolean;
}

/** Splits what a process writes into lines, and never holds more than `maxBytes` of one. */
function lineReader(maxBytes: number, onLine: (line: Line) => void): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);

  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) held.push(part);
    else tail = Buffer.concat([tail, part]).subarray(-edgeBytes);
  };
  const flush = () => {
    const isCut = bytes > maxBytes;
    const all = Buffer.concat(held);
    const line = { head: decoded(all), tail: decoded(tail), bytes, isCut };
    held = [];
    tail = Buffer.alloc(0);
    bytes = 0;
    onLine(line);
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      flush();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  };
}

function decoded(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes).replace(/\r$/, "");
}
