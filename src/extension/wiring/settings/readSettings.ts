import * as vscode from "vscode";
import type { PermissionMode } from "../../../protocol/modes.ts";
import { settingKeys } from "./settings.ts";
import { effectiveValue } from "./workspaceValue.ts";

/** What somebody set, by full name. A setting that nobody set is absent, so that its default can be told from a choice. */
export function readSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const raw: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const found = configuration.inspect(key);
    if (found === undefined) continue;
    const workspace = found.workspaceFolderValue ?? found.workspaceValue;
    const value = effectiveValue(key, { user: found.globalValue, workspace });
    if (value !== undefined) raw[key] = value;
  }
  return raw;
}

/** Calls back after each change of an Arbor setting. */
export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("arbor")) listener();
  });
}

/** Writes the mode to the user's settings. A workspace that is stricter keeps it so. */
export async function writePermissionMode(mode: PermissionMode): Promise<void> {
  await vscode.workspace.getConfiguration().update("arbor.permissions.mode", mode, vscode.ConfigurationTarget.Global);
}
