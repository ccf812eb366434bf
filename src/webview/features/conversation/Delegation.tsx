import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { agentName, agentTitle, statusTexts } from "../../model/agents.ts";
import { countsText } from "../../model/counts.ts";
import type { Delegated } from "../../model/delegation.ts";
import { formatTokens, totalTokens } from "../../text/format.ts";
import { labelOf, targetOf } from "../../text/target.ts";
import { oneLine, plainLine, visible } from "../../text/visible.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { ConversationModel } from "./conversationModel.ts";
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
    <div class="delegation" role="group" aria-label={name} data-status={call.status}>
      {only !== undefined && others.length === 0 ? (
        <ChildLink agentId={only} model={model} />
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
              <Exchange delegated={model.delegated(id)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What is between backticks, as code. */
function withCode(text: string): ComponentChildren {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** What an agent was asked, and what it answered. */
function Exchange({ delegated }: { delegated: Delegated | undefined }) {
  if (delegated === undefined) return null;
  const { brief, answer } = delegated;
  return (
    <dl class="exchange">
      <dt>{t("Brief")}</dt>
      <dd>
        <ClippedText text={brief} lines={3} draw={withCode} />
      </dd>
      {answer !== undefined && (
        <>
          <dt>{t("Answer")}</dt>
          <dd>
            <ClippedText text={answer} lines={3} draw={withCode} />
          </dd>
        </>
      )}
    </dl>
  );
}

function ChildLink({ agentId, model }: { agentId: string; model: ConversationModel }) {
  const agent = model.agent(agentId);
  if (agent === undefined) return null;
  const { node, status } = agent;
  const title = agentTitle(node.meta);
  const brief = oneLine(plainLine(model.delegated(agentId)?.brief ?? ""), 120);
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
