import { t } from "@vscode/l10n";
import { type Approval, askersOf } from "../../protocol/hostEvents.ts";

/** All who want what a card asks for, like `main › edit and main › tests`. */
export function askerPaths(approval: Approval, pathOf: (asker: ReturnType<typeof askersOf>[number]) => string): string {
  return listed(askersOf(approval).map(pathOf));
}

/** The same without those above them, like `edit and tests`. */
export function askerNames(approval: Approval, nameOf: (asker: ReturnType<typeof askersOf>[number]) => string): string {
  return listed(askersOf(approval).map(nameOf));
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : t("{0} and {1}", names.slice(0, -1).join(", "), last);
}
