import { t } from "@vscode/l10n";
import { Fragment } from "preact";
import type { AssistantMessage } from "../../../agent/types.ts";
import type { ShownGrant } from "../../../protocol/grants.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import { agentName, statusTexts } from "../../model/agents.ts";
import { taskOf } from "../../model/delegation.ts";
import { formatDuration, formatTokens, totalTokens } from "../../text/format.ts";
import { labelOf, targetOf } from "../../text/target.ts";
import { oneLine, plainLine } from "../../text/visible.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { Fold } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { lazily, memo } from "../../ui/rendering.ts";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { AskedAgain, Ended } from "./RunStatus.tsx";
import { ToolCard } from "./ToolCard.tsx";
import type { CallView, CallViews } from "./transcript.ts";

/** The time is that of all thinking of the answer: its first thought has it. */
function thoughtText({ content, thinkingMs }: AssistantMessage, index: number): string {
  const isFirst = content.findIndex(({ type }) => type === "thinking") === index;
  if (thinkingMs === undefined || !isFirst) return t("Thought");
  const isShort = thinkingMs < 60_000;
  return t("Thought for {0}", isShort ? t("{0} s", Math.round(thinkingMs / 1_000)) : formatDuration(thinkingMs));
}

const AllowedNote = lazily(async () => (await import("./ToolDetails.tsx")).AllowedNote);

export interface AssistantContentProps {
  message: AssistantMessage;
  calls: CallViews;
  isStreaming: boolean;
  isAskedAgain: boolean;
  model: ConversationModel;
}

/** An agent's turn: thinking, text and tool calls in the order in which they came. */
export function AssistantContent({ message, calls, isStreaming, isAskedAgain, model }: AssistantContentProps) {
  const last = message.content.length - 1;
  return (
    <div class="parts">
      {message.content.map((part, index) => {
        const isGrowing = isStreaming && index === last;
        const grows = isGrowing ? { source: { feed: model.textFeed, messageId: message.id, index } } : {};
        switch (part.type) {
          case "thinking":
            return part.text.trim() === "" ? null : (
              <Fold key={index} label={isGrowing ? t("Thinking…") : thoughtText(message, index)} icon="lightbulb">
                <Markdown text={part.text} {...grows} post={model.post} />
              </Fold>
            );
          case "text":
            return part.text.trim() === "" ? null : (
              <Markdown key={index} text={part.text} {...grows} post={model.post} />
            );
          case "toolCall": {
            const call = calls.get(part.id);
            if (call === undefined) return null;
            return call.childIds.length > 0 ? (
              <Delegation key={part.id} call={call} model={model} />
            ) : (
              <Fragment key={part.id}>
                <ToolCard call={call} background={model.backgroundCalls.value.get(part.id)} post={model.post} />
                <Allowed grant={model.grantFor(part.id)} />
              </Fragment>
            );
          }
          default:
            part satisfies never;
            return null;
        }
      })}
      {message.stopReason === "length" && <Ended icon="warning" text={t("The answer reached its length limit.")} />}
      {message.stopReason === "aborted" && (
        <Ended
          icon="circle-slash"
          text={message.errorMessage === interruptedError ? t("Interrupted.") : t("Stopped.")}
        />
      )}
      {message.stopReason !== "aborted" &&
        message.errorMessage !== undefined &&
        (isAskedAgain ? (
          <AskedAgain reason={message.errorMessage} isEmpty={message.content.length === 0} />
        ) : (
          <Ended icon="error" text={message.errorMessage} />
        ))}
    </div>
  );
}

function Allowed({ grant }: { grant: ShownGrant | undefined }) {
  return grant === undefined ? null : <AllowedNote grant={grant} />;
}

interface DelegationProps {
  call: CallView;
  model: ConversationModel;
}

/** A call that created agents: one line each, which leads there. What they did stays in their own transcripts. */
const Delegation = memo(function Delegation({ call, model }: DelegationProps) {
  const name = `${labelOf(call.name, call.label)} ${targetOf(call.args).text}`.trim();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="delegation" role="group" aria-label={name} data-status={call.status}>
      {call.childIds.map((id) => (
        <ChildLink key={id} agentId={id} task={taskLine(call, id, model)} model={model} />
      ))}
    </div>
  );
});

function ChildLink({ agentId, task, model }: { agentId: string; task: string; model: ConversationModel }) {
  const agent = model.agent(agentId);
  if (agent === undefined) return null;
  const { node, status } = agent;
  const name = agentName(node.meta);
  const tokens = totalTokens(node.total);
  return (
    <button
      type="button"
      class="child-link"
      aria-description={task}
      title={task === "" ? name : task}
      onClick={() => model.select(agentId)}
    >
      <Icon name="arrow-small-right" />
      <Around text={t("Open {0}", inset)} class="hidden-words">
        <span class="agent-name">{name}</span>
      </Around>
      <span class="hidden-words">{statusTexts[status]}</span>
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

/** The task as it was given. */
function taskLine(call: CallView, agentId: string, model: ConversationModel): string {
  const position = { index: call.childIds.indexOf(agentId), name: model.agent(agentId)?.node.meta.name };
  return oneLine(plainLine(taskOf(call.args, position)?.task ?? ""), 120);
}
