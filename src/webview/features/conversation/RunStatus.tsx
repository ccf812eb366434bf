import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { type RetryCountdown, useRetryText } from "../../ui/durations.ts";
import { lazily } from "../../ui/rendering.ts";
import type { RunStatusProps } from "./UnfinishedRun.tsx";

/** Loaded when the first run has ended otherwise than done. */
const UnfinishedRun = lazily(async () => (await import("./UnfinishedRun.tsx")).UnfinishedRun);

/** What is below the last message: that work goes on, or why it ended. */
export function RunStatus({ node, model }: RunStatusProps) {
  switch (node.status) {
    case "running":
      return <Running node={node} model={model} />;
    case "done":
      return null;
    default:
      return <UnfinishedRun node={node} model={model} />;
  }
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
