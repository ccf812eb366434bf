import { t } from "@vscode/l10n";
import { type Approval, askersOf } from "../../protocol/hostEvents.ts";
import { visible } from "./visible.ts";

/** All who want what a card asks for, like `main › edit and main › tests`. */
export function askerPaths(approval: Approval): string {
  return listed(askersOf(approval).map(({ agentPath }) => agentPath.map(visible).join(" › ")));
}

/** The same without those above them, like `edit and tests`. */
export function askerNames(approval: Approval): string {
  return listed(askersOf(approval).map(({ agentPath }) => visible(agentPath.at(-1) ?? t("An agent"))));
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : t("{0} and {1}", names.slice(0, -1).join(", "), last);
}
