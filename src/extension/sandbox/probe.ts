import { execFile } from "node:child_process";
import { access, constants, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import { isAbsolute, join } from "node:path";
import { t } from "@vscode/l10n";
import { bubblewrapArguments, isWithin } from "./mounts.ts";
import { systemMounts } from "./systemMounts.ts";

/** The program that makes sandboxes, and what it can do; or why there is none, as a sentence for people. */
export type SandboxProbe =
  | { isAvailable: true; program: string; canDisableNamespaces: boolean }
  | { isAvailable: false; reason: string };

export interface ProbeOptions {
  environment: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
  /** Folders whose programs are not trusted: those of the workspace. */
  roots?: readonly string[];
}

const maxProbeMs = 10_000;

/** Tries it: that the program is there does not mean that the system lets it. */
export async function probeSandbox({
  environment,
  platform = process.platform,
  roots = [],
}: ProbeOptions): Promise<SandboxProbe> {
  if (platform !== "linux") {
    return { isAvailable: false, reason: t("There is no sandbox for commands on this system yet.") };
  }
  const program = await findProgram(environment.PATH ?? "", roots);
  if (program === undefined)
    return { isAvailable: false, reason: t("The program bubblewrap (bwrap) is not installed.") };
  let problem = "";
  for (const canDisableNamespaces of [true, false]) {
    const failure = await tryOut(program, canDisableNamespaces);
    if (failure === undefined) return { isAvailable: true, program, canDisableNamespaces };
    problem = failure;
  }
  return { isAvailable: false, reason: t("bubblewrap can't isolate programs on this machine ({0}).", problem) };
}

async function findProgram(searchPath: string, roots: readonly string[]): Promise<string | undefined> {
  for (const folder of searchPath.split(":")) {
    if (!isAbsolute(folder)) continue;
    const file = await realpath(join(folder, "bwrap")).catch(() => undefined);
    if (file === undefined || roots.some((root) => isWithin(file, root))) continue;
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** Undefined when it works; otherwise what the program says. */
async function tryOut(program: string, canDisableNamespaces: boolean): Promise<string | undefined> {
  const folder = await mkdtemp(join(os.tmpdir(), "arbor-probe-"));
  try {
    const system = await systemMounts({ home: folder, environment: {} });
    const options = { folder: "/", emptyFile: "/dev/null", canDisableNamespaces };
    const mounts = [...system.filter(({ kind }) => kind !== "hiddenFile"), { kind: "write", path: folder } as const];
    const args = [...bubblewrapArguments({ ...options, mounts }), "--", "/bin/sh", "-c", "exit 0"];
    return await new Promise((resolve) => {
      execFile(program, args, { timeout: maxProbeMs, env: {}, killSignal: "SIGKILL" }, (error, _, stderr) => {
        resolve(error === null ? undefined : (stderr.trim().split("\n")[0] ?? "") || error.message);
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
