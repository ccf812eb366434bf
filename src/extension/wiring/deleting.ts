import type { ChatTabs } from "../panel/chatTabs.ts";
import { askDeleteAll } from "../panel/history/askDeleteAll.ts";
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
        await models.forget();
      },
    });
}
