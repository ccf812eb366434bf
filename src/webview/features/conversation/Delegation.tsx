import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { agentName, agentTitle, statusTexts } from "../../model/agents.ts";
import { countsText } from "../../model/counts.ts";
import { delegatedTo } from "../../model/delegation.ts";
import { formatTokens, totalTokens } from "../../text/format.ts";
import { labelOf, targetOf } from "../../text/target.ts";
import { oneLine, plainLine, visible } from "../../text/visible.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { IconButton } from "../../ui/Buttons.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { ExchangeView, FlaggedReport, withCode } from "./ExchangeView.tsx";
import type { CallView } from "./transcript.ts";

interface DelegationProps {
  call: CallView;
  model: ConversationModel;
}

/**
 * A call that created agents: a line that leads to the only one, or one line for all of them, which opens to what each
 * was asked and answered. What they did stays in their own transcripts, and who they are in the tree.
 */
export function Delegation({ call, model }: DelegationProps) {
  const name = `${labelOf(call.name, call.label)} ${targetOf(call.args).text}`.trim();
  const [only, ...others] = call.childIds;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="delegation" role="group" aria-label={name} data-status={call.status} data-moment={call.id}>
      {only !== undefined && others.length === 0 ? (
        <Child agentId={only} model={model} />
      ) : (
        <FanOut agentIds={call.childIds} model={model} />
      )}
      {model.steered(call.id).map(({ messageId, to, text }) => (
        <p key={messageId} class="steered">
          {t("You told {0}: {1}", visible(to), visible(text))}
        </p>
      ))}
    </div>
  );
}

function FanOut({ agentIds, model }: { agentIds: readonly string[]; model: ConversationModel }) {
  const isOpen = useSignal(false);
  const statuses = agentIds.flatMap((id) => model.agent(id)?.status ?? []);
  return (
    <>
      <FoldHead isOpen={isOpen} class="tool-head">
        <span>{countsText(statuses)}</span>
      </FoldHead>
      {isOpen.value && (
        <ul class="fan-out">
          {agentIds.map((id) => (
            <li key={id}>
              <ChildLink agentId={id} model={model} />
              <ExchangeView agentId={id} model={model} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The only agent of a call: its line opens to what was asked, done and reported. */
function Child({ agentId, model }: { agentId: string; model: ConversationModel }) {
  const isOpen = useSignal(false);
  const node = model.agent(agentId)?.node;
  if (node === undefined) return null;
  return (
    <>
      <div class="child-head">
        <IconButton
          icon={isOpen.value ? "chevron-down" : "chevron-right"}
          label={t("Brief, work and report of {0}", agentTitle(node.meta))}
          isExpanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.peek();
          }}
        />
        <ChildLink agentId={agentId} model={model} />
      </div>
      {isOpen.value ? (
        <ExchangeView agentId={agentId} model={model} />
      ) : (
        <FlaggedReport agentId={agentId} model={model} />
      )}
    </>
  );
}

function ChildLink({ agentId, model }: { agentId: string; model: ConversationModel }) {
  const agent = model.agent(agentId);
  if (agent === undefined) return null;
  const { node, status } = agent;
  const title = agentTitle(node.meta);
  const brief = oneLine(plainLine(delegatedTo(model.runs.value.tree, node)?.brief ?? ""), 120);
  // Beside the title the brief says nothing new.
  const detail = title === agentName(node.meta) ? brief : agentName(node.meta);
  const tokens = totalTokens(node.total);
  return (
    <button
      type="button"
      class="child-link"
      aria-description={brief}
      title={brief === "" ? title : brief}
      onClick={() => model.select(agentId)}
    >
      <Icon name="arrow-small-right" />
      <Around text={t("Open {0}", inset)} class="hidden-words">
        <span class="agent-name">{withCode(title)}</span>
      </Around>
      <span class="hidden-words">{statusTexts[status]}</span>
      <span class="live-line" aria-hidden="true">
        {detail}
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
