import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import { Button } from "../../ui/Buttons.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { Ended } from "./Ended.tsx";

export interface RunStatusProps {
  node: TreeNode;
  model: ConversationModel;
}

/** Why a run ended that is not done, and what can be done about it. */
export function UnfinishedRun({ node, model }: RunStatusProps) {
  switch (node.status) {
    case "running":
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
          {!isNoticed(node, model) && (
            <Ended icon="warning" text={node.error?.message ?? t("Stopped at a limit. Send a message to go on.")} />
          )}
          <RetryTask node={node} model={model} />
        </>
      );
    case "error":
      return (
        <>
          {!isErrorInMessage(node) && !isNoticed(node, model) && (
            <Ended icon="error" text={node.error?.message ?? t("The run failed.")} />
          )}
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

/** That a run ended here before it was done, although the work has gone on since. */
export function StopOfRun({ last, model }: { last: string; model: ConversationModel }) {
  const stop = model.stops.value.get(last);
  const { root } = model.runs.value;
  if (stop === undefined || root === undefined) return null;
  // Ended again before anything else was said: that is below it, once.
  const isOver = root.status !== "running" && root.status !== "done";
  if (isOver && root.messages.findLast(({ role }) => role !== "toolResult")?.id === last) return null;
  const { status, error } = stop;
  if (status === "error") return <Ended icon="error" text={error ?? t("The run failed.")} />;
  if (status === "limit") return <Ended icon="warning" text={error ?? t("Stopped at a limit.")} />;
  return <Ended icon="circle-slash" text={error === interruptedError ? t("Interrupted.") : t("Stopped.")} />;
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

function wasStoppedInMessage({ messages }: TreeNode): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === "aborted";
}

function isErrorInMessage(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  return last?.role === "assistant" && (last.errorMessage !== undefined || last.stopReason === "length");
}

/** A notice says it, below. */
function isNoticed({ meta }: TreeNode, { endNotice }: ConversationModel): boolean {
  return meta.depth === 0 && endNotice.value !== undefined;
}

function hasRetry(model: ConversationModel): boolean {
  return model.notices.value.some((notice) => notice.actions.includes("retry"));
}
