import { spawn } from "node:child_process";
import { once } from "node:events";

const script = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const [folder, aside, other] = process.argv.slice(1);
for (;;) {
  renameSync(folder, aside);
  symlinkSync(other, folder);
  unlinkSync(folder);
  renameSync(aside, folder);
}`;

/** Another process swaps a folder for a link to another one and back, as often as it can. */
export function swapping(folder: string, other: string): { stop(): Promise<void> } {
  const process = spawn(globalThis.process.execPath, ["-e", script, folder, `${folder} aside`, other], {
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
