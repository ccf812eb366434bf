import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import spawn from "cross-spawn";
import { firstOf } from "../common/deadline.ts";
import type { SandboxLaunch } from "../sandbox/commandSandbox.ts";
import { type ControlGroup, createControlGroup, isProgram } from "./controlGroup.ts";
import { endProcesses, killProcesses, killWindowsTree, membersOf, readProcesses } from "./processTable.ts";
import { openSandbox, spawnInSandbox } from "./sandboxedProcess.ts";

/** How long a process has to end after its input was closed, and again after it was asked to. */
const graceMs = 1_000;
/** What is looked at of a line that is too long, at both its ends. */
const edgeBytes = 1_024;
const maxErrorLineBytes = 4_096;
/** So much may wait to be read by the process: one that asks and never reads the answers would fill the memory. */
const maxUnreadBytes = 64 * 1_024 * 1_024;

export interface LineProcessOptions {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** With the mark in it, by which everything that the process spawns is found. */
  environment(mark: string): Record<string, string>;
  /** What of a longer line is given is its two ends. */
  maxLineBytes: number;
  onLine(line: Line): void;
  /** Called with each line of the error output. */
  onErrorLine(line: string): void;
  /** Called before `onEnd` with how it exited, unless it never ran. */
  onExit(exit: { code: number | null; signal: NodeJS.Signals | null }): void;
  /** Called once, however it ended. */
  onEnd(): void;
  /** Called where what it left behind could not be ended. */
  onFailure(error: unknown): void;
  /** Where it runs: given its environment, how the sandbox is started. Absent: it has all rights of the editor. */
  sandbox?(environment: Readonly<Record<string, string>>): Promise<SandboxLaunch>;
  /** Called once it has ended, with the files that decide what runs and that it made in the sandbox. */
  onCreated?(paths: readonly string[]): void;
}

export interface Line {
  /** All of it, or its beginning when it is cut. */
  head: string;
  /** Its end, when it is cut. */
  tail: string;
  bytes: number;
  isCut: boolean;
}

/**
 * A process that reads and writes lines, and all that it spawns: no more of it is left after `close` or `kill`, nor
 * after it exited on its own.
 */
export class LineProcess {
  readonly #options: LineProcessOptions;
  readonly #mark = randomUUID();
  readonly #known = new Set<string>();
  readonly #exited = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #launch: SandboxLaunch | undefined;
  /** Absent in a sandbox, which ends all in it, and where the system has none. */
  #group: ControlGroup | undefined;
  /** It is not to be started any more. */
  #isUnwanted = false;
  #isOver = false;

  constructor(options: LineProcessOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !this.#isOver;
  }

  /** Resolves when the process runs. Rejects when it can't be started. */
  async start(): Promise<void> {
    const { environment, sandbox, maxLineBytes, onLine, onErrorLine } = this.#options;
    const started = Promise.withResolvers<void>();
    const own = environment(this.#mark);
    this.#launch = await sandbox?.(own);
    if (this.#isUnwanted) {
      this.#endSandbox();
      throw new Error("The process was ended before it started.");
    }
    const child = this.#spawned(own);
    this.#child = child;
    child.on("spawn", () => started.resolve());
    child.on("error", (error) => {
      started.reject(error);
      this.#exited.resolve();
      this.#end();
    });
    child.on("exit", (code, signal) => {
      this.#options.onExit({ code, signal });
      this.#exited.resolve();
      this.#endLeftBehind();
      this.#end();
    });
    // A process that has closed its input is about to end, which is reported then.
    child.stdin.on("error", () => {});
    child.stdout.on("data", lineReader(maxLineBytes, onLine));
    child.stderr.on(
      "data",
      lineReader(maxErrorLineBytes, ({ head }) => onErrorLine(head)),
    );
    await started.promise;
    if (this.#launch !== undefined) await openSandbox(child, this.#launch, () => "");
  }

  /** Arguments that no program can be given are refused at once: then nothing would end what was made for it. */
  #spawned(env: Record<string, string>): ChildProcessWithoutNullStreams {
    try {
      return this.#spawn(env);
    } catch (error) {
      this.#group?.kill();
      this.#endSandbox();
      throw error;
    }
  }

  #spawn(env: Record<string, string>): ChildProcessWithoutNullStreams {
    const { command, args, cwd } = this.#options;
    // Its three pipes are there, as the options say.
    type WithPipes = ChildProcessWithoutNullStreams;
    if (this.#launch !== undefined) {
      const shell = { file: "/bin/sh", argsFor: (script: string) => ["-c", script, command, ...args] };
      return spawnInSandbox(this.#launch, { shell, command: "", hasInput: true, isApart: true }) as WithPipes;
    }
    // What can't be started is reported best without a shell in between.
    this.#group = existsSync(cwd) && isProgram(command, env) ? createControlGroup() : undefined;
    const [file, given] =
      this.#group === undefined ? [command, args] : ["/bin/sh", this.#group.argumentsFor(command, args)];
    // On Windows, cross-spawn finds what is no program but a script, like npx.
    return spawn(file, [...given], {
      ...{ cwd, env, stdio: ["pipe", "pipe", "pipe"] },
      detached: process.platform !== "win32",
      windowsHide: true,
    }) as WithPipes;
  }

  /** Writes a line. Rejects where the process does not run, and ends one that does not read. */
  async write(line: string): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isOver) throw new Error("The process does not run.");
    if (child.stdin.writableLength > maxUnreadBytes) {
      this.kill();
      throw new Error("It does not read what it is sent.");
    }
    const written = Promise.withResolvers<void>();
    child.stdin.write(`${line}\n`, () => written.resolve());
    await Promise.race([written.promise, this.#exited.promise]);
  }

  /** Ends the process and all that it spawned; resolves when they have ended. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#isUnwanted = true;
    if (child === undefined) return;
    child.stdin.end();
    await firstOf(this.#exited.promise, graceMs);
    if (process.platform === "win32" && child.pid !== undefined && child.exitCode === null) killWindowsTree(child.pid);
    await endProcesses(() => this.#members(), graceMs, this.#launch && child.pid);
    this.#group?.kill();
    this.#end();
  }

  /** The same at once, for when there is no time to wait. */
  kill(): void {
    this.#isUnwanted = true;
    const pid = this.#child?.pid;
    if (process.platform === "win32" && pid !== undefined && !this.#isOver) killWindowsTree(pid);
    this.#group?.kill();
    killProcesses(() => this.#members());
    this.#end();
  }

  #members() {
    // Once it has ended, the system may give its id to another process.
    const pid = this.#isOver ? -1 : (this.#child?.pid ?? -1);
    return membersOf({ pid, mark: this.#mark, known: this.#known }, readProcesses());
  }

  #endLeftBehind(): void {
    endProcesses(() => this.#members(), graceMs)
      .finally(() => this.#group?.kill())
      .catch(this.#options.onFailure);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endSandbox();
    this.#options.onEnd();
  }

  #endSandbox(): void {
    const { onCreated, onFailure } = this.#options;
    this.#launch?.finish().then((created) => created.length > 0 && onCreated?.(created), onFailure);
  }
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
