import { commands, l10n, window } from "vscode";
import { type DeleteAllDependencies, deleteAllData } from "./deleteAllData.ts";

/** `arbor.deleteAllData`: asks, and then nothing of Arbor's is left in the storage of this workspace. */
export async function askDeleteAll(dependencies: DeleteAllDependencies): Promise<void> {
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
  await deleteAllData(dependencies, answer === withKeys);
  const reload = l10n.t("Reload Window");
  const next = await window.showInformationMessage(
    l10n.t("Arbor's data of this workspace is deleted. Reload the window, so that nothing of it stays in memory."),
    reload,
  );
  if (next === reload) await commands.executeCommand("workbench.action.reloadWindow");
}
