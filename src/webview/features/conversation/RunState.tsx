import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import type { Store } from "../../shell/panel.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { RetryCountdown } from "../../ui/Durations.tsx";
import { Icon } from "../../ui/Icon.tsx";

export interface RunStateProps {
  node: TreeNode;
  store: Store;
}

/** What stands below the last message: that work goes on, or why it ended. */
export function RunState({ node, store }: RunStateProps) {
  switch (node.status) {
    case "running":
      return <Running node={node} store={store} />;
    case "done":
      return null;
    case "aborted":
      if (wasStoppedInMessage(node)) return null;
      return <Ended icon="circle-slash" words={isInterrupted(node, store) ? t("Interrupted.") : t("Stopped.")} />;
    case "limit":
      return <Ended icon="warning" words={node.error?.message ?? t("Stopped at a limit. Send a message to go on.")} />;
    case "error":
      return (
        <>
          {!isErrorInMessage(node) && <Failed words={node.error?.message ?? t("The run failed.")} store={store} />}
          {node.meta.depth === 0 && !hasRetry(store) && (
            <Button class="retry" onClick={() => store.post({ type: "noticeAction", action: "retry" })}>
              {t("Retry")}
            </Button>
          )}
        </>
      );
    default:
      node.status satisfies never;
      return null;
  }
}

function Running({ node, store }: RunStateProps) {
  if (node.retry !== undefined) {
    return (
      <p class="working">
        <RetryCountdown retry={node.retry} timing={store.timing} afterwards={t("Asking again…")} />
      </p>
    );
  }
  if (store.hostState.value.runs.compacting.includes(node.meta.id)) {
    return <p class="working">{t("Summarising the context…")}</p>;
  }
  return isWriting(node) ? null : <p class="working">{t("Working…")}</p>;
}

/** Words that appear show by themselves that the agent works. */
function isWriting(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  if (last?.role !== "assistant") return false;
  const part = last.content.at(-1);
  return part !== undefined && (part.type === "toolCall" || part.text.trim() !== "");
}

function isInterrupted(node: TreeNode, store: Store): boolean {
  return store.hostState.value.interrupted.includes(node.meta.id);
}

function wasStoppedInMessage({ messages }: TreeNode): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === "aborted";
}

function isErrorInMessage(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  return last?.role === "assistant" && last.errorMessage !== undefined;
}

function hasRetry(store: Store): boolean {
  return store.hostState.value.notices.some((notice) => notice.actions.includes("retry"));
}

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
