import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessRow } from "./processTable.ts";

const lookAgainMs = 40;
/** What a kill does not end by then is stuck in the system and out of anyone's reach. */
const mostKills = 50;

/**
 * Ends all that `find` finds: asks them first, and kills what is left after the grace period, again and again until
 * nothing new turns up. Gives how many there were.
 */
export async function endProcesses(find: () => ProcessRow[], graceMs: number): Promise<number> {
  const ended = new Set<number>();
  const signalAll = (signal: "SIGTERM" | "SIGKILL"): number => {
    const rows = find();
    for (const { pid } of rows) {
      ended.add(pid);
      send(pid, signal);
    }
    return rows.length;
  };
  if (signalAll("SIGTERM") === 0) return 0;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await delay(lookAgainMs);
    if (find().length === 0) return ended.size;
  }
  for (let round = 0; round < mostKills && signalAll("SIGKILL") > 0; round++) await delay(lookAgainMs);
  return ended.size;
}

/** Kills at once, for when there is no time to wait. */
export function killProcesses(find: () => ProcessRow[]): void {
  // What was being spawned while one looked is found by the next look.
  for (let round = 0; round < 3; round++) for (const { pid } of find()) send(pid, "SIGKILL");
}

/** Windows has no groups and no marks to go by; its own tool follows parents. */
export function killWindowsTree(pid: number): void {
  try {
    execFileSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
  } catch {
    // It fails when the tree has ended already.
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user and is out of reach.
  }
}
