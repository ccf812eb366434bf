import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Files } from "./files.ts";
import { removeQuietly } from "./files.ts";
import { isRunning, type ProcessIdentity } from "./processIdentity.ts";

/**
 * The right to write a session. It is an empty file whose name says who has it, so that it can't be torn, and nobody can
 * remove a living owner's by mistake: who comes creates one of its own and looks whether there are others. When two come
 * at once, both may see each other and step back, but never do both stay.
 */
export interface Lock {
  release(): void;
}

export interface LockOptions {
  files: Files;
  owner: ProcessIdentity;
  isAlive?(owner: ProcessIdentity): boolean;
}

/** Undefined when a living process has it. Throws what the file system throws. */
export function takeLock(session: string, { files, owner, isAlive = isRunning }: LockOptions): Lock | undefined {
  if (isHeld(session, { files, isAlive })) return undefined;
  const { pid, startedAt, machine } = owner;
  const mark = `${pid}.${startedAt}.${machine}.${randomUUID().slice(0, 8)}`;
  const own = `${session}.${mark}.lock`;
  files.create(own, "");
  const release = () => removeQuietly(files, own);
  try {
    const others = locksOf(session, files).filter(({ path }) => path !== own);
    if (!others.some((other) => isAlive(other.owner))) return { release };
  } catch (error) {
    release();
    throw error;
  }
  release();
  return undefined;
}

/** Whether a living process writes to the session. What dead ones left is cleared away. */
export function isHeld(session: string, { files, isAlive = isRunning }: Omit<LockOptions, "owner">): boolean {
  let held = false;
  for (const { path, owner } of locksOf(session, files)) {
    if (isAlive(owner)) held = true;
    else removeQuietly(files, path);
  }
  return held;
}

function locksOf(session: string, files: Files): { path: string; owner: ProcessIdentity }[] {
  const folder = dirname(session);
  const prefix = `${basename(session)}.`;
  return files.list(folder).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const match = /^(\d+)\.([^.]*)\.([^.]*)\.[^.]+\.lock$/.exec(name.slice(prefix.length));
    if (match === null) return [];
    const [, pid = "", startedAt = "", machine = ""] = match;
    return [{ path: join(folder, name), owner: { pid: Number(pid), startedAt, machine } }];
  });
}
