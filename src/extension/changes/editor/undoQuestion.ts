import { l10n, window } from "vscode";
import type { WrittenFile } from "../model/change.ts";

/** Asks which agent's edits are meant, with those of the agents it started. */
export async function chooseAgent(files: readonly WrittenFile[]): Promise<string | undefined> {
  const items = new Map<string, { label: string; agentId: string; count: number }>();
  for (const { author } of files.flatMap((file) => file.hunks)) {
    for (const [depth, agentId] of author.agentIds.entries()) {
      const label = author.agentPath.slice(0, depth + 1).join(" › ");
      items.set(agentId, { label, agentId, count: (items.get(agentId)?.count ?? 0) + 1 });
    }
  }
  const list = [...items.values()].map((item) => ({
    ...item,
    description: item.count === 1 ? l10n.t("1 edit") : l10n.t("{0} edits", item.count),
  }));
  const chosen = await window.showQuickPick(list, {
    title: l10n.t("Whose edits?"),
    placeHolder: l10n.t("An agent, with the agents it started"),
  });
  return chosen?.agentId;
}
