import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Intent } from "../../protocol/messages.ts";
import type { CallView } from "../state/callViews.ts";
import { formatDuration } from "../text/format.ts";
import { folderAndName, labelOf, targetOf } from "../text/target.ts";
import { Icon } from "../ui/Icon.tsx";
import { memo } from "../ui/memo.tsx";
import { StatusIcon } from "./StatusIcon.tsx";
import { ToolDetails } from "./ToolDetails.tsx";

export interface ToolCardProps {
  call: CallView;
  post(intent: Intent): void;
}

/** Durations below this say nothing. */
const worthTellingMs = 1_000;

/** A tool call in one line, which opens to its arguments, output and result. */
const callStatusWords: Readonly<Record<CallView["status"], string>> = {
  pending: t("pending"),
  running: t("running"),
  done: t("done"),
  error: t("error"),
};

export const ToolCard = memo(function ToolCard({ call, post }: ToolCardProps) {
  const isOpen = useSignal(false);
  const target = targetOf(call.args);
  const [folder, file] = folderAndName(target);
  const label = labelOf(call.name, call.label);
  const name = `${label} ${target.text}`.trim();
  const duration = call.durationMs ?? 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="tool-card" role="group" aria-label={name} data-status={call.status}>
      <button
        type="button"
        class="tool-head"
        aria-expanded={isOpen.value}
        title={name}
        onClick={() => {
          isOpen.value = !isOpen.peek();
        }}
      >
        <Icon name={isOpen.value ? "chevron-down" : "chevron-right"} />
        <span class="tool-label">{label}</span>
        <span class="tool-target">
          {folder !== "" && <span class="target-folder">{folder}</span>}
          <span class="target-name">{file}</span>
        </span>
        {duration >= worthTellingMs && <span class="tool-duration">{formatDuration(duration)}</span>}
        <StatusIcon status={call.status === "pending" ? "running" : call.status} />
        <span class="hidden-words">{callStatusWords[call.status]}</span>
      </button>
      {isOpen.value && <ToolDetails call={call} target={target} post={post} />}
    </div>
  );
});
