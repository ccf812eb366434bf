import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../common/userError.ts";
import type { SandboxLaunch } from "../sandbox/commandSandbox.ts";
import { sendSignal } from "./processTable.ts";
import type { Shell } from "./shell.ts";

/** What bubblewrap and the script below are given beside output: numbers of open files. */
const goAhead = "go";
const files = { options: 3, info: 4, gate: 5, left: 6, folder: 7 } as const;

/**
 * Waits for the word that all is as it should be, which the end of the editor is not. Runs the command, then counts what
 * it left running: all but the first process of the sandbox and this shell. With the end of this shell the system ends
 * the rest. A signal is for the command: the shell outlives it.
 */
const scriptFor = ({ isApart = false }) => `${isApart ? "exec 9>&2\n" : ""}exec 2>/dev/null
bridge=
read -r word <&${files.gate} && [ "$word" = ${goAhead} ] || exit 125
exec ${files.gate}<&-
BRIDGE
trap : TERM INT HUP
"$0" "$@" ${isApart ? "2>&9 9>&-" : "2>&1"} ${files.left}>&-
code=$?
count=0
for file in /proc/[0-9]*/stat; do
  [ "$file" = "/proc/$bridge/stat" ] && continue
  read -r line <"$file" && case "\${line##*) }" in [ZX]*) ;; *) count=$((count+1)) ;; esac
done
echo $((count-2)) >&${files.left}
exit $code`;

/** Goes on once the bridge listens, and has closed what it printed its number to. */
function bridgeStart({ program, script }: NonNullable<SandboxLaunch["bridge"]>): string {
  return `bridge=$(ELECTRON_RUN_AS_NODE=1 ${quoted(program)} -e ${quoted(script)} </dev/null ${files.left}>&- &)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The folder that is named may be another one than the one that is open. */
const folderCheck = `[ . -ef /proc/self/fd/${files.folder} ] || { echo "The folder is another one by now. Nothing ran."; exit 125; }
exec ${files.folder}<&-
`;

export interface SandboxedShell {
  shell: Pick<Shell, "file" | "argsFor">;
  command: string;
  /** Where it starts, if the sandbox does not say that: its path, and the number of the open folder. */
  folder?: { path: string; number: number };
  /** It reads what is written to it. Default: it reads nothing. */
  hasInput?: boolean;
  /** Error output is not joined to output. */
  isApart?: boolean;
}

/** Output, error output, and those of `files` that are there always. */
const pipes = Array.from({ length: 6 }, () => "pipe" as const);

/** Starts a shell in a sandbox that waits to be opened. */
export function spawnInSandbox(
  launch: SandboxLaunch,
  { shell, command, folder, hasInput = false, isApart = false }: SandboxedShell,
): ChildProcess {
  const bridge = launch.bridge === undefined ? "" : bridgeStart(launch.bridge);
  const script = scriptFor({ isApart }).replace("BRIDGE", () => bridge);
  const args = shell.argsFor?.(folder === undefined ? script : folderCheck + script, command);
  if (args === undefined) throw new ToolError("This shell can't run in the sandbox.");
  const given = ["--args", `${files.options}`, "--info-fd", `${files.info}`];
  const child = spawn(launch.program, [...given, "--", shell.file, ...args], {
    cwd: "/",
    env: launch.environment,
    stdio: [hasInput ? "pipe" : "ignore", ...pipes, ...(folder === undefined ? [] : [folder.number])],
    detached: true,
  });
  const options = writable(child, files.options);
  const start = folder === undefined ? [] : ["--chdir", folder.path];
  options.end([...launch.options, ...start].map((option) => `${option}\0`).join(""));
  return child;
}

/** How many processes a command leaves behind in its sandbox, when it has ended. */
export interface OpenedSandbox {
  readonly leftBehind: Promise<number>;
}

const maxSetupMs = 20_000;
const lookAgainMs = 3;

/**
 * Lets the command of a sandbox begin once all is mounted as it was meant. `printed` is what bubblewrap says where it can't.
 * Throws a `ToolError` then, and nothing has run.
 */
export async function openSandbox(
  child: ChildProcess,
  launch: SandboxLaunch,
  printed: () => string,
): Promise<OpenedSandbox> {
  const leftBehind = textOf(readable(child, files.left)).then((text) => Number(/^\d{1,7}\n$/.exec(text)?.[0] ?? 0));
  const first = firstProcess(await textOf(readable(child, files.info)));
  const problem = await checked(child, launch, first).catch((error: unknown) => String(error));
  if (problem !== undefined) {
    // Until it is set up, the first process inside does not end with the one outside.
    for (const pid of [first, child.pid]) if (pid !== undefined) sendSignal(pid, "SIGKILL");
    throw new ToolError(`The sandbox could not be set up, so the command did not run: ${problem} ${printed()}`.trim());
  }
  writable(child, files.gate).end(`${goAhead}\n`);
  return { leftBehind };
}

/** Undefined once the sandbox is as it should be. */
async function checked(
  child: ChildProcess,
  launch: SandboxLaunch,
  first: number | undefined,
): Promise<string | undefined> {
  if (first === undefined) return "bubblewrap failed.";
  const deadline = performance.now() + maxSetupMs;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    const inside = await readFile(`/proc/${first}/mountinfo`, "utf8").catch(() => "");
    if (await launch.isSetUp(inside)) {
      const wrong = await launch.wrongMount(inside);
      return wrong === undefined ? undefined : `${wrong} was swapped for something else meanwhile.`;
    }
    await delay(lookAgainMs);
  }
  return "bubblewrap failed.";
}

/** The first process of the sandbox, as this machine numbers it. */
function firstProcess(info: string): number | undefined {
  const pid = /"child-pid":\s*(\d+)/.exec(info)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

const maxTextLength = 10_000;

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  // A pipe that is torn down has nothing more to say.
  const take = async () => {
    for await (const chunk of stream) if (text.length < maxTextLength) text += String(chunk);
  };
  await take().catch(() => undefined);
  return text;
}

function readable(child: ChildProcess, file: number): Readable {
  // Types know of no pipe beyond the third; `stdio` above says that it is one.
  return child.stdio[file] as Readable;
}

function writable(child: ChildProcess, file: number): Writable {
  const stream = child.stdio[file] as Writable;
  // A sandbox that fails reads nothing; that is reported by its end.
  stream.on("error", () => {});
  return stream;
}
