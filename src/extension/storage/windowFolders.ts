import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isFileSystemError } from "../common/files.ts";
import { isHeld, type Lock, type LockPlace, takeLock } from "../common/lock.ts";
import type { ProcessIdentity } from "../common/processIdentity.ts";

/** The folders of a workspace's windows, and who this window is. */
export interface WindowsPlace extends LockPlace {
  /** Below it each window has a folder that is named by a number. */
  folder: string;
  owner(): ProcessIdentity;
}

const pollMs = 50;

/**
 * Takes the folder with the lowest number that no living window has, so that a window which is opened again finds what
 * it left. It is this process's until that ends: nothing that is still being written can meet what the next one reads.
 * When a window is reloaded, its next process may come before the last one has gone: `patienceMs` is how long folder 0
 * is waited for. Where the disk takes no lock, a folder that no window has is used without one.
 */
export async function takeWindowFolder(place: WindowsPlace, patienceMs: number): Promise<string> {
  let waitedMs = 0;
  for (let number = 0; ; ) {
    const folder = tryFolder(place, number);
    if (folder !== undefined) return folder;
    if (number === 0 && waitedMs < patienceMs) {
      waitedMs += pollMs;
      await setTimeout(pollMs);
      continue;
    }
    // Of two that come at once both step back; one of them is quicker the next time.
    await setTimeout(Math.random() * pollMs);
    if (isHeld(folderOf(place, number), place)) number += 1;
  }
}

/** The folders that no living window has. */
export function abandonedFolders(place: WindowsPlace): string[] {
  const { files, folder } = place;
  return files
    .list(folder)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => !isHeld(path, place));
}

/** Undefined when a window has it. Throws what the file system throws. */
export function lockFolder(place: WindowsPlace, folder: string): Lock | undefined {
  return takeLock(folder, place.owner(), place);
}

/** Gives a folder that no window has, and in which there is no file of that name, for as long as it is used. */
export function useFreeFolder(place: WindowsPlace, name: string, use: (folder: string) => void): void {
  for (let number = 0; ; number++) {
    const folder = folderOf(place, number);
    place.files.makeFolder(folder);
    const lock = lockFolder(place, folder);
    if (lock === undefined) continue;
    try {
      if (place.files.stat(join(folder, name)) !== undefined) continue;
      use(folder);
      return;
    } finally {
      lock.release();
    }
  }
}

function tryFolder(place: WindowsPlace, number: number): string | undefined {
  const path = folderOf(place, number);
  try {
    place.files.makeFolder(path);
    return lockFolder(place, path) && path;
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return isHeld(path, place) ? undefined : path;
  }
}

function folderOf({ folder }: WindowsPlace, number: number): string {
  return join(folder, String(number));
}
