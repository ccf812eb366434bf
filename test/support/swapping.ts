import { spawn } from "node:child_process";
import { once } from "node:events";

/** Swaps what its first argument names, for ever; into the file of a fourth one it writes how often. */
export const swapScript = `
const { existsSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require("node:fs");
const [folder, aside, other, count] = process.argv.slice(1);
for (let round = 1; ; round++) {
  if (count && round % 1000 === 0) writeFileSync(count, String(2 * round));
  try {
    renameSync(folder, aside);
    symlinkSync(other, folder);
    unlinkSync(folder);
    renameSync(aside, folder);
  } catch {
    // Somebody made the folder while it was away.
    try {
      if (existsSync(aside)) rmSync(folder, { recursive: true, force: true });
      renameSync(aside, folder);
    } catch {}
  }
}`;

/** Another process swaps a folder for a link to another one and back, as often as it can. */
export function swapping(folder: string, other: string): { stop(): Promise<void> } {
  const process = spawn(globalThis.process.execPath, ["-e", swapScript, folder, `${folder} aside`, other], {
    stdio: "ignore",
  });
  const ended = once(process, "exit");
  return {
    async stop() {
      process.kill("SIGKILL");
      await ended;
    },
  };
}
