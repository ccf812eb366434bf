import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { CommandOutcome } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { ShownStatus } from "../../model/agents.ts";
import { allowedText } from "../../text/approvalTexts.ts";
import { formatDuration, formatTokens } from "../../text/format.ts";
import { folderAndName, labelOf, type ToolTarget, targetOf } from "../../text/target.ts";
import { visible, visibleLines } from "../../text/visible.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { memo } from "../../ui/rendering.ts";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { BackgroundState } from "./conversationModel.ts";
import { useStickyScroll } from "./scrolling.ts";
import type { CallView } from "./transcript.ts";

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
        {duration >= minShownMs && <span class="tool-duration">{formatDuration(duration)}</span>}
        <StatusIcon status={iconOf(status)} />
        {outcome === undefined && <span class="hidden-words">{callStatusTexts[call.status]}</span>}
      </button>
      {isOpen.value && <ToolDetails call={call} target={target} post={post} />}
    </div>
  );
});

function shownState({ status, durationMs = 0 }: CallView, background: BackgroundState | undefined): ShownState {
  if (background === undefined) return { status, duration: durationMs };
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

/** What a tool was asked, what it printed, what it answered. */
function ToolDetails({ call, target, post }: Omit<ToolCardProps, "background"> & { target: ToolTarget }) {
  const { path, line } = target;
  return (
    <div class="tool-details">
      {path !== undefined && (
        <LinkButton
          onClick={() => post(line === undefined ? { type: "openFile", path } : { type: "openFile", path, line })}
        >
          {t("Open {0}", target.text)}
        </LinkButton>
      )}
      {call.name === "run_command" && call.status !== "pending" && (
        <Button onClick={() => post({ type: "showInTerminal", callId: call.id })}>{t("Show in terminal")}</Button>
      )}
      <Section title={t("Arguments")} text={visibleLines(argumentsText(call.args))} />
      {!isRepeated(call) && <Section title={t("Output")} text={call.output} isLive={call.status === "running"} />}
      <Section title={call.status === "error" ? t("Error") : t("Result")} text={call.result ?? ""} />
    </div>
  );
}

/** The result has all of the output already. */
function isRepeated({ output, result = "" }: CallView): boolean {
  return output.trim() !== "" && result.includes(output.trim());
}

interface SectionProps {
  title: string;
  text: string;
  /** More is to come: its end is what matters. Default: false. */
  isLive?: boolean;
}

function Section({ title, text, isLive = false }: SectionProps) {
  if (text === "") return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a card is a group, not a field set.
    <div class="tool-section" role="group" aria-label={title}>
      <div class="tool-section-title">{title}</div>
      {isLive ? <LiveText text={text} /> : <LongText text={text} />}
    </div>
  );
}

/** One `name: value` a line: easier to read than JSON, and texts keep their line breaks. */
function argumentsText(args: unknown): string {
  if (typeof args === "string") return args;
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

const headCharacters = 4_000;
const tailCharacters = 2_000;

/** The end of a text that grows, followed until the reader scrolls up. */
function LiveText({ text }: { text: string }) {
  const { scroller, content, onScroll } = useStickyScroll(undefined);
  const shown = text.slice(-headCharacters);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class="long-text" tabIndex={0} ref={scroller} onScroll={onScroll}>
      <div ref={content}>
        <pre>{shown.length < text.length ? `…${shown}` : shown}</pre>
      </div>
    </div>
  );
}

/** Text as it is, in a box that scrolls; of a very long one the head and the tail until all of it is asked for. */
function LongText({ text }: { text: string }) {
  const isWhole = useSignal(false);
  const isShort = text.length <= headCharacters + tailCharacters;
  if (isShort || isWhole.value) {
    return (
      <ScrollBox class="long-text">
        <pre>{text}</pre>
      </ScrollBox>
    );
  }
  const left = text.length - headCharacters - tailCharacters;
  return (
    <ScrollBox class="long-text">
      <pre>{text.slice(0, headCharacters)}</pre>
      <button
        type="button"
        class="link more"
        onClick={() => {
          isWhole.value = true;
        }}
      >
        {t("Show {0} more characters", formatTokens(left))}
      </button>
      <pre>{text.slice(-tailCharacters)}</pre>
    </ScrollBox>
  );
}

/** Below a tool's card: what allowed the call without asking. */
export function AllowedNote({ grant }: { grant: ShownGrant | undefined }) {
  if (grant === undefined) return null;
  return (
    <p class="allowed-note" title={visible(grant.text)}>
      <Icon name="pass" />
      <span>{allowedText(grant)}</span>
    </p>
  );
}
