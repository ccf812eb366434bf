import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";

const page = 4096;
export const smallDiskBytes = 32 * page;

/** A disk of smallDiskBytes, mounted on a folder. */
export interface SmallDisk {
  /** Leaves no room at all. */
  fill(): Promise<void>;
  /** Makes room again. */
  empty(): Promise<void>;
  /** Makes it read-only, or not any more. */
  protect(isReadOnly: boolean): void;
  unmount(): void;
}

/** Absent, with one line that says so, where this user may not mount: a failing file system replaces it there. */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${smallDiskBytes}`, "tmpfs", folder], { stdio: "pipe" });
  } catch {
    console.log("      No small disk can be mounted here: full disks are tested with a failing file system only.");
    return undefined;
  }
  const fillers: string[] = [];
  return {
    async fill() {
      for (;;) {
        const filler = path.join(folder, `.filler-${fillers.length}`);
        try {
          await writeFile(filler, Buffer.alloc(page));
          fillers.push(filler);
        } catch {
          await rm(filler, { force: true });
          return;
        }
      }
    },
    async empty() {
      for (const filler of fillers.splice(0)) await rm(filler);
    },
    protect: (isReadOnly) => void execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder]),
    // Also while an editor still watches it.
    unmount: () => void execFileSync("umount", ["--lazy", folder]),
  };
}
