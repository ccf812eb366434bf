import { t } from "@vscode/l10n";
import type { Intent } from "../../protocol/messages.ts";
import type { Omitted } from "../../protocol/messageTexts.ts";
import { sizeText } from "../text/format.ts";

/** The last line of a text whose end is missing here. All of it is shown by an editor, which is made for any length. */
export function OmittedText({ omitted: { source, bytes }, post }: { omitted: Omitted; post(intent: Intent): void }) {
  return (
    <p class="omitted hint">
      {t("{0} more", sizeText(bytes))}{" "}
      <button type="button" class="link" onClick={() => post({ type: "showWhole", source })}>
        {t("Show all")}
      </button>
    </p>
  );
}
