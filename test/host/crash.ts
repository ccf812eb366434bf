import { readdir, readFile } from "node:fs/promises";

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Finds the extension host of the editor whose files are in `home`. What is returned ends it at once, as a crash does. */
export async function aimAtExtensionHost(home: string): Promise<() => void> {
  const hosts = await extensionHosts(home);
  if (hosts.length === 0) throw new Error("The editor has no extension host.");
  return () => {
    for (const pid of hosts) process.kill(pid, "SIGKILL");
  };
}

/** Ends all extension hosts of that editor, if it has any. */
export async function killExtensionHosts(home: string): Promise<void> {
  for (const pid of await extensionHosts(home)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

async function extensionHosts(home: string): Promise<number[]> {
  const all = await processes();
  const family = new Set(all.filter(({ command }) => command.includes(home)).map(({ pid }) => pid));
  for (let isGrowing = true; isGrowing; ) {
    const children = all.filter(({ pid, parent }) => family.has(parent) && !family.has(pid));
    for (const { pid } of children) family.add(pid);
    isGrowing = children.length > 0;
  }
  return all
    .filter(({ pid, command }) => family.has(pid) && command.includes("--type=extensionHost"))
    .map(({ pid }) => pid);
}

async function processes(): Promise<RunningProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (name) => {
      try {
        const command = (await readFile(`/proc/${name}/cmdline`, "utf8")).replaceAll("\0", " ");
        const parent = /^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${name}/status`, "utf8"))?.[1];
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // It has ended.
        return [];
      }
    }),
  );
  return found.flat();
}
