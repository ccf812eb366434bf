import type { PanelStatus } from "../../protocol/messages.ts";

/** Whether costs of zero mean that nothing was spent, rather than that nobody knows. */
export function isPriceKnown(status: PanelStatus | undefined): boolean {
  return status?.model.hasPrice === true;
}
