import { t } from "@vscode/l10n";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";

export interface AskedAgainProps {
  reason: string;
  /** Nothing had come of the answer. */
  isEmpty: boolean;
}

/** Below what came of an answer that was cut off and then asked for again: it is no answer, and nothing to worry about. */
export function AskedAgain({ reason, isEmpty }: AskedAgainProps) {
  return (
    <p class="cut asked-again" title={visible(reason)}>
      <Icon name="debug-restart" />
      <span>{isEmpty ? t("Nothing came, so it was asked again.") : t("Cut off here and asked again.")}</span>
    </p>
  );
}
