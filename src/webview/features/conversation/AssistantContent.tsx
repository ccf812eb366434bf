import { t } from "@vscode/l10n";
import { Fragment } from "preact";
import type { AssistantMessage } from "../../../agent/types.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import type { Store } from "../../shell/store.ts";
import { Fold } from "../../ui/Fold.tsx";
import { AllowedNote } from "./AllowedNote.tsx";
import { AskedAgain } from "./AskedAgain.tsx";
import type { CallViews } from "./callViews.ts";
import { Delegation } from "./Delegation.tsx";
import { Ended, Failed } from "./Ended.tsx";
import { ToolCard } from "./ToolCard.tsx";

export interface AssistantContentProps {
  message: AssistantMessage;
  calls: CallViews;
  isStreaming: boolean;
  isAskedAgain: boolean;
  store: Store;
}

/** An agent's turn: thinking, words and tool calls in the order in which they came. */
export function AssistantContent({ message, calls, isStreaming, isAskedAgain, store }: AssistantContentProps) {
  const last = message.content.length - 1;
  return (
    <div class="parts">
      {message.content.map((part, index) => {
        const isGrowing = isStreaming && index === last;
        const grows = isGrowing ? { growth: { feed: store.growth, messageId: message.id, index } } : {};
        switch (part.type) {
          case "thinking":
            return part.text.trim() === "" ? null : (
              <Fold key={index} label={isGrowing ? t("Thinking…") : t("Thought")} icon="lightbulb">
                <Markdown text={part.text} {...grows} post={store.post} />
              </Fold>
            );
          case "text":
            return part.text.trim() === "" ? null : (
              <Markdown key={index} text={part.text} {...grows} post={store.post} />
            );
          case "toolCall": {
            const call = calls.get(part.id);
            if (call === undefined) return null;
            return call.childIds.length > 0 ? (
              <Delegation key={part.id} call={call} store={store} />
            ) : (
              <Fragment key={part.id}>
                <ToolCard call={call} background={store.backgroundCalls.value.get(part.id)} post={store.post} />
                <AllowedNote callId={part.id} store={store} />
              </Fragment>
            );
          }
          default:
            part satisfies never;
            return null;
        }
      })}
      {message.stopReason === "length" && <Ended icon="warning" words={t("The answer reached its length limit.")} />}
      {message.stopReason === "aborted" && (
        <Ended
          icon="circle-slash"
          words={message.errorMessage === interruptedError ? t("Interrupted.") : t("Stopped.")}
        />
      )}
      {message.stopReason !== "aborted" &&
        message.errorMessage !== undefined &&
        (isAskedAgain ? (
          <AskedAgain reason={message.errorMessage} isEmpty={message.content.length === 0} />
        ) : (
          <Failed words={message.errorMessage} store={store} />
        ))}
    </div>
  );
}
