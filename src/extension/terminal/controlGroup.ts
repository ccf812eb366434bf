import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * A group of the kernel's (cgroup v2) that a process and all that it spawns belong to, whatever they do to their session,
 * environment and output. Only who may write to another group gets out of it.
 */
export interface ControlGroup {
  /** Arguments of a shell that enters the group and becomes the program. */
  argumentsFor(command: string, args: readonly string[]): string[];
  /** Ends all in it at once. */
  kill(): void;
}

const prefix = "arbor-";

/** Undefined where the system has none, or lets this user make none. */
export function createControlGroup(): ControlGroup | undefined {
  const parent = ownGroup();
  if (parent === undefined) return undefined;
  const group = join(parent, `${prefix}${randomUUID()}`);
  try {
    removeEmpty(parent);
    mkdirSync(group);
  } catch {
    return undefined;
  }
  // Without it a group could be emptied only one process after the other.
  const killFile = join(group, "cgroup.kill");
  if (!existsSync(killFile)) {
    removeGroup(group);
    return undefined;
  }
  const script = 'echo $$ 2>/dev/null >"$0"; exec "$@"';
  return {
    argumentsFor: (command, args) => ["-c", script, join(group, "cgroup.procs"), command, ...args],
    kill() {
      try {
        writeFileSync(killFile, "1");
      } catch {
        // It was removed when it was empty.
      }
      removeGroup(group);
    },
  };
}

/** The folder of the group that this process is in. */
function ownGroup(): string | undefined {
  try {
    const own = /^0::(.+)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    for (const line of mounts) {
      const [, , , root = "", path = ""] = line.split(" ");
      const within =
        root === "/" ? own : own === root ? "" : own?.startsWith(`${root}/`) ? own.slice(root.length) : undefined;
      if (/ - cgroup2 /.test(line) && within !== undefined) return join(path, within);
    }
  } catch {
    // There is no /proc.
  }
  return undefined;
}

/** What windows left that ended before their processes had: the system removes no group that has any. */
function removeEmpty(parent: string): void {
  for (const name of readdirSync(parent)) if (name.startsWith(prefix)) removeGroup(join(parent, name));
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Something in it has not ended yet.
  }
}

/** Whether a program is there by this name. */
export function isProgram(command: string, { PATH = "" }: Readonly<Record<string, string>>): boolean {
  if (command.includes("/")) return isAbsolute(command) && existsSync(command);
  return PATH.split(delimiter).some((folder) => isAbsolute(folder) && existsSync(join(folder, command)));
}
