import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { type RetryCountdown, useRetryText } from "../../ui/durations.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { ConversationModel } from "./conversationModel.ts";

export interface RunStatusProps {
  node: TreeNode;
  model: ConversationModel;
}

/** What is below the last message: that work goes on, or why it ended. */
export function RunStatus({ node, model }: RunStatusProps) {
  switch (node.status) {
    case "running":
      return <Running node={node} model={model} />;
    case "done":
      return null;
    case "aborted":
      return (
        <>
          {!wasStoppedInMessage(node) && (
            <Ended icon="circle-slash" text={model.isInterrupted(node.meta.id) ? t("Interrupted.") : t("Stopped.")} />
          )}
          <RetryTask node={node} model={model} />
        </>
      );
    case "limit":
      return (
        <>
          <Ended icon="warning" text={node.error?.message ?? t("Stopped at a limit. Send a message to go on.")} />
          <RetryTask node={node} model={model} />
        </>
      );
    case "error":
      return (
        <>
          {!isErrorInMessage(node) && <Ended icon="error" text={node.error?.message ?? t("The run failed.")} />}
          {node.meta.depth === 0 && !hasRetry(model) && (
            <Button class="retry" onClick={() => model.post({ type: "noticeAction", action: "retry" })}>
              {t("Retry")}
            </Button>
          )}
          <RetryTask node={node} model={model} />
        </>
      );
    default:
      node.status satisfies never;
      return null;
  }
}

/** Gives the task of a sub-agent again, to one that starts from the beginning. While others work it has to wait, and the host says so. */
function RetryTask({ node, model }: RunStatusProps) {
  const { id, depth } = node.meta;
  if (depth === 0) return null;
  const title = t("Start a new agent with the same task and context");
  return (
    <p class="retries">
      <Button title={title} onClick={() => model.post({ type: "retryAgent", agentId: id })}>
        {t("Retry")}
      </Button>
      <Button title={title} onClick={() => model.post({ type: "retryAgent", agentId: id, asksForModel: true })}>
        {t("Retry with…")}
      </Button>
    </p>
  );
}

function Running({ node, model }: RunStatusProps) {
  if (node.retry !== undefined) {
    return (
      <p class="working">
        <RetryText retry={node.retry} timing={model.timing} afterwards={t("Retrying…")} />
      </p>
    );
  }
  if (model.isCompacting(node.meta.id)) {
    return <p class="working">{t("Summarizing the context…")}</p>;
  }
  if (isWriting(node)) return null;
  const isWaiting = model.agent(node.meta.id)?.status === "waiting";
  return <p class="working">{isWaiting ? t("Waiting for you") : t("Working…")}</p>;
}

function RetryText(props: RetryCountdown) {
  return <>{useRetryText(props)}</>;
}

/** Text that appears shows by itself that the agent works. */
function isWriting(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  if (last?.role !== "assistant") return false;
  const part = last.content.at(-1);
  return part !== undefined && (part.type === "toolCall" || part.text.trim() !== "");
}

function wasStoppedInMessage({ messages }: TreeNode): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === "aborted";
}

function isErrorInMessage(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  return last?.role === "assistant" && last.errorMessage !== undefined;
}

function hasRetry(model: ConversationModel): boolean {
  return model.notices.value.some((notice) => notice.actions.includes("retry"));
}

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
