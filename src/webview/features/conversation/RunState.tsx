import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { RetryCountdown } from "../../ui/RetryCountdown.tsx";
import { Ended, Failed } from "./Ended.tsx";

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
          {!isToldInMessage(node) && <Failed words={node.error?.message ?? t("The run failed.")} store={store} />}
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

function isToldInMessage(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  return last?.role === "assistant" && last.errorMessage !== undefined;
}

function hasRetry(store: Store): boolean {
  return store.hostState.value.notices.some((notice) => notice.actions.includes("retry"));
}
