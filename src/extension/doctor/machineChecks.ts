import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import type { SandboxProbe } from "../sandbox/probe.ts";
import type { SandboxSetting } from "../settings/settings.ts";
import { chooseShell } from "../terminal/shell.ts";
import { findRipgrep, type RipgrepPlaces } from "../workspace/search/ripgrep.ts";
import { type Check, type Fix, openSetting, type RunProgram } from "./check.ts";

/** The editor's git, if it has one. */
export type EditorGit = { state: "found"; path: string } | { state: "disabled" } | { state: "missing" };

export async function checkRipgrep(places: RipgrepPlaces, run: RunProgram, signal: AbortSignal): Promise<Check> {
  const title = "ripgrep";
  const fix = openSetting(t("Open Search Setting"), "arbor.search.ripgrepPath");
  const program = await findRipgrep(places);
  const slow = t("Without it, searching is slower.");
  if (program === undefined) {
    return { title, state: "warning", text: [t("No ripgrep was found."), slow].join(" "), fix };
  }
  if (places.setting !== "" && program !== places.setting) {
    const text = t("{0} can't be run; {1} is used instead.", places.setting, program);
    return { title, state: "warning", text, fix };
  }
  const outcome = await run(program, ["--version"], signal);
  if (!outcome.ok) {
    return { title, state: "problem", text: t("{0} does not run: {1}", program, outcome.problem), fix };
  }
  return { title, state: "ok", text: `${firstLine(outcome.output)} (${program})` };
}

export async function checkGit(git: EditorGit, run: RunProgram, signal: AbortSignal): Promise<Check> {
  const title = "git";
  const use = t("Without it, agents don't know the branch and changes can't be attached.");
  if (git.state === "disabled") {
    const fix = openSetting(t("Open Git Setting"), "git.enabled");
    return { title, state: "warning", text: [t("Git is turned off in the editor's settings."), use].join(" "), fix };
  }
  const outcome = git.state === "found" ? await run(git.path, ["--version"], signal) : undefined;
  if (outcome?.ok) return { title, state: "ok", text: firstLine(outcome.output) };
  const problem = outcome === undefined ? t("The editor found no git.") : t("Git does not run: {0}", outcome.problem);
  const fix = openWebPage(t("Install Git"), "https://git-scm.com/downloads");
  return { title, state: "warning", text: [problem, use].join(" "), fix };
}

export function checkSandbox(setting: SandboxSetting, probe: SandboxProbe, platform: NodeJS.Platform): Check {
  const title = t("Sandbox");
  const openIt = openSetting(t("Open Sandbox Setting"), "arbor.commands.sandbox");
  if (setting === "off") return { title, state: "off", text: t("Off: each command is asked for."), fix: openIt };
  if (probe.isAvailable) return { title, state: "ok", text: t("Commands run in a sandbox ({0}).", probe.program) };
  const isLinux = platform === "linux";
  const fix = isLinux ? openWebPage(t("Install bubblewrap"), "https://github.com/containers/bubblewrap") : openIt;
  if (setting === "required") {
    const text = t("The setting allows commands in the sandbox only, so none can run. {0}", probe.reason);
    return { title, state: "problem", text, fix };
  }
  const text = t("Each command is asked for. {0}", probe.reason);
  return { title, state: isLinux ? "warning" : "off", text, fix };
}

export async function checkShell(
  { platform, preferred }: { platform: NodeJS.Platform; preferred: string | undefined },
  run: RunProgram,
  signal: AbortSignal,
): Promise<Check> {
  const title = t("Shell");
  const shell = chooseShell({ platform, preferred });
  const sign = "arbor-shell-works";
  const outcome = await run(shell.file, shell.args(`echo ${sign}`), signal);
  const log: Fix = { label: t("Show Log"), command: "arbor.showLog" };
  if (!outcome.ok)
    return { title, state: "problem", text: t("{0} does not run: {1}", shell.kind, outcome.problem), fix: log };
  if (!outcome.output.includes(sign)) {
    return { title, state: "problem", text: t("{0} runs, but its output does not arrive.", shell.kind), fix: log };
  }
  return { title, state: "ok", text: t("Commands are written for {0}.", shell.kind) };
}

export function checkTrust({ isTrusted, hasFolder }: { isTrusted: boolean; hasFolder: boolean }): Check[] {
  const trust: Check = isTrusted
    ? { title: t("Trust"), state: "ok", text: t("The workspace is trusted.") }
    : {
        title: t("Trust"),
        state: "warning",
        text: t("Restricted Mode: agents have no tools until you trust the workspace."),
        fix: { label: t("Manage Workspace Trust"), command: "workbench.trust.manage" },
      };
  if (hasFolder) return [trust];
  const open: Fix = { label: t("Open Folder"), command: "vscode.openFolder" };
  const text = t("No folder is open: agents can talk, but not read or change files.");
  return [trust, { title: t("Folder"), state: "warning", text, fix: open }];
}

export interface StorageSources {
  folder: string;
  /** What kept earlier data from being moved there. */
  problems: readonly unknown[];
  countChats(): Promise<number>;
}

const minFreeBytes = 500_000_000;

/** That a file can be written there and read again, and that there is room. */
export async function checkStorage({ folder, problems, countChats }: StorageSources): Promise<Check> {
  const title = t("Storage");
  const show: Fix = { label: t("Show Log"), command: "arbor.showLog" };
  const file = join(folder, `doctor-${randomUUID()}.txt`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, title, { flag: "wx", mode: 0o600 });
    const isSame = (await readFile(file, "utf8")) === title;
    await rm(file, { force: true });
    if (!isSame) return { title, state: "problem", text: t("{0} does not keep what is written.", folder), fix: show };
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    return { title, state: "problem", text: t("{0} can't be written: {1}", folder, errorText(error)), fix: show };
  }
  const { bavail, bsize } = await statfs(folder);
  const freeGb = ((bavail * bsize) / 1e9).toFixed(1);
  const text = t("Chats: {0}. Free: {1} GB. Folder: {2}", await countChats(), freeGb, folder);
  if (problems.length > 0) {
    const moved = t("Some earlier chats could not be moved there: {0}", errorText(problems[0]));
    return { title, state: "warning", text: [text, moved].join(" "), fix: show };
  }
  if (bavail * bsize >= minFreeBytes) return { title, state: "ok", text };
  const remove: Fix = { label: t("Delete All Data"), command: "arbor.deleteAllData" };
  return { title, state: "warning", text: [text, t("The disk is nearly full.")].join(" "), fix: remove };
}

/** What the settings have that makes no sense, as sentences. */
export function checkSettings(problems: readonly string[]): Check {
  const title = t("Settings");
  if (problems.length === 0) return { title, state: "ok", text: t("All values are valid.") };
  const fix = openSetting(t("Open Settings"), "@ext:arbor.arbor-agent");
  return { title, state: "problem", text: problems.join(" "), fix };
}

const firstLine = (text: string) => text.trim().split("\n")[0] ?? "";
const openWebPage = (label: string, url: string): Fix => ({ label, command: "vscode.open", arguments: [url] });
