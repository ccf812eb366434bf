import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import { openComparisons } from "./CompareView.tsx";
import { closeOnEscape } from "./closeOnEscape.ts";

export interface RunAgainProps {
  node: TreeNode;
  chat: Pick<ChatModel, "host" | "post">;
  /** Shows the runs of its task side by side. */
  compare(): void;
}

const maxTimes = 8;

/** Has a finished task done again, several times or otherwise, to compare what comes of it. */
export function RunAgain({ node, chat, compare }: RunAgainProps) {
  const isOpen = useSignal(false);
  const { id, depth } = node.meta;
  if (depth === 0) return null;
  const isCompared = openComparisons(chat.host.value).some(
    ({ agentId, runs }) => agentId === id || runs.some((run) => run.agentId === id),
  );
  const isDone = node.status !== "running";
  if (!isDone && !isCompared) return null;
  return (
    <>
      <div class="detail-actions">
        {isDone && <LinkButton onClick={() => (isOpen.value = !isOpen.peek())}>{t("Run again…")}</LinkButton>}
        {isCompared && <LinkButton onClick={compare}>{t("Compare")}</LinkButton>}
      </div>
      {isDone && isOpen.value && <RunAgainForm agentId={id} post={chat.post} close={() => (isOpen.value = false)} />}
    </>
  );
}

function RunAgainForm({ agentId, post, close }: { agentId: string; post: ChatModel["post"]; close(): void }) {
  const task = useSignal("");
  const times = useSignal("2");
  const count = Number(times.value);
  const isValid = Number.isInteger(count) && count >= 1 && count <= maxTimes;

  function start(asksForModel: boolean): void {
    if (!isValid) return;
    const model = asksForModel ? { asksForModel: true as const } : {};
    post({ type: "runAgain", agentId, task: task.peek(), times: count, ...model });
    close();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: not a field set.
    <div class="run-again" role="group" aria-label={t("Run again")}>
      <TextArea
        label={t("Task")}
        placeholder={t("The same task")}
        value={task.value}
        onInput={(value) => (task.value = value)}
        onKeyDown={closeOnEscape(close)}
      />
      <div class="run-again-row">
        <TextField
          label={t("How many times, 1 to {0}", maxTimes)}
          value={times.value}
          onInput={(value) => (times.value = value)}
          onKeyDown={closeOnEscape(close)}
        />
        <Button appearance="primary" isUnavailable={!isValid} onClick={() => start(false)}>
          {t("Run again")}
        </Button>
        <Button isUnavailable={!isValid} onClick={() => start(true)}>
          {t("With another model…")}
        </Button>
      </div>
      <p class="hint">
        {t("Each run works in a worktree of its own. Nothing changes in your files until you use one.")}
      </p>
    </div>
  );
}
