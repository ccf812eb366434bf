import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/types.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import type { Store } from "../../shell/store.ts";
import { formatTokens } from "../../text/format.ts";
import { Fold } from "../../ui/Fold.tsx";

export interface SummaryLineProps {
  message: Extract<AgentMessage, { role: "summary" }>;
  store: Store;
}

/** Where a context was summarised: by how much, and on demand the summary. */
export function SummaryLine({ message, store }: SummaryLineProps) {
  const { compactions } = store.hostState.value.runs;
  const result = Object.hasOwn(compactions, message.id) ? compactions[message.id] : undefined;
  const label =
    result === undefined
      ? t("Context summarised")
      : t("Context summarised: {0} → {1}", formatTokens(result.before), formatTokens(result.after));
  return (
    <Fold label={label} icon="fold">
      <Markdown text={message.text.replace(/^<\/?known_facts>$/gm, "")} post={store.post} />
    </Fold>
  );
}
