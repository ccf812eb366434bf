import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { commandEnvironment } from "../../../src/extension/terminal/environment.ts";
import { KeptOutput } from "../../../src/extension/terminal/keptOutput.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import {
  type CommandStart,
  type RunningCommand,
  startCommand,
} from "../../../src/extension/terminal/runningCommand.ts";
import { chooseShell } from "../../../src/extension/terminal/shell.ts";

/** For tests that wait for real processes on a busy machine: only one that hangs takes so long. */
export const patienceMs = 60_000;

/** A folder for one test file, and commands in it that do not outlive it. */
export interface CommandBench {
  readonly folder: string;
  readonly outputs: OutputStore;
  start(command: string, options?: Partial<CommandStart>): Promise<RunningCommand>;
  /** Runs to the end; gives it with the output. */
  run(
    command: string,
    options?: Partial<CommandStart>,
  ): Promise<{ end: Awaited<RunningCommand["ended"]>; text: string }>;
  close(): Promise<void>;
}

export async function commandBench(): Promise<CommandBench> {
  const folder = await mkdtemp(join(os.tmpdir(), "arbor-commands-"));
  const outputs = new OutputStore(join(folder, "outputs"));
  const running: RunningCommand[] = [];
  const start: CommandBench["start"] = async (command, options = {}) => {
    const mark = crypto.randomUUID();
    const started = await startCommand({
      command,
      folder,
      mark,
      shell: chooseShell({ platform: process.platform, preferred: "/bin/bash" }),
      environment: commandEnvironment(process.env, { mark, keyNames: [] }),
      output: new KeptOutput(outputs.place(`${mark}.txt`)),
      graceMs: 50,
      ...options,
    });
    running.push(started);
    return started;
  };
  return {
    folder,
    outputs,
    start,
    async run(command, options) {
      const started = await start(command, options);
      const end = await started.ended;
      return { end, text: (await started.output.excerpt()).head };
    },
    async close() {
      for (const command of running) command.kill();
      await Promise.all(running.map((command) => command.ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves with the match once the output has it. */
export function untilPrinted(output: KeptOutput, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve } = Promise.withResolvers<RegExpExecArray>();
  let text = output.tail(100_000);
  const look = () => {
    const match = pattern.exec(text);
    if (match !== null) resolve(match);
  };
  look();
  const unfollow = output.follow((piece) => {
    text += piece;
    look();
  });
  return promise.finally(unfollow);
}

export function isAlive(pid: number | string): boolean {
  return readProcesses().some((row) => row.pid === Number(pid));
}
