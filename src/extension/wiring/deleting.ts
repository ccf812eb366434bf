import { commands, l10n, window } from "vscode";
import type { ChatTabs } from "../panel/chatTabs.ts";
import { type DeleteAllDependencies, deleteAllData } from "../panel/history/deleteAllData.ts";
import type { Panels } from "../panel/panels.ts";
import type { OpenChats } from "./chats.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

export interface DeletingParts {
  host: Host;
  models: Models;
  open: OpenChats;
  panels: Panels;
  tabs: ChatTabs;
}

/** Asks, and then deletes all that Arbor keeps for this workspace. */
export function createDeleting({ host, models, open, panels, tabs }: DeletingParts): () => Promise<void> {
  const { context, storage } = host;
  const { chats, drafts, sessions } = open;
  return () =>
    askDeleteAll({
      ...storage,
      async leaveChats() {
        for (const chat of chats.all) {
          tabs.close(chat);
          if (panels.view.chat === chat) panels.view.show(chats.create());
          await chats.close(chat);
        }
      },
      deleteSessions: () => sessions.deleteAll(),
      async forget() {
        drafts.forgetAll();
        for (const key of context.workspaceState.keys()) await context.workspaceState.update(key, undefined);
      },
      async removeKeys() {
        for (const id of await models.keys.stored([])) await models.keys.remove(id);
        const { secrets } = context;
        for (const key of await secrets.keys()) if (key.startsWith("arbor.mcp.")) await secrets.delete(key);
        await models.forget();
      },
    });
}

/** `arbor.deleteAllData`: asks, and then nothing of Arbor's is left in the storage of this workspace. */
async function askDeleteAll(dependencies: DeleteAllDependencies): Promise<void> {
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
