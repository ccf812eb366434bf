import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

/** The id of a process that is not there any more. */
export async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

/** One file of a script and all that it imports, which starts in a fraction of the time. Gives its path. */
export async function bundleChild(script: string, folder: string): Promise<string> {
  const outfile = join(folder, script.replace(/ts$/, "cjs"));
  const entryPoints = [fileURLToPath(new URL(script, import.meta.url))];
  await esbuild.build({ entryPoints, outfile, bundle: true, platform: "node", format: "cjs", target: "node24" });
  return outfile;
}

export interface WorkingChild {
  process: ChildProcess;
  /** What it has acknowledged, a line each. */
  lines: string[];
  /** Resolves when it has acknowledged so many, or is gone. */
  said(count: number): Promise<void>;
  /** Kills it in the middle of what it does, when it has acknowledged so many lines. Resolves when it is gone. */
  killAfter(count: number): Promise<void>;
}

/** A process of its own that works on a folder and prints a line for each thing that it has done. */
export function startChild(script: string, args: readonly string[]): WorkingChild {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  const gone = once(child, "close");
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const said = async (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (lines.length >= count) resolve();
    };
    waiting.add(look);
    look();
    await Promise.race([promise, gone]);
    waiting.delete(look);
  };
  return {
    process: child,
    lines,
    said,
    async killAfter(count) {
      await said(count);
      child.kill("SIGKILL");
      await gone;
    },
  };
}
