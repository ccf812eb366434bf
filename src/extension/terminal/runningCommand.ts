import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ToolError } from "../common/userError.ts";
import { endProcesses, killProcesses, killWindowsTree } from "./endProcesses.ts";
import type { KeptOutput } from "./keptOutput.ts";
import { drained, pump } from "./outputPump.ts";
import { readProcesses } from "./processTable.ts";
import { inSession, membersOf, type TreeRoot } from "./processTree.ts";
import type { Shell } from "./shell.ts";

/** How long a process has to end after it was asked to. */
const defaultGraceMs = 1_000;

export interface CommandStart {
  command: string;
  /** Absolute. */
  folder: string;
  shell: Shell;
  environment: Readonly<Record<string, string>>;
  /** Stands in the environment. */
  mark: string;
  output: KeptOutput;
  timeoutMs?: number;
  graceMs?: number;
}

type StopCause = "timeout" | "stopped" | "user";

export interface CommandEnd {
  /** `exit`: by itself. `stopped`: by an agent, or with its run. */
  cause: "exit" | StopCause;
  /** null when a signal ended the shell. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  durationMs: number;
  /** Processes that the shell left behind and that were ended. */
  leftBehind: number;
  /** Processes that made themselves independent and go on. */
  independent: number;
}

/** A command and all that it spawns. */
export interface RunningCommand {
  readonly output: KeptOutput;
  /** When the shell has ended, what it left behind too, and the output is complete. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Ends the whole tree, daemons included. Resolves with `ended`. */
  stop(cause: StopCause): Promise<CommandEnd>;
  /** Kills the whole tree at once, also what went on after the end. */
  kill(): void;
}

/** Starts a command in a session of its own, without input and terminal. Throws a `ToolError` when it can't start. */
export async function startCommand(start: CommandStart): Promise<RunningCommand> {
  const { command, folder, shell, environment, mark, output } = start;
  const isWindows = process.platform === "win32";
  const child = spawnShell(shell, command, { folder, environment, detached: !isWindows });
  const exited = exitOf(child);
  const pumped = pump(child, output);
  await started(child, folder);

  const startedAt = performance.now();
  const graceMs = start.graceMs ?? defaultGraceMs;
  const root: TreeRoot = { pid: child.pid ?? -1, mark, known: new Set() };
  const members = () => membersOf(root, readProcesses());
  let cause: CommandEnd["cause"] = "exit";
  let stopping: Promise<unknown> | undefined;

  const stop = (reason: StopCause): Promise<CommandEnd> => {
    if (stopping === undefined && root.pid > 0) {
      cause = reason;
      if (isWindows) killWindowsTree(root.pid);
      stopping = endProcesses(members, graceMs);
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
    const leftBehind = stopping === undefined ? await endProcesses(left, graceMs) : 0;
    await stopping;
    await drained(pumped);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await pumped.done;
    await output.close();
    const independent = members().length;
    // From here on the system may give the shell's id to another process.
    root.pid = -1;
    return { cause, exitCode, signal, durationMs, leftBehind, independent };
  }
  const ended = end();
  return {
    output,
    ended,
    stop,
    kill() {
      if (isWindows && root.pid > 0) killWindowsTree(root.pid);
      killProcesses(members);
    },
  };
}

function exitOf(child: ChildProcess): Promise<Pick<CommandEnd, "exitCode" | "signal">> {
  // A start that fails is told by `started`; what a signal can't reach, by the processes that are left.
  child.on("error", () => {});
  return new Promise((resolve) => child.on("exit", (exitCode, signal) => resolve({ exitCode, signal })));
}

interface SpawnOptions {
  folder: string;
  environment: Readonly<Record<string, string>>;
  detached: boolean;
}

function spawnShell(shell: Shell, command: string, { folder, environment, detached }: SpawnOptions): ChildProcess {
  try {
    const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
    return spawn(shell.file, shell.args(command), {
      cwd: folder,
      env: environment,
      stdio,
      detached,
      windowsHide: true,
    });
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
