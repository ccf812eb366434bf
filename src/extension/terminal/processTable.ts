import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process that runs; those that have ended and wait to be collected are left out. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the system does not tell. */
  session: number;
  /** Tells two processes apart that had the same id one after the other. */
  startedAt: string;
  /** Whether the text stands in the environment it was started with; false where that can't be read. */
  hasInEnvironment(text: string): boolean;
}

/**
 * All processes of the system. It is read without waiting, so that between finding a process and ending it nothing
 * else happens here.
 */
export function readProcesses(platform: NodeJS.Platform = process.platform): ProcessRow[] {
  if (platform === "linux") return readProc();
  return platform === "win32" ? [] : readPs();
}

function readProc(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const row = parseStat(Number(name), readIfThere(`/proc/${name}/stat`).toString("latin1"));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function parseStat(pid: number, stat: string): ProcessRow | undefined {
  // The second field is the program's name in brackets, which may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "Z", parent, group, session] = fields;
  if (state === "Z" || state === "X" || parent === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? "",
    hasInEnvironment: (text) => readIfThere(`/proc/${pid}/environ`).includes(text),
  };
}

/** Processes end while one reads, and those of other users keep their environment to themselves. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Without /proc: parents and groups alone. */
function readPs(): ProcessRow[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line);
    if (match === null || match[4]?.startsWith("Z")) return [];
    const [pid, parent, group] = [Number(match[1]), Number(match[2]), Number(match[3])];
    return [{ pid, parent, group, session: 0, startedAt: match[5] ?? "", hasInEnvironment: () => false }];
  });
}
