import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { mergeIndexes } from "../changes/rewind/checkpointIndex.ts";
import { copyBeside, writeWholeSync } from "../common/atomicFile.ts";
import { isFileSystemError, isMissing } from "../common/files.ts";
import type { Exclusively } from "../common/lock.ts";
import { isRunning } from "../common/processIdentity.ts";

/** The calls by which files are moved, so that a test can end the process between any two of them. */
export type MoveCalls = Pick<
  typeof fs,
  | "cpSync"
  | "lstatSync"
  | "mkdirSync"
  | "readdirSync"
  | "readFileSync"
  | "renameSync"
  | "rmdirSync"
  | "rmSync"
  | "writeFileSync"
>;

export interface MigrationTarget {
  /** What all windows of the workspace share. */
  workspaceFolder: string;
  /** A window's folder in which there is no file of that name, for as long as `use` needs it. */
  inWindowFolder(name: string, use: (folder: string) => void): void;
  /** Runs a step while no other window reads or writes checkpoints. */
  exclusively: Exclusively;
}

/** What windows of a workspace share, by its name in the folder. */
export const sharedNames = ["sessions", "words", "checkpoints", "edits-under-way", "outputs", "traces"] as const;
/** What belongs to one window. */
export const ownedNames = ["pending-edits.json", "written-edits.json", "drafts.json", "shown-chat.json"] as const;

/** Whether a name is one of these, or that of what could not be read and was set aside under a longer name. */
export function isNamed(name: string, names: readonly string[]): boolean {
  return names.includes(name.split(".unreadable-")[0] ?? "");
}

/**
 * Moves what an earlier version kept in a folder that the editor gave to one window. Each step is whole or not done, so
 * that after a kill the next start goes on, and two windows may do it at once. What can't be moved stays where it is:
 * its errors are given back, and the next start tries again.
 */
export async function migrate(
  from: string,
  { workspaceFolder, inWindowFolder, exclusively }: MigrationTarget,
  calls: MoveCalls = fs,
): Promise<unknown[]> {
  const problems: unknown[] = [];
  const attempt = async (step: () => void | Promise<void>) => {
    try {
      await step();
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      // Another window was quicker.
      if (error.code !== "ENOENT") problems.push(error);
    }
  };
  let names: string[] = [];
  await attempt(() => {
    names = namesIn(from, calls);
  });
  const target = (name: string) => join(workspaceFolder, name);
  for (const name of names.filter((each) => each !== "checkpoints" && isNamed(each, sharedNames))) {
    await attempt(() => {
      // It only repeats what the sessions say, and is made again.
      if (name === "sessions") calls.rmSync(join(from, name, "index.json"), { force: true });
      calls.mkdirSync(workspaceFolder, { recursive: true });
      moveInto(join(from, name), target(name), calls);
    });
  }
  if (names.includes("checkpoints")) {
    await attempt(() =>
      exclusively(async () => moveCheckpoints(join(from, "checkpoints"), target("checkpoints"), calls)),
    );
  }
  for (const name of names.filter((each) => isNamed(each, ownedNames))) {
    await attempt(() => inWindowFolder(name, (folder) => move(join(from, name), join(folder, name), calls)));
  }
  return problems;
}

/**
 * The folders that the editor gave to further windows of the same workspace: it adds -1, -2, … to the name. Left out are
 * those that a living window has, by the lock that the editor keeps in them.
 */
export function foldersOfOtherWindows(own: string, calls: MoveCalls = fs): string[] {
  const extension = basename(own);
  const editors = dirname(own);
  const first = editors.replace(/-\d$/, "");
  const all = [first, ...Array.from({ length: 9 }, (_, index) => `${first}-${index + 1}`)];
  return all
    .filter((folder) => folder !== editors && namesIn(join(folder, extension), calls).length > 0)
    .filter((folder) => !isLockedByEditor(join(folder, "vscode.lock"), calls))
    .map((folder) => join(folder, extension));
}

function isLockedByEditor(lock: string, calls: MoveCalls): boolean {
  try {
    const { pid }: { pid?: unknown } = JSON.parse(calls.readFileSync(lock, "utf8"));
    return typeof pid !== "number" || isRunning({ pid, startedAt: "" });
  } catch (error) {
    return !isFileSystemError(error) || error.code !== "ENOENT";
  }
}

/** A folder that is there already is added to. A file that is there already stays; the same in both is one. */
function moveInto(from: string, to: string, calls: MoveCalls): void {
  const target = statOf(to, calls);
  if (target === undefined) move(from, to, calls);
  else if (target.isDirectory() && calls.lstatSync(from).isDirectory()) {
    for (const name of namesIn(from, calls)) moveInto(join(from, name), join(to, name), calls);
    if (namesIn(from, calls).length === 0) calls.rmdirSync(from);
  } else if (isSame(from, to, calls)) calls.rmSync(from, { force: true });
}

/** To another disk by a copy, which takes its place when it is whole. */
function move(from: string, to: string, calls: MoveCalls): void {
  try {
    calls.renameSync(from, to);
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    // Another window has made the folder meanwhile.
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") {
      moveInto(from, to, calls);
      return;
    }
    if (error.code !== "EXDEV") throw error;
    const copy = copyBeside(to);
    try {
      calls.cpSync(from, copy, { recursive: true, preserveTimestamps: true });
      calls.renameSync(copy, to);
    } catch (failure) {
      calls.rmSync(copy, { recursive: true, force: true });
      throw failure;
    }
    calls.rmSync(from, { recursive: true, force: true });
  }
}

/** The index goes last: what it names is then there. */
function moveCheckpoints(from: string, to: string, calls: MoveCalls): void {
  const index = join(from, "index.json");
  const known = join(to, "index.json");
  if (statOf(to, calls) === undefined) {
    move(from, to, calls);
    return;
  }
  const merged = mergeIndexes(textOf(index, calls), textOf(known, calls));
  // Damaged, or of another version: it stays, until it is known what becomes of it.
  if (merged === "unreadable") return;
  if (statOf(join(from, "blobs"), calls) !== undefined) moveInto(join(from, "blobs"), join(to, "blobs"), calls);
  if (merged !== undefined) {
    const files = {
      create: (path: string, text: string) => calls.writeFileSync(path, text, { flush: true }),
      rename: calls.renameSync,
      remove: (path: string) => calls.rmSync(path, { force: true }),
    };
    writeWholeSync(files, known, merged);
  }
  calls.rmSync(from, { recursive: true, force: true });
}

function statOf(path: string, calls: MoveCalls) {
  return calls.lstatSync(path, { throwIfNoEntry: false });
}

function namesIn(folder: string, calls: MoveCalls): string[] {
  try {
    return calls.readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function textOf(file: string, calls: MoveCalls): string | undefined {
  return statOf(file, calls) === undefined ? undefined : calls.readFileSync(file, "utf8");
}

function isSame(one: string, other: string, calls: MoveCalls): boolean {
  const [a, b] = [calls.lstatSync(one), calls.lstatSync(other)];
  return a.isFile() && b.isFile() && a.size === b.size && calls.readFileSync(one).equals(calls.readFileSync(other));
}
