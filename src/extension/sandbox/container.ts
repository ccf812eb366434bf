import { execFile } from "node:child_process";
import { cp, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseMountinfo } from "./mounts.ts";

const maxProbeMs = 10_000;
const sshSettings = "/etc/ssh/ssh_config.d";

/**
 * Arguments of bubblewrap for a command that has all of the user's rights but sees no process other than its own: neither
 * what the editor was started with, nor can anything of it go on after its end. `copies` is a folder for what has to be
 * mounted otherwise than it is.
 */
export async function containerArguments(copies: string): Promise<string[]> {
  const isRoot = process.getuid?.() === 0;
  return [
    // Other users than root may make a namespace of processes only in one of users.
    ...(isRoot ? ["--cap-add", "ALL"] : ["--unshare-user"]),
    ...["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"],
    ...(isRoot ? [] : await ownSshSettings(copies)),
  ];
}

/** In a namespace of users root's files seem to belong to no user; ssh takes settings from its user and root alone. */
async function ownSshSettings(copies: string): Promise<string[]> {
  const copy = join(copies, "ssh");
  try {
    if ((await readdir(sshSettings)).length === 0) return [];
    await cp(sshSettings, copy, { recursive: true, dereference: true });
  } catch {
    // There are none, or none that this user may read.
    return [];
  }
  return ["--ro-bind", copy, sshSettings];
}

/** Whether such a container can be made on this machine. */
export function canContain(program: string, options: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const limits = { timeout: maxProbeMs, env: {}, killSignal: "SIGKILL" } as const;
    execFile(program, [...options, "--", "/bin/sh", "-c", "exit 0"], limits, (error) => resolve(error === null));
  });
}

/** By the mounts that a process sees: at first all of this machine's, in the end a list of processes of its own. */
export function isContained(inside: string, outside: string): boolean {
  const [own, ours] = [parseMountinfo(inside), parseMountinfo(outside)];
  const processes = (rows: typeof own) => rows.findLast(({ path }) => path === "/proc")?.device;
  const isMoving = own.some(({ path }) => path.startsWith("/oldroot") || path.startsWith("/newroot"));
  return !isMoving && processes(own) !== undefined && processes(own) !== processes(ours);
}

/** They need what no namespace of users gives. They run another program, so they are asked for whatever a rule allows. */
const otherUsers = ["sudo", "doas", "su", "pkexec", "run0"];
const aboutProcesses = [
  ...["kill", "killall", "pkill", "ps", "pgrep", "pidof", "top", "lsof", "fuser", "ss", "netstat", "gdb", "lldb"],
  ...["strace", "ltrace", "perf"],
];

/** Whether a command is about other users or other processes, and runs nothing else that does more than read. */
export async function needsAllProcesses(command: string): Promise<boolean> {
  // Loaded with the first command.
  const { parseBash } = await import("../approvals/shell/parseCommand.ts");
  const { commands } = await parseBash(command);
  if (commands.some(({ words }) => otherUsers.includes(basename(words[0]?.text ?? "")))) return true;
  const own = aboutProcesses.map((name) => `${name} *`);
  const { defaultCommandRules, judgeCommand } = await import("../approvals/commands.ts");
  const judge = async (allow: string[]) =>
    (await judgeCommand(command, { allow, ask: [], deny: [] })).parts.map(({ verdict }) => verdict);
  const [withOwn, without] = [
    await judge([...defaultCommandRules.allow, ...own]),
    await judge(defaultCommandRules.allow),
  ];
  return withOwn.length > 0 && withOwn.every((verdict) => verdict === "allow") && without.includes("ask");
}
