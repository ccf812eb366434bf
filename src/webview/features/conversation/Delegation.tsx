import { t } from "@vscode/l10n";
import { agentName, agentStatus, statusWords } from "../../model/agentStatus.ts";
import { taskOf } from "../../model/delegated.ts";
import type { Store } from "../../shell/store.ts";
import { formatTokens, tokenCount } from "../../text/format.ts";
import { labelOf, targetOf } from "../../text/target.ts";
import { oneLine } from "../../text/visible.ts";
import { Around, place } from "../../ui/Around.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { memo } from "../../ui/memo.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { CallView } from "./callViews.ts";

export interface DelegationProps {
  call: CallView;
  store: Store;
}

/** A call that created agents: one line each, which leads there. What they did stays in their own transcripts. */
export const Delegation = memo(function Delegation({ call, store }: DelegationProps) {
  const name = `${labelOf(call.name, call.label)} ${targetOf(call.args).text}`.trim();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="delegation" role="group" aria-label={name} data-status={call.status}>
      {call.childIds.map((id) => (
        <ChildLink key={id} agentId={id} task={taskLine(call, id, store)} store={store} />
      ))}
    </div>
  );
});

function ChildLink({ agentId, task, store }: { agentId: string; task: string; store: Store }) {
  const node = store.agent(agentId);
  if (node === undefined) return null;
  const status = agentStatus(node, store.waiting.value);
  const name = agentName(node.meta);
  const tokens = tokenCount(node.total);
  return (
    <button
      type="button"
      class="child-link"
      aria-description={task}
      title={task === "" ? name : task}
      onClick={() => store.select(agentId)}
    >
      <Icon name="arrow-small-right" />
      <Around words={t("Open {0}", place)} class="hidden-words">
        <span class="agent-name">{name}</span>
      </Around>
      <span class="hidden-words">{statusWords[status]}</span>
      <span class="live-line" aria-hidden="true">
        {task}
      </span>
      {tokens > 0 && (
        <span class="row-tokens" aria-hidden="true">
          {formatTokens(tokens)}
        </span>
      )}
      <StatusIcon status={status} />
    </button>
  );
}

/** The task in the words of the one who gave it. */
function taskLine(call: CallView, agentId: string, store: Store): string {
  const place = { index: call.childIds.indexOf(agentId), name: store.agent(agentId)?.meta.name };
  return oneLine(taskOf(call.args, place)?.task ?? "", 120);
}
