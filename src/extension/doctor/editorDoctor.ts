import { execFile } from "node:child_process";
import os from "node:os";
import * as vscode from "vscode";
import { editorPrompts } from "../models/setup/editorPrompts.ts";
import { probeSandbox } from "../sandbox/probe.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { diskRoots } from "../workspace/editorRoots.ts";
import { attempt, type RunProgram } from "./check.ts";
import { knownSecrets } from "./knownSecrets.ts";
import {
  checkGit,
  checkRipgrep,
  checkSandbox,
  checkSettings,
  checkShell,
  checkStorage,
  checkTrust,
  type EditorGit,
  type StorageSources,
} from "./machineChecks.ts";
import { checkModels, type ModelCheckSources } from "./modelChecks.ts";
import { type DoctorReport, formatReport } from "./report.ts";

export interface DoctorSources extends Omit<ModelCheckSources, "settings"> {
  settings(): ArborSettings;
  settingProblems(): readonly string[];
  storage: StorageSources;
  /** Of the extension. */
  version: string;
}

/** Looks at everything that Arbor needs; undefined where the user stopped that. */
export async function examine(sources: DoctorSources): Promise<DoctorReport | undefined> {
  return editorPrompts.during(vscode.l10n.t("Checking what Arbor needs…"), async (signal) => {
    const checks = await checkAll(sources, signal);
    if (signal.aborted) return undefined;
    const secrets = await knownSecrets(sources.settings(), sources.keys);
    return formatReport(checks, { about: aboutLines(sources.version), secrets, home: os.homedir() });
  });
}

async function checkAll(sources: DoctorSources, signal: AbortSignal) {
  const settings = sources.settings();
  const { platform, arch, env } = process;
  const roots = diskRoots();
  const ripgrep = {
    setting: settings.ripgrepPath,
    appRoot: vscode.env.appRoot,
    searchPath: env.PATH ?? "",
    ...{ platform, arch },
  };
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  const checks = await Promise.all([
    attempt(vscode.l10n.t("Model"), () => checkModels({ ...sources, settings }, signal)),
    attempt("ripgrep", () => checkRipgrep(ripgrep, runProgram, signal)),
    attempt("git", async () => checkGit(await editorGit(), runProgram, signal)),
    attempt(vscode.l10n.t("Sandbox"), async () =>
      checkSandbox(settings.commandSandbox, await probeSandbox({ environment: env, roots }), platform),
    ),
    attempt(vscode.l10n.t("Shell"), () => checkShell({ platform, preferred: env.SHELL }, runProgram, signal)),
    checkTrust({ isTrusted, hasFolder: workspaceFolders.length > 0 }),
    attempt(vscode.l10n.t("Storage"), () => checkStorage(sources.storage)),
    checkSettings(sources.settingProblems()),
  ]);
  return checks.flat();
}

const maxRunMs = 5_000;

const runProgram: RunProgram = (program, args, signal) =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: maxRunMs, signal, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) resolve({ ok: true, output: stdout });
      else resolve({ ok: false, problem: stderr.trim().split("\n")[0] || error.message });
    });
  });

/** What is used here of the interface that the editor's own git extension offers to others. */
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): { readonly git: { readonly path: string } };
}

async function editorGit(): Promise<EditorGit> {
  if (vscode.workspace.getConfiguration("git").get("enabled") === false) return { state: "disabled" };
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const offered = await extension?.activate();
  // Without a git program the extension is not enabled either.
  return offered?.enabled ? { state: "found", path: offered.getAPI(1).git.path } : { state: "missing" };
}

function aboutLines(version: string): string[] {
  const { appName, appHost, remoteName, language } = vscode.env;
  const where = remoteName === undefined ? appHost : `${appHost}, remote`;
  return [
    `Arbor ${version}`,
    `${appName} ${vscode.version} (${where}), ${language}`,
    `${os.type()} ${os.release()} ${process.arch}, Node ${process.versions.node}`,
  ];
}
