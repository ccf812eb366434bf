import type { ReadonlySignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { Fragment } from "preact";
import type { AssistantMessage } from "../../../agent/types.ts";
import type { ShownGrant } from "../../../protocol/grants.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import { omittedOf } from "../../../protocol/messageTexts.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import { failureText } from "../../model/messages.ts";
import { formatDuration } from "../../text/format.ts";
import { Fold } from "../../ui/FoldHead.tsx";
import { lazily } from "../../ui/rendering.ts";
import type { ConversationModel } from "./conversationModel.ts";
import { ToolCard } from "./ToolCard.tsx";
import type { CallViews } from "./transcript.ts";

/** The time is that of all thinking of the answer: its first thought has it. */
function thoughtText({ content, thinkingMs }: AssistantMessage, index: number): string {
  const isFirst = content.findIndex(({ type }) => type === "thinking") === index;
  if (thinkingMs === undefined || !isFirst) return t("Thought");
  const isShort = thinkingMs < 60_000;
  return t("Thought for {0}", isShort ? t("{0} s", Math.round(thinkingMs / 1_000)) : formatDuration(thinkingMs));
}

const AskedAgain = lazily(async () => (await import("./Ended.tsx")).AskedAgain);
const Ended = lazily(async () => (await import("./Ended.tsx")).Ended);
const Delegation = lazily(async () => (await import("./Delegation.tsx")).Delegation);
const AllowedNote = lazily(async () => (await import("./ToolDetails.tsx")).AllowedNote);

const isBlank = (part: { text: string }) => part.text.trim() === "" && omittedOf(part) === undefined;

export interface AssistantContentProps {
  message: AssistantMessage;
  calls: CallViews;
  isStreaming: boolean;
  isAskedAgain: boolean;
  /** It is in view, or was, or it nearly is. */
  isNear: ReadonlySignal<boolean>;
  model: ConversationModel;
}

/** An agent's turn: thinking, text and tool calls in the order in which they came. */
export function AssistantContent(props: AssistantContentProps) {
  const { message, calls, isStreaming, isAskedAgain, isNear, model } = props;
  const last = message.content.length - 1;
  const failure = failureText(message);
  return (
    <div class="parts">
      {message.content.map((part, index) => {
        const isGrowing = isStreaming && index === last;
        const grows = isGrowing ? { source: { feed: model.textFeed, messageId: message.id, index } } : {};
        switch (part.type) {
          case "thinking":
            return isBlank(part) ? null : (
              <Fold key={index} label={isGrowing ? t("Thinking…") : thoughtText(message, index)} icon="lightbulb">
                <Markdown text={part.text} of={part} {...grows} isNear={isNear} post={model.post} />
              </Fold>
            );
          case "text":
            return isBlank(part) ? null : (
              <Markdown key={index} text={part.text} of={part} {...grows} isNear={isNear} post={model.post} />
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
      {message.stopReason === "aborted" && (
        <Ended
          icon="circle-slash"
          text={message.errorMessage === interruptedError ? t("Interrupted.") : t("Stopped.")}
        />
      )}
      {failure !== undefined &&
        (isAskedAgain ? (
          <AskedAgain reason={failure} isEmpty={message.content.length === 0} />
        ) : (
          model.endNotice.value?.messageId !== message.id && (
            <Ended icon={message.stopReason === "length" ? "warning" : "error"} text={failure} />
          )
        ))}
    </div>
  );
}

function Allowed({ grant }: { grant: ShownGrant | undefined }) {
  return grant === undefined ? null : <AllowedNote grant={grant} />;
}
