import { rm } from "node:fs/promises";
import { join } from "node:path";
import { commands, l10n, window } from "vscode";
import { draftsFile } from "../drafts.ts";

export interface DeleteAllDependencies {
  /** Of this workspace. */
  storageFolder: string;
  /** Ends what runs and lets go of every chat; their panels show new ones. */
  leaveChats(): Promise<void>;
  deleteSessions(): Promise<void>;
  /** Forgets drafts and what else the editor keeps. */
  forget(): Promise<void>;
  removeKeys(): Promise<void>;
}

/** What Arbor keeps beside the sessions. */
export const keptNames = [
  "checkpoints",
  "outputs",
  "traces",
  "words",
  "pending-edits.json",
  "shown-chat.json",
  draftsFile,
];

/** `arbor.deleteAllData`: asks, and then nothing of Arbor's is left in the storage of this workspace. */
export async function deleteAllData(dependencies: DeleteAllDependencies): Promise<void> {
  const only = l10n.t("Delete Data");
  const withKeys = l10n.t("Delete Data and API Keys");
  const answer = await window.showWarningMessage(
    l10n.t("Delete everything that Arbor keeps for this workspace?"),
    {
      modal: true,
      detail: l10n.t(
        "All chats, with what is needed to rewind them, outputs of commands and traces. Agents that run are stopped. Your files and settings stay as they are. This can't be undone.",
      ),
    },
    only,
    withKeys,
  );
  if (answer !== only && answer !== withKeys) return;
  await dependencies.leaveChats();
  await dependencies.deleteSessions();
  for (const name of keptNames) await rm(join(dependencies.storageFolder, name), { recursive: true, force: true });
  await dependencies.forget();
  if (answer === withKeys) await dependencies.removeKeys();
  const reload = l10n.t("Reload Window");
  const next = await window.showInformationMessage(
    l10n.t("Arbor's data of this workspace is deleted. Reload the window, so that nothing of it stays in memory."),
    reload,
  );
  if (next === reload) await commands.executeCommand("workbench.action.reloadWindow");
}
