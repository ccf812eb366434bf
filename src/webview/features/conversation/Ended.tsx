import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Icon } from "../../ui/Icon.tsx";

export interface EndedProps {
  icon: "circle-slash" | "error" | "warning";
  words: string;
}

/** Why something ends here although it is not finished. */
export function Ended({ icon, words }: EndedProps) {
  return (
    <p class={icon === "error" ? "cut error" : "cut"}>
      <Icon name={icon} />
      <ClippedText text={words} />
    </p>
  );
}

/** A failure: only marked while a notice tells of it, so that the same words never stand twice in the panel. */
export function Failed({ words, store }: { words: string; store: Store }) {
  const isNoticed = store.hostState.value.notices.some((notice) => notice.text === words);
  return <Ended icon="error" words={isNoticed ? t("Failed.") : words} />;
}
