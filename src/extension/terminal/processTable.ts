import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A process that runs; those that have ended and wait to be collected are left out. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the system does not report it. */
  session: number;
  /** Differs for two processes that had the same id one after the other. */
  startedAt: string;
  /** Stopped by a signal, until another one lets it go on. */
  isPaused: boolean;
  /** Whether the text is in the environment it was started with; false where that can't be read. */
  hasInEnvironment(text: string): boolean;
  /** What its output and its errors go to, as the system names that; empty where it can't be read. */
  outputs(): readonly string[];
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
  let environment: Buffer | undefined;
  if (state === "Z" || state === "X" || parent === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] ?? "",
    isPaused: state === "T" || state === "t",
    hasInEnvironment(text) {
      environment ??= readIfThere(`/proc/${pid}/environ`);
      return environment.includes(text);
    },
    outputs: () => outputsOf(pid),
  };
}

/** Empty without /proc. */
export function outputsOf(pid: number): string[] {
  return [1, 2].flatMap((file) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${file}`)];
    } catch {
      return [];
    }
  });
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
    const known = { pid, parent, group, startedAt: match[5] ?? "", isPaused: match[4]?.startsWith("T") === true };
    return [{ ...known, session: 0, hasInEnvironment: () => false, outputs: () => [] }];
  });
}

/** What is known of a command's processes. */
export interface TreeRoot {
  /** Of the shell, which leads a session and group of its own. */
  pid: number;
  /** Part of the environment of all that it spawned, unless they cleared it. */
  mark: string;
  /** The pipe or socket that its output goes to, which no other command has. */
  output?: string;
  /** Processes that were seen to belong to it, by `identityOf`: they still do when their parent has ended. */
  readonly known: Set<string>;
}

/**
 * The processes of a command: the shell's group and session, what has its mark, and all their descendants. A
 * process escapes this only when it left the session, cleared its environment, sent its output elsewhere, and lost its
 * parent before anyone looked.
 */
export function membersOf(root: TreeRoot, rows: readonly ProcessRow[]): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const found = new Set<ProcessRow>();
  const add = (row: ProcessRow) => {
    if (found.has(row) || row.pid === process.pid || row.pid <= 1) return;
    found.add(row);
    for (const child of children.get(row.pid) ?? []) add(child);
  };
  for (const row of rows) if (belongs(root, row)) add(row);
  for (const row of found) root.known.add(identityOf(row));
  return [...found];
}

/** Those that did not make themselves independent, as a daemon does by a session of its own. */
export function inSession(root: TreeRoot, members: readonly ProcessRow[]): ProcessRow[] {
  return members.filter((row) => row.group === root.pid || row.session === root.pid);
}

function belongs(root: TreeRoot, row: ProcessRow): boolean {
  if (row.pid === root.pid || row.group === root.pid || row.session === root.pid) return true;
  if (root.known.has(identityOf(row)) || row.hasInEnvironment(root.mark)) return true;
  return root.output !== undefined && row.outputs().includes(root.output);
}

function identityOf({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

const maxStops = 20;

/**
 * Stops all that `find` finds, until it finds nothing that goes on: what forks while one looks would be lost with its
 * parent, unless it has the mark.
 */
function stopAll(find: () => ProcessRow[]): ProcessRow[] {
  const stopped = new Set<number>();
  for (let round = 0; ; round++) {
    const rows = find();
    const going = rows.filter(({ pid, isPaused }) => !isPaused && !stopped.has(pid));
    if (going.length === 0 || round === maxStops) return rows;
    for (const { pid } of going) {
      stopped.add(pid);
      sendSignal(pid, "SIGSTOP");
    }
  }
}

const lookAgainMs = 40;
/** What a kill does not end by then is stuck in the system and out of anyone's reach. */
const maxKills = 50;

/**
 * Ends all that `find` finds: asks them first, and kills what is left after the grace period, again and again until
 * nothing new turns up. Gives how many there were. The process `keeper` is only killed: its end kills the others at once.
 */
export async function endProcesses(find: () => ProcessRow[], graceMs: number, keeper?: number): Promise<number> {
  const ended = new Set<number>();
  const signalAll = (signal: "SIGTERM" | "SIGKILL"): number => {
    const rows = stopAll(find);
    for (const { pid } of rows) {
      ended.add(pid);
      if (pid !== keeper || signal === "SIGKILL") sendSignal(pid, signal);
    }
    // It ends in its own way, which it does not while it is stopped.
    if (signal === "SIGTERM") for (const { pid } of rows) sendSignal(pid, "SIGCONT");
    return rows.length;
  };
  if (signalAll("SIGTERM") === 0) return 0;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await delay(lookAgainMs);
    if (find().length === 0) return ended.size;
  }
  for (let round = 0; round < maxKills && signalAll("SIGKILL") > 0; round++) await delay(lookAgainMs);
  return ended.size;
}

/** Kills at once, for when there is no time to wait. */
export function killProcesses(find: () => ProcessRow[]): void {
  // What was being spawned while one looked is found by the next look.
  for (let round = 0; round < 3; round++) for (const { pid } of stopAll(find)) sendSignal(pid, "SIGKILL");
}

/** Windows has no groups and no marks to go by; its own tool follows parents. */
export function killWindowsTree(pid: number): void {
  try {
    execFileSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  } catch {
    // It fails when the tree has ended already.
  }
}

/** A signal to a process that may be gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user and is out of reach.
  }
}
