import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, type FileHandle, open, readlink } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../common/userError.ts";
import type { SandboxLaunch } from "../sandbox/commandSandbox.ts";
import { textCleaner } from "./cleanText.ts";
import type { KeptOutput } from "./keptOutput.ts";
import {
  endProcesses,
  inSession,
  killProcesses,
  killWindowsTree,
  membersOf,
  outputsOf,
  type ProcessRow,
  readProcesses,
  type TreeRoot,
} from "./processTable.ts";
import { openSandbox, spawnInSandbox } from "./sandboxedProcess.ts";
import type { Shell } from "./shell.ts";

/** How long a process has to end after it was asked to. */
const defaultGraceMs = 1_000;

export interface CommandStart {
  command: string;
  /** Absolute, without links. */
  folder: string;
  shell: Shell;
  environment: Readonly<Record<string, string>>;
  /** Part of the environment. */
  mark: string;
  output: KeptOutput;
  /** Where error output goes. Default: to the other output, in the order in which it is written. */
  errors?: KeptOutput;
  /** What it reads. Default: nothing. */
  input?: string;
  timeoutMs?: number;
  graceMs?: number;
  /** Absent: it runs with all rights of the editor, beside all of its processes. */
  sandbox?: SandboxLaunch;
}

type StopCause = "timeout" | "stopped" | "user";

export interface CommandEnd {
  /** `exit`: it ended on its own. `stopped`: by an agent, or with its run. */
  cause: "exit" | StopCause;
  /** null when a signal ended the shell. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  durationMs: number;
  /** Processes that the shell left behind and that were ended. */
  leftBehind: number;
  /** Processes that made themselves independent and go on. */
  independent: number;
  /** It ran in the sandbox; there an exit code above 128 may mean a signal. */
  sandboxed?: {
    /** The files that decide what runs, and that it made. */
    created: readonly string[];
    /** Hosts that it was not allowed to reach. */
    refusedHosts: readonly string[];
  };
}

/** A command and all that it spawns. */
export interface RunningCommand {
  readonly output: KeptOutput;
  /** The same as `output`, unless it is kept apart. */
  readonly errors: KeptOutput;
  /** When the shell has ended, what it left behind too, and the output is complete. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Ends the whole tree, daemons included. Resolves with `ended`. */
  stop(cause: StopCause): Promise<CommandEnd>;
  /** Kills the whole tree at once, also what went on after the end. */
  kill(): void;
  /** Its processes, and what it left running, among all of the system. */
  processes(all: () => readonly ProcessRow[]): ProcessRow[];
}

/** Starts a command in a session of its own, without a terminal. Throws a `ToolError` when it can't start. */
export async function startCommand(start: CommandStart): Promise<RunningCommand> {
  const { folder, mark, output, errors = output, sandbox } = start;
  const isWindows = process.platform === "win32";
  const { child, exited, pumped, isStarted } = await inFolder(start, (open) => {
    const child = spawnShell(start, { open, detached: !isWindows });
    // Listened to at once: what it reports first comes before anything that is waited for.
    return { child, exited: exitOf(child), pumped: pump(child, output, errors), isStarted: started(child, folder) };
  });
  await isStarted;
  const opened = sandbox && (await openSandbox(child, sandbox, () => errors.tail(1_000)));

  const startedAt = performance.now();
  const graceMs = start.graceMs ?? defaultGraceMs;
  const [socket] = outputsOf(child.pid ?? -1).filter((file) => /^(?:socket|pipe):/.test(file));
  const root: TreeRoot = { pid: child.pid ?? -1, mark, known: new Set(), ...(socket && { output: socket }) };
  const members = () => membersOf(root, readProcesses());
  let cause: CommandEnd["cause"] = "exit";
  let stopping: Promise<unknown> | undefined;
  let isOver = false;

  const stop = (reason: StopCause): Promise<CommandEnd> => {
    if (stopping === undefined && root.pid > 0) {
      cause = reason;
      if (isWindows) killWindowsTree(root.pid);
      stopping = endProcesses(members, graceMs, sandbox && root.pid);
    }
    return ended;
  };
  const timer =
    start.timeoutMs === undefined ? undefined : setTimeout(() => void stop("timeout"), start.timeoutMs).unref();

  async function end(): Promise<CommandEnd> {
    const { exitCode, signal } = await exited;
    const durationMs = performance.now() - startedAt;
    clearTimeout(timer);
    const left = () => inSession(root, members());
    const ownLeft = stopping === undefined ? await endProcesses(left, graceMs) : 0;
    await stopping;
    await drained(pumped);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await pumped.done;
    await output.close();
    await errors.close();
    const independent = members().length;
    isOver = independent === 0;
    // From here on the system may give the shell's id to another process.
    root.pid = -1;
    // What is left in a sandbox ends with its first process, and nothing in it is independent.
    const leftBehind = stopping === undefined && opened ? await opened.leftBehind : ownLeft;
    const confined = sandbox &&
      !sandbox.isContainer && {
        sandboxed: { refusedHosts: sandbox.refusedHosts?.() ?? [], created: await sandbox.finish().catch(() => []) },
      };
    return { cause, exitCode, signal, durationMs, leftBehind, independent, ...confined };
  }
  const ended = end();
  return {
    output,
    errors,
    ended,
    stop,
    processes: (all) => (isOver ? [] : membersOf(root, all())),
    kill() {
      if (isWindows && root.pid > 0) killWindowsTree(root.pid);
      killProcesses(members);
    },
  };
}

function exitOf(child: ChildProcess): Promise<Pick<CommandEnd, "exitCode" | "signal">> {
  // A start that fails is reported by `started`; what a signal can't reach, by the processes that are left.
  child.on("error", () => {});
  return new Promise((resolve) => child.on("exit", (exitCode, signal) => resolve({ exitCode, signal })));
}

/**
 * Starts it in the very folder that was asked for. Another command could swap a part of its path for a link in the last
 * moment: on Linux it is therefore opened, looked at, and entered as what is open; elsewhere it is entered by its name.
 */
async function inFolder<T>({ folder, sandbox }: CommandStart, startIn: (open: number | undefined) => T): Promise<T> {
  // A sandbox looks at what it has mounted.
  const isMounted = sandbox !== undefined && !sandbox.isContainer;
  if (isMounted || process.platform !== "linux") return startIn(undefined);
  let handle: FileHandle;
  try {
    handle = await open(folder, constants.O_DIRECTORY);
  } catch (error) {
    throw startFailure(error, folder);
  }
  try {
    if ((await readlink(openPath(handle.fd))) !== folder)
      throw new ToolError(`${folder} is another folder than the one that was asked for. Nothing ran. Try again.`);
    return startIn(handle.fd);
  } finally {
    // By now it is in there.
    void handle.close();
  }
}

function openPath(number: number): string {
  return `/proc/self/fd/${number}`;
}

/** `open` is the number of the folder that it starts in; it is entered by its name where there is none. */
function spawnShell(
  start: CommandStart,
  { open, detached }: { open: number | undefined; detached: boolean },
): ChildProcess {
  const { command, folder, shell, environment, sandbox, input, errors } = start;
  const isApart = errors !== undefined;
  const fed = (child: ChildProcess) => {
    // Who does not read it has ended, or closed it: that is no fault.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    return child;
  };
  try {
    if (sandbox !== undefined) {
      const isContained = sandbox.isContainer && open !== undefined;
      const inside = spawnInSandbox(sandbox, {
        ...{ shell, command, isApart, hasInput: input !== undefined },
        ...(isContained && { folder: { path: folder, number: open } }),
      });
      return fed(inside);
    }
    const stdio: StdioOptions = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
    const child = spawn(shell.file, shell.args(command, isApart), {
      cwd: open === undefined ? folder : openPath(open),
      env: environment,
      stdio,
      detached,
      windowsHide: true,
    });
    return fed(child);
  } catch (error) {
    throw startFailure(error, folder);
  }
}

async function started(child: ChildProcess, folder: string): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (error) {
    throw startFailure(error, folder);
  }
}

function startFailure(error: unknown, folder: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "E2BIG") return new ToolError("The command is too long to run. Write it to a script file and run that.");
  if (code === "ENOENT" || code === "ENOTDIR")
    return new ToolError(`The command can't run in ${folder}: no such folder.`);
  return new ToolError(`The command could not be started: ${error instanceof Error ? error.message : String(error)}`);
}

/** A daemon may hold the pipe for ever: this long after the shell has ended, silence is the end. */
const silenceMs = 250;

/** What is known of a pump: when it last brought something, and when it is done. */
interface Pump {
  readonly done: Promise<unknown>;
  /** Milliseconds since it brought something; 0 while that is being kept. */
  readonly silence: () => number;
}

/** Moves what a process writes into its output, as text. */
function pump(child: ChildProcess, output: KeptOutput, errors: KeptOutput): Pump {
  let lastAt = performance.now();
  let writing = 0;
  const keep = async (text: string, kept: KeptOutput) => {
    writing++;
    await kept.write(text);
    writing--;
    lastAt = performance.now();
  };
  const read = async (stream: AsyncIterable<Buffer> | null, kept: KeptOutput) => {
    if (stream === null) return;
    const decoder = new StringDecoder("utf8");
    const clean = textCleaner();
    for await (const chunk of stream) await keep(clean(decoder.write(chunk)), kept);
    await keep(clean(decoder.end()), kept);
  };
  // A pipe that is torn down has nothing more to say.
  const quietly = (stream: AsyncIterable<Buffer> | null, kept: KeptOutput) => read(stream, kept).catch(() => undefined);
  return {
    done: Promise.all([quietly(child.stdout, output), quietly(child.stderr, errors)]),
    silence: () => (writing > 0 ? 0 : performance.now() - lastAt),
  };
}

/** Waits for the end of the output of a process that has ended, or for its silence. */
async function drained({ done, silence }: Pump): Promise<void> {
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
