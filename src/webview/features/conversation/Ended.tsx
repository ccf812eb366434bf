import { t } from "@vscode/l10n";
import { visible } from "../../text/visible.ts";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Icon } from "../../ui/Icon.tsx";

export interface EndedProps {
  icon: "circle-slash" | "error" | "warning";
  text: string;
}

/** Why something ends here although it is not finished. */
export function Ended({ icon, text }: EndedProps) {
  return (
    <p class={icon === "error" ? "cut error" : "cut"}>
      <Icon name={icon} />
      <ClippedText text={text} />
    </p>
  );
}

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
      <span>{isEmpty ? t("No answer. Retried.") : t("Answer cut off. Retried.")}</span>
    </p>
  );
}
