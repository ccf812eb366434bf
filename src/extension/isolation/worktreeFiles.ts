import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readFile, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import type { Git } from "./git.ts";

/** What is at a path: the bytes of a file, or where a link leads. */
export interface WorktreeFile {
  bytes: Uint8Array;
  isLink: boolean;
  isExecutable: boolean;
}

/** What became of a file in a worktree: `before` as the user had it when the worktree was made. Paths from its top. */
export interface FileDifference {
  path: string;
  before?: WorktreeFile;
  after?: WorktreeFile;
}

const maxFiles = 100_000;
const maxBytes = 4 * 1024 ** 3;
const atOnce = 32;

/** Of each file, by its path, as it was right after it was copied: one that looks the same was not touched. */
export type CopiedFiles = ReadonlyMap<string, string>;

/** Tracked and new files of a working tree, but not what it ignores. May name files that are not there, and folders. */
export async function listedFiles(git: Git, folder: string, signal?: AbortSignal): Promise<string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name", ":/"];
  const listed = await git(folder, args, { ...(signal && { signal }) });
  return [...new Set(listed.split("\0").filter((path) => path !== ""))];
}

/** Copies files as they are to both folders. Links stay links; what a link in the place of a folder leads to is left out. */
export async function copyFiles(
  from: string,
  [base, tree]: readonly [string, string],
  paths: readonly string[],
  signal: AbortSignal,
): Promise<CopiedFiles> {
  if (paths.length > maxFiles) throw tooLarge();
  const copied = new Map<string, string>();
  const folders = new Map<string, Promise<boolean>>();
  let bytes = 0;
  await inTurns(paths, async (path) => {
    signal.throwIfAborted();
    if (!(await isInFolder(from, dirname(path), folders))) return;
    const found = await lstat(join(from, path)).catch(() => undefined);
    if (found === undefined || !(found.isFile() || found.isSymbolicLink())) return;
    bytes += found.size;
    if (bytes > maxBytes) throw tooLarge();
    try {
      for (const to of [base, tree]) await copyOne(join(from, path), join(to, path), found.isSymbolicLink());
      copied.set(path, await lookOf(join(tree, path)));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  });
  return copied;
}

/** It was removed meanwhile, or is not the user's to read: an agent would not have it in the user's tree either. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES");
}

async function copyOne(from: string, to: string, isLink: boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (isLink) await symlink(await readlink(from), to);
  else await copyFile(from, to, constants.COPYFILE_FICLONE);
}

function isInFolder(root: string, folder: string, known: Map<string, Promise<boolean>>): Promise<boolean> {
  if (folder === ".") return Promise.resolve(true);
  const found =
    known.get(folder) ??
    isInFolder(root, dirname(folder), known).then(
      async (isAbove) => isAbove && (await lstat(join(root, folder)).catch(() => undefined))?.isDirectory() === true,
    );
  known.set(folder, found);
  return found;
}

/** A larger file is not proposed, and is not what a task goes on with. */
const maxReadBytes = 64 * 1024 ** 2;

/**
 * What differs between what was copied and what is in the worktree now, of the copied files and of these. `unread`: paths
 * of those that are too large, or that their agent made unreadable.
 */
export async function differences(
  folders: { base: string; tree: string },
  paths: readonly string[],
  copied: CopiedFiles,
): Promise<{ found: FileDifference[]; unread: string[] }> {
  const found: FileDifference[] = [];
  const unread: string[] = [];
  const parents = new Map<string, Promise<boolean>>();
  await inTurns([...new Set([...copied.keys(), ...paths])], async (path) => {
    if (copied.has(path) && copied.get(path) === (await lookOf(join(folders.tree, path)))) return;
    const before = copied.has(path) ? await stateOf(join(folders.base, path)) : undefined;
    const after = (await isInFolder(folders.tree, dirname(path), parents))
      ? await stateOf(join(folders.tree, path))
      : undefined;
    if (before === "unread" || after === "unread") {
      unread.push(path);
      return;
    }
    if (isSameState(before, after)) return;
    found.push({ path, ...(before && { before }), ...(after && { after }) });
  });
  return { found: found.sort((one, other) => (one.path < other.path ? -1 : 1)), unread: unread.toSorted() };
}

function isSameState(one: WorktreeFile | undefined, other: WorktreeFile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.isLink !== other.isLink || one.isExecutable !== other.isExecutable) return false;
  return Buffer.compare(one.bytes, other.bytes) === 0;
}

async function stateOf(path: string): Promise<WorktreeFile | "unread" | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() === true) {
    return { bytes: Buffer.from(await readlink(path)), isLink: true, isExecutable: false };
  }
  if (found?.isFile() !== true) return undefined;
  if (found.size > maxReadBytes) return "unread";
  try {
    return { bytes: await readFile(path), isLink: false, isExecutable: (found.mode & 0o100) !== 0 };
  } catch (error) {
    if (isUnreadable(error)) return "unread";
    throw error;
  }
}

/** Changes with each write to the file, whatever it writes. */
async function lookOf(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs, found.mode].join(" ");
}

async function inTurns<T>(items: readonly T[], step: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await step(item);
    }),
  );
}

function tooLarge(): UserError {
  return new UserError(
    t("This repository is too large for an agent to get a copy of its own."),
    'An agent can\'t be isolated here: the repository is too large to be copied. Give the task with isolation "shared".',
  );
}
