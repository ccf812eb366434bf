import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { CommandOutcome } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { ShownStatus } from "../../model/agents.ts";
import { formatDuration } from "../../text/format.ts";
import { folderAndName, labelOf, targetOf } from "../../text/target.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { lazily, memo } from "../../ui/rendering.ts";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { BackgroundState } from "./conversationModel.ts";
import type { CallView } from "./transcript.ts";

/** Loaded when the first card is opened, or the first edit is written. */
const details = () => import("./ToolDetails.tsx");
const ToolDetails = lazily(() => details().then((loaded) => loaded.ToolDetails));
const WrittenSoFar = lazily(() => details().then((loaded) => loaded.WrittenSoFar));
const EditOutcome = lazily(() => details().then((loaded) => loaded.EditOutcome));

export interface ToolCardProps {
  call: CallView;
  /** Of a command that goes on, or went on, when its call was over. */
  background: BackgroundState | undefined;
  post(intent: Intent): void;
}

/** Durations below this say nothing. */
const minShownMs = 1_000;

interface ShownState {
  status: CallView["status"] | ShownStatus;
  /** What became of a command in the background. */
  outcome?: string;
  duration: number;
}

/** A tool call in one line, which opens to its arguments, output and result. */
const callStatusTexts: Readonly<Record<CallView["status"], string>> = {
  pending: t("pending"),
  running: t("running"),
  done: t("done"),
  error: t("error"),
  interrupted: t("interrupted"),
};

export const ToolCard = memo(function ToolCard({ call, background, post }: ToolCardProps) {
  const isOpen = useSignal(false);
  const target = targetOf(argsRun(call));
  const [folder, file] = folderAndName(target);
  const label = labelOf(call.name, call.label);
  const name = `${label} ${target.text}`.trim();
  const { status, outcome, duration } = shownState(call, background);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="tool-card" role="group" aria-label={name} data-status={status} data-moment={call.id}>
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
        {duration >= minShownMs && <span class="tool-duration">{formatDuration(duration)}</span>}
        {editNames.test(call.name) && call.details !== undefined ? (
          <EditOutcome call={call} />
        ) : (
          <>
            <StatusIcon status={iconOf(status)} />
            {outcome === undefined && <span class="hidden-words">{callStatusTexts[call.status]}</span>}
          </>
        )}
      </button>
      {isOpen.value ? (
        <ToolDetails call={call} target={target} post={post} />
      ) : (
        (isWriting(call) || isPrinting(call)) && <WrittenSoFar call={call} />
      )}
    </div>
  );
});

/** What the user wrote in place of a command is what ran. */
function argsRun({ args, details }: CallView): unknown {
  const isEdited = typeof details === "object" && details !== null && "editedCommand" in details;
  return isEdited ? { command: details.editedCommand } : args;
}

/** The arguments of an edit are raw text as long as the model writes them. */
function isWriting({ name, status, args }: CallView): boolean {
  return status === "pending" && typeof args === "string" && editNames.test(name);
}

/** It runs, and its output comes. */
function isPrinting({ status, output }: CallView): boolean {
  return status === "running" && output !== "";
}

/** Tools that change files, whose results say what became of the lines. */
const editNames = /^(?:edit_file|write_file|apply_patch|delete_file|move_file|rename_symbol)$/;

/** How a command ended that did not end on its own: the tool says it as of one in the background. */
function cutOff({ name, details }: CallView): CommandOutcome | undefined {
  const end = details as CommandOutcome | undefined;
  return name === "run_command" && end?.cause && end.cause !== "exit" ? end : undefined;
}

function shownState(call: CallView, background: BackgroundState | undefined = cutOff(call)): ShownState {
  if (background === undefined) return { status: call.status, duration: call.durationMs ?? 0 };
  if (background === "running") return { status: "running", outcome: callStatusTexts.running, duration: 0 };
  const { durationMs: duration = 0 } = background;
  return { status: outcomeStatus(background), outcome: outcomeText(background), duration };
}

function iconOf(status: ShownState["status"]): ShownStatus {
  if (status === "pending") return "running";
  return status === "interrupted" ? "aborted" : status;
}

/** How a background command ended, in short. */
function outcomeText({ cause, exitCode, signal }: CommandOutcome): string {
  switch (cause) {
    case "timeout":
      return t("timed out");
    case "stopped":
      return t("stopped");
    case "user":
      return t("stopped by you");
    case "closed":
      return t("ended with the chat");
    case "exit":
      return exitCode === undefined
        ? t("ended by {0}", visible(signal ?? t("a signal")))
        : t("exit code {0}", exitCode);
    default:
      cause satisfies never;
      return "";
  }
}

/** As the icon shows it. */
function outcomeStatus({ cause, exitCode }: CommandOutcome): ShownStatus {
  if (cause === "exit") return exitCode === 0 ? "done" : "error";
  return cause === "timeout" ? "error" : "aborted";
}
