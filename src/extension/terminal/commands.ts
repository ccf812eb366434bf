import { randomUUID } from "node:crypto";
import { ToolError } from "../common/userError.ts";
import type { CommandSandbox } from "../sandbox/commandSandbox.ts";
import type { HostGate } from "../sandbox/hostProxy.ts";
import { commandEnvironment } from "./environment.ts";
import { KeptOutput } from "./keptOutput.ts";
import type { OutputStore } from "./outputStore.ts";
import type { ProcessRow } from "./processTable.ts";
import { type RunningCommand, startCommand } from "./runningCommand.ts";
import { chooseShell } from "./shell.ts";

const maxParallel = 16;
/** Ended ones whose output can still be asked for by their id. */
const maxEndedCommands = 32;

export interface CommandsOptions {
  outputs: OutputStore;
  environment: Readonly<Record<string, string | undefined>>;
  /** Variables that hold keys of providers, as the settings name them now. */
  keyNames(): readonly string[];
  graceMs?: number;
  /** Absent where no command runs in one. It ends with the commands. */
  sandbox?: CommandSandbox;
  /** Waited for before a command starts. */
  mayStart?(): Promise<void>;
  /** Called with each command that starts. */
  onStart?(command: NamedCommand): void;
  /** Called with each command that starts in the background. */
  onBackground?(command: NamedCommand): void;
}

export interface CommandRequest {
  command: string;
  /** Absolute. */
  folder: string;
  agentId: string;
  /** The tool call that it is run for. */
  callId: string;
  timeoutMs?: number;
  /** No call waits for its end. */
  isBackground?: boolean;
  isSandboxed?: boolean;
  /** What it reads. Error output is then kept apart. */
  input?: string;
  /** Variables that it gets beside what all commands get. */
  variables?: Readonly<Record<string, string>>;
  /** Which hosts it may reach from the sandbox. Default: none. */
  hosts?: HostGate;
  /** The user's settings start it, no agent: none can name or stop it, and it does not count among theirs. */
  isHook?: boolean;
}

/** A command with the id that an agent calls it by. */
export interface NamedCommand extends RunningCommand {
  readonly id: string;
  readonly command: string;
  readonly agentId: string;
  readonly callId: string;
  readonly isRunning: boolean;
}

/** The commands of one chat. None outlives it. */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #commands = new Map<string, NamedCommand>();
  /** Those of hooks, as long as they run. */
  readonly #hooks = new Set<NamedCommand>();
  #count = 0;
  #isDisposed = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  async start(request: CommandRequest): Promise<NamedCommand> {
    const { command, folder, agentId, callId, timeoutMs, isBackground, input, variables, hosts } = request;
    if (request.isHook !== true && this.#running().length >= maxParallel) {
      throw new ToolError(`${maxParallel} commands are running already. Stop one with stop_command first.`);
    }
    const { outputs, environment: base, keyNames, graceMs, sandbox, mayStart } = this.#options;
    await mayStart?.();
    const id = `command-${++this.#count}`;
    const mark = randomUUID();
    const environment = { ...commandEnvironment(base, { mark, keyNames: keyNames() }), ...variables };
    if (request.isSandboxed && sandbox === undefined)
      throw new ToolError("There is no sandbox to run this command in.");
    const launch = request.isSandboxed
      ? await sandbox?.launch(folder, environment, hosts)
      : await sandbox?.contain(command, environment);
    const starting = startCommand({
      command,
      folder,
      mark,
      shell: chooseShell({ platform: process.platform, preferred: base.SHELL }),
      environment,
      output: new KeptOutput(outputs.place(`${id}.txt`)),
      ...(input !== undefined && { input, errors: new KeptOutput(outputs.place(`${id}-errors.txt`)) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(graceMs === undefined ? {} : { graceMs }),
      ...(launch && { sandbox: launch }),
    });
    const running = await starting.catch(async (error: unknown) => {
      await launch?.finish().catch(() => undefined);
      throw error;
    });
    const named = this.#add({ id, command, agentId, callId }, running, request.isHook === true);
    this.#options.onStart?.(named);
    if (isBackground === true) this.#options.onBackground?.(named);
    return named;
  }

  find(id: string): NamedCommand | undefined {
    return this.#commands.get(id);
  }

  /** The latest one of this call: a provider may give an id again. */
  findByCall(callId: string): NamedCommand | undefined {
    return [...this.#commands.values()].findLast((command) => command.callId === callId);
  }

  /** Ids of those that run, oldest first. */
  runningIds(): string[] {
    return this.#running().map(({ id }) => id);
  }

  /** All processes of its commands, also of those that have ended and left some. */
  processes(all: () => readonly ProcessRow[]): ProcessRow[] {
    return this.#all().flatMap((command) => command.processes(all));
  }

  /** Ends what an agent left running. */
  async stopOf(agentId: string): Promise<void> {
    const own = this.#all().filter((command) => command.isRunning && command.agentId === agentId);
    await Promise.all(own.map((command) => command.stop("stopped")));
  }

  /** Kills all at once, and what they left behind. */
  dispose(): void {
    this.#isDisposed = true;
    for (const command of this.#all()) command.kill();
    this.#commands.clear();
    this.#hooks.clear();
    this.#options.sandbox?.dispose();
  }

  #all(): NamedCommand[] {
    return [...this.#commands.values(), ...this.#hooks];
  }

  #running(): NamedCommand[] {
    return [...this.#commands.values()].filter((command) => command.isRunning);
  }

  #add(
    name: Pick<NamedCommand, "id" | "command" | "agentId" | "callId">,
    running: RunningCommand,
    isHook: boolean,
  ): NamedCommand {
    let isRunning = true;
    const { output, errors, ended, stop, kill, processes } = running;
    const command: NamedCommand = {
      ...name,
      ...{ output, errors, ended, stop, kill, processes },
      get isRunning() {
        return isRunning;
      },
    };
    if (isHook) this.#hooks.add(command);
    else this.#commands.set(name.id, command);
    void ended.then(() => {
      isRunning = false;
      this.#hooks.delete(command);
      this.#forgetOldest();
    });
    // It was being started while the chat closed.
    if (this.#isDisposed) kill();
    return command;
  }

  #forgetOldest(): void {
    const ended = [...this.#commands.values()].filter((command) => !command.isRunning);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEndedCommands))) this.#commands.delete(id);
  }
}
