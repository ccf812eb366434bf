import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Intent } from "../../../protocol/messages.ts";
import type { AgentStatus } from "../../model/agentStatus.ts";
import type { BackgroundState } from "../../model/views.ts";
import { formatDuration } from "../../text/format.ts";
import { folderAndName, labelOf, targetOf } from "../../text/target.ts";
import { Icon } from "../../ui/Icon.tsx";
import { memo } from "../../ui/memo.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { CallView } from "./callViews.ts";
import { outcomeStatus, outcomeWords } from "./outcomeWords.ts";
import { ToolDetails } from "./ToolDetails.tsx";

export interface ToolCardProps {
  call: CallView;
  /** Of a command that goes on, or went on, when its call was over. */
  background: BackgroundState | undefined;
  post(intent: Intent): void;
}

/** Durations below this say nothing. */
const worthTellingMs = 1_000;

interface ShownState {
  status: CallView["status"] | AgentStatus;
  /** What became of a command in the background. */
  outcome?: string;
  duration: number;
}

/** A tool call in one line, which opens to its arguments, output and result. */
const callStatusWords: Readonly<Record<CallView["status"], string>> = {
  pending: t("pending"),
  running: t("running"),
  done: t("done"),
  error: t("error"),
  interrupted: t("interrupted"),
};

export const ToolCard = memo(function ToolCard({ call, background, post }: ToolCardProps) {
  const isOpen = useSignal(false);
  const target = targetOf(call.args);
  const [folder, file] = folderAndName(target);
  const label = labelOf(call.name, call.label);
  const name = `${label} ${target.text}`.trim();
  const { status, outcome, duration } = shownState(call, background);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="tool-card" role="group" aria-label={name} data-status={status}>
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
        {outcome !== undefined && <span class="tool-outcome">{outcome}</span>}
        {duration >= worthTellingMs && <span class="tool-duration">{formatDuration(duration)}</span>}
        <StatusIcon status={iconOf(status)} />
        {outcome === undefined && <span class="hidden-words">{callStatusWords[call.status]}</span>}
      </button>
      {isOpen.value && <ToolDetails call={call} target={target} post={post} />}
    </div>
  );
});

function shownState({ status, durationMs = 0 }: CallView, background: BackgroundState | undefined): ShownState {
  if (background === undefined) return { status, duration: durationMs };
  if (background === "running") return { status: "running", outcome: callStatusWords.running, duration: 0 };
  const { durationMs: duration = 0 } = background;
  return { status: outcomeStatus(background), outcome: outcomeWords(background), duration };
}

function iconOf(status: ShownState["status"]): AgentStatus {
  if (status === "pending") return "running";
  return status === "interrupted" ? "aborted" : status;
}
