import { spawn, spawnSync } from "node:child_process";
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

/** The number of `renameat2` on the processors that editors run on, which makes a swap one step of the kernel. */
const renameat2 = { x64: 316, arm64: 276 }[globalThis.process.arch as string];

const exchangeScript = `
my ($call, $folder, $aside, $count) = @ARGV;
my $swaps = 0;
while (1) {
  for (1 .. 1000) { $swaps++ if syscall($call, -100, $folder, -100, $aside, 2) == 0 }
  next if $count eq "";
  open(my $file, ">", "$count new");
  print $file $swaps;
  close $file;
  rename("$count new", $count);
}`;

/** Whether paths can be swapped in one step here, which is ten times as fast. */
export function canExchange(): boolean {
  return (
    globalThis.process.platform === "linux" &&
    renameat2 !== undefined &&
    spawnSync("perl", ["-e", "1"], { stdio: "ignore" }).status === 0
  );
}

/** A command that swaps a folder with a link to `other`, with no moment between in which there is neither. */
export function exchangeCommand(folder: string, other: string, count = ""): string {
  return `ln -s '${other}' '${folder} aside' && exec perl -e '${exchangeScript}' ${renameat2} '${folder}' '${folder} aside' '${count}'`;
}

/** A command that swaps a file or folder for a link by moving it away, so that for moments it is not there. */
export function moveCommand(path: string, other: string, count = ""): string {
  return `exec '${globalThis.process.execPath}' -e '${swapScript}' '${path}' '${path} aside' '${other}' '${count}'`;
}

/** Another process swaps a folder for a link to another one and back, as often as it can. */
export function swapping(folder: string, other: string, command = moveCommand): { stop(): Promise<void> } {
  const process = spawn("/bin/sh", ["-c", command(folder, other)], { stdio: "ignore" });
  const ended = once(process, "exit");
  return {
    async stop() {
      process.kill("SIGKILL");
      await ended;
    },
  };
}
