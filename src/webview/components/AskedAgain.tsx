import { t } from "@vscode/l10n";
import { visible } from "../text/visible.ts";
import { Icon } from "../ui/Icon.tsx";

/** Below what came of an answer that was cut off and then asked for again: it is no answer, and nothing to worry about. */
export function AskedAgain({ reason }: { reason: string }) {
  return (
    <p class="cut asked-again" title={visible(reason)}>
      <Icon name="debug-restart" />
      <span>{t("Cut off here and asked again.")}</span>
    </p>
  );
}
