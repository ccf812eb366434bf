import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { removeQuietly } from "./atomicFile.ts";
import { type Files, isFileSystemError } from "./files.ts";
import { isRunning, machineName, type ProcessIdentity } from "./processIdentity.ts";
import { UserError } from "./userError.ts";

/**
 * The right to write a session. It is an empty file whose name says who has it, so that it can't be torn, and no other can
 * remove a living owner's by mistake: who comes creates one of its own and looks whether there are others. When two come
 * at once, both may see each other and step back, but never do both stay.
 */
export interface Lock {
  /** Takes it again when its file was deleted. */
  renew(): void;
  release(): void;
}

export interface LockPlace {
  files: Files;
  now(): number;
  /** Locks of ours that are released, but whose files could not be removed yet. */
  abandoned: Set<string>;
}

/** After so long without a word, what another machine began is taken over: its processes can't be asked. */
const elsewhereForMs = 3_600_000;

/** Undefined when a living process has it. Throws what the file system throws. */
export function takeLock(session: string, owner: ProcessIdentity, place: LockPlace): Lock | undefined {
  if (isHeld(session, place)) return undefined;
  const { files } = place;
  const { pid, startedAt, machine } = owner;
  const own = `${session}.${pid}.${startedAt}.${machine}.${randomUUID().slice(0, 8)}.lock`;
  files.create(own, "");
  const renew = () => {
    if (files.stat(own) === undefined) files.create(own, "");
  };
  const release = () => {
    place.abandoned.add(own);
    clearAbandoned(place);
  };
  try {
    const others = locksOf(session, place).filter(({ path }) => path !== own);
    if (!others.some((other) => isAlive(session, other.owner, place))) return { renew, release };
  } catch (error) {
    release();
    throw error;
  }
  release();
  return undefined;
}

/** Whether a living process writes to the session. What dead ones left is cleared away. */
export function isHeld(session: string, place: LockPlace): boolean {
  clearAbandoned(place);
  let held = false;
  for (const { path, owner } of locksOf(session, place)) {
    if (isAlive(session, owner, place)) held = true;
    else removeQuietly(place.files, path);
  }
  return held;
}

function isAlive(session: string, owner: ProcessIdentity, { files, now }: LockPlace): boolean {
  if (owner.machine === machineName()) return isRunning(owner);
  return now() - (files.stat(session)?.mtimeMs ?? 0) < elsewhereForMs;
}

function clearAbandoned({ files, abandoned }: LockPlace): void {
  for (const path of abandoned) if (removeQuietly(files, path)) abandoned.delete(path);
}

function locksOf(session: string, { files }: LockPlace): { path: string; owner: ProcessIdentity }[] {
  const folder = dirname(session);
  const prefix = `${basename(session)}.`;
  return files.list(folder).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const match = /^(\d+)\.([^.]*)\.([^.]*)\.[^.]+\.lock$/.exec(name.slice(prefix.length));
    if (match === null) return [];
    const [, pid = "", startedAt = "", machine = ""] = match;
    const path = join(folder, name);
    return [{ path, owner: { pid: Number(pid), startedAt, machine } }];
  });
}

/** Runs one step at a time, whichever window it is in. */
export type Exclusively = <T>(step: () => Promise<T>) => Promise<T>;

export interface ExclusiveOptions extends LockPlace {
  /** What the steps are about; the lock is a file beside it. */
  path: string;
  owner(): ProcessIdentity;
  /** How long another window's step is waited for. */
  patienceMs?: number;
}

/** Where the disk takes no lock the step runs all the same: it then writes nothing either. */
export function exclusively({ path, owner, patienceMs = 30_000, ...place }: ExclusiveOptions): Exclusively {
  return async (step) => {
    const startedAt = place.now();
    for (;;) {
      const lock = take();
      if (lock !== undefined) {
        try {
          return await step();
        } finally {
          lock.release();
        }
      }
      if (place.now() - startedAt > patienceMs) {
        throw new UserError(t("Another window of this workspace is writing or restoring files. Try again."));
      }
      await setTimeout(5 + Math.random() * 20);
    }
  };

  function take() {
    try {
      place.files.makeFolder(dirname(path));
      return takeLock(path, owner(), place);
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return { release: () => {} };
    }
  }
}
