import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A process as no other one was or will be: ids are given again, also after a restart of the machine. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the system's own words without blanks; empty where the system does not report it. */
  startedAt: string;
  machine: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? "", machine: machineName() };
}

/** A container that is made again has another name, and processes of its own. */
export function machineName(): string {
  return hostname().replace(/[^\w-]/g, "_");
}

/** Whether a process of this machine is still there. One that can't be asked counts as there. */
export function isRunning({ pid, startedAt }: Omit<ProcessIdentity, "machine">): boolean {
  if (!exists(pid)) return false;
  const now = startOf(pid);
  return now === undefined || startedAt === "" || now === startedAt;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Undefined where it can't be found out. */
function startOf(pid: number): string | undefined {
  try {
    switch (process.platform) {
      case "linux":
        return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8)}-${startTicks(pid)}`;
      case "darwin":
        return word(execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", timeout: 2_000 }));
      case "win32": {
        const command = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
        const args = ["-NoProfile", "-NonInteractive", "-Command", command];
        return word(execFileSync("powershell.exe", args, { encoding: "utf8", timeout: 5_000, windowsHide: true }));
      }
      default:
        return undefined;
    }
  } catch {
    // The process ended meanwhile, or may not be asked: whether it exists is known anyway.
    return undefined;
  }
}

function startTicks(pid: number): string | undefined {
  // The second field is the program's name in brackets, which may hold blanks and brackets.
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function word(output: string): string | undefined {
  const text = output.trim().replace(/\W+/g, "-");
  return text === "" ? undefined : text;
}
