import { t } from "@vscode/l10n";
import type { ChatStateName } from "../../../protocol/history.ts";

/** Each state has a shape of its own: no meaning by colour alone. */
export const stateIcons: Readonly<Record<ChatStateName, string>> = {
  idle: "comment",
  running: "circle-filled",
  waiting: "report",
  interrupted: "debug-disconnect",
  damaged: "warning",
};

/** Nothing of a chat that rests. */
export function stateText(state: ChatStateName): string[] {
  switch (state) {
    case "idle":
      return [];
    case "running":
      return [t("running")];
    case "waiting":
      return [t("waits for you")];
    case "interrupted":
      return [t("interrupted")];
    case "damaged":
      return [t("can't be read")];
    default:
      state satisfies never;
      return [];
  }
}
