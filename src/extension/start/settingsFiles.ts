import { homedir } from "node:os";
import * as vscode from "vscode";
import { UserError } from "../common/userError.ts";
import { settingDefaults } from "../settings/settings.ts";
import { exportSettings, importQuestion, planImport } from "./settingsTransfer.ts";

const maxFileBytes = 1_000_000;

/** Writes the user's settings to a file that they name, or that a program gives. */
export async function exportSettingsFile(given: unknown): Promise<void> {
  const { text, leftOut } = exportSettings(userSettings());
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const title = vscode.l10n.t("Export Settings");
  const file =
    given instanceof vscode.Uri
      ? given
      : await vscode.window.showSaveDialog({
          ...{ title, filters: { JSON: ["json"] } },
          defaultUri: vscode.Uri.joinPath(folder, "arbor-settings.json"),
        });
  if (file === undefined) return;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  const kept =
    leftOut.length === 0
      ? vscode.l10n.t("Arbor's settings are exported, without keys.")
      : vscode.l10n.t("Arbor's settings are exported. Left out, since they may be secrets: {0}", leftOut.join(", "));
  void vscode.window.showInformationMessage(kept);
}

/** Reads a file that the user chooses, or that a program gives; nothing is written before they agree. */
export async function importSettingsFile(given: unknown): Promise<void> {
  const chosen =
    given instanceof vscode.Uri
      ? [given]
      : await vscode.window.showOpenDialog({
          title: vscode.l10n.t("Import Settings"),
          openLabel: vscode.l10n.t("Import"),
          filters: { JSON: ["json"] },
        });
  const file = chosen?.[0];
  if (file === undefined) return;
  const { size } = await vscode.workspace.fs.stat(file);
  const bytes = size > maxFileBytes ? new Uint8Array() : await vscode.workspace.fs.readFile(file);
  const plan = planImport(new TextDecoder().decode(bytes), userSettings());
  const keys = Object.keys(plan.values);
  if (keys.length === 0) {
    const [problem = vscode.l10n.t("Your settings have these values already.")] = plan.problems;
    throw new UserError(problem);
  }
  const agree = vscode.l10n.t("Import");
  const question = vscode.l10n.t("Import {0} settings of Arbor?", keys.length);
  const detail = importQuestion(plan);
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, agree)) !== agree) return;
  const configuration = vscode.workspace.getConfiguration();
  for (const key of keys) await configuration.update(key, plan.values[key], vscode.ConfigurationTarget.Global);
  void vscode.window.setStatusBarMessage(vscode.l10n.t("Settings imported: {0}", keys.length), 5_000);
}

/** What the user has set, by full name. */
function userSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const set = Object.keys(settingDefaults).map((key) => [key, configuration.inspect(key)?.globalValue] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== undefined));
}
