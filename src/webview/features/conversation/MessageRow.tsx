import type { ReadonlySignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { AgentMessage, UserMessage } from "../../../agent/types.ts";
import { type Attachment, attachmentsOf, imagesOf } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { messageText, omittedIn, typedText } from "../../../protocol/messageTexts.ts";
import { Markdown, TextEnd } from "../../markdown/Markdown.tsx";
import { attachmentIcon, attachmentLabel, attachmentTitle } from "../../model/attachments.ts";
import { briefText, hasText } from "../../model/messages.ts";
import { formatTokens, timeText } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { Fold } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { type Picture, Thumbnail } from "../../ui/Pictures.tsx";
import { lazily } from "../../ui/rendering.ts";
import { AssistantContent } from "./AssistantContent.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { type TranscriptRow, user } from "./transcript.ts";

export interface MessageRowProps {
  row: TranscriptRow;
  model: ConversationModel;
  /** It is in view, or was, or it nearly is. */
  isNear: ReadonlySignal<boolean>;
}

/** One message. */
export function MessageRow({ row, isNear, model }: MessageRowProps) {
  const { message, author, isFirstOfAuthor } = row;
  const name = author === user ? t("You") : visible(author);
  // What the user wrote is known by its bubble.
  const isNamed = isFirstOfAuthor && !(message.role === "user" && author === user);
  return (
    <article class={`message ${message.role}`} aria-label={name} data-first={isFirstOfAuthor} data-moment={message.id}>
      {isNamed && (
        <div class="author" aria-hidden="true">
          {name}
        </div>
      )}
      {Content({ row, isNear, model })}
      {!row.isStreaming && <MessageActions row={row} isNear={isNear} model={model} />}
      {row.isOfRoot && model.stops.value.has(message.id) && <StopOfRun last={message.id} model={model} />}
      {row.isOfRoot && model.endedRuns.value.has(message.id) && <ResultOfRun last={message.id} model={model} />}
    </article>
  );
}

/** Loaded when the first run has ended. */
export const ResultOfRun = lazily(async () => (await import("./RunLine.tsx")).RunLine);

const StopOfRun = lazily(async () => (await import("./UnfinishedRun.tsx")).StopOfRun);

/** Without a component of its own, as the time: a long chat has thousands of rows. */
function Content({ row, isNear, model }: MessageRowProps) {
  const { message } = row;
  switch (message.role) {
    case "user":
      return row.author === user ? (
        <UserContent message={message} model={model} />
      ) : (
        <div class="brief">
          <Markdown text={briefText(message)} of={message.content[0] ?? message} isNear={isNear} post={model.post} />
        </div>
      );
    case "assistant":
      return (
        <AssistantContent
          message={message}
          calls={row.calls}
          isStreaming={row.isStreaming}
          isAskedAgain={row.isAskedAgain}
          isNear={isNear}
          model={model}
        />
      );
    case "agentResponse":
      return <Markdown text={message.text} of={message} isNear={isNear} post={model.post} />;
    case "summary":
      return <SummaryLine message={message} model={model} />;
    default:
      message satisfies never;
      return null;
  }
}

/** What the user typed is shown as it was typed. */
function UserContent({ message, model }: { message: UserMessage; model: ConversationModel }) {
  const attachments = attachmentsOf(message);
  const pictures = imagesOf(message);
  const omitted = omittedIn(message);
  return (
    <div class="bubble">
      <div class="typed">{typedText(message)}</div>
      {omitted && <TextEnd omitted={omitted} post={model.post} />}
      {attachments.length > 0 && (
        <ul class="chips" aria-label={t("Attached")}>
          {attachments.map((attachment, index) => (
            <SentAttachment key={String(index)} attachment={attachment} picture={pictures[index]} model={model} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface SentAttachmentProps {
  attachment: Attachment;
  /** The picture that the model got of it. */
  picture: Picture | undefined;
  model: ConversationModel;
}

/** What went with a message: a picture small, anything else by its name. */
function SentAttachment({ attachment, picture, model }: SentAttachmentProps) {
  const name = visible(attachmentLabel(attachment));
  if (picture !== undefined) {
    return (
      <li class="sent-picture" title={name}>
        <Thumbnail picture={picture} name={name} enlarge={model.enlarge} />
      </li>
    );
  }
  return (
    <li class="chip" title={visible(attachmentTitle(attachment))}>
      <Icon name={attachmentIcon(attachment)} />
      <span class="chip-name">{name}</span>
    </li>
  );
}

interface SummaryLineProps {
  message: Extract<AgentMessage, { role: "summary" }>;
  model: ConversationModel;
}

/** Where a context was summarised: by how much, and on demand the summary. */
function SummaryLine({ message, model }: SummaryLineProps) {
  const result = model.compaction(message.id);
  const label =
    result === undefined
      ? t("Context summarized")
      : t("Context summarized: {0} → {1}", formatTokens(result.before), formatTokens(result.after));
  return (
    <Fold label={label} icon="fold">
      <Markdown text={message.text.replace(/^<\/?known_facts>$/gm, "")} of={message} post={model.post} />
    </Fold>
  );
}

/**
 * What can be done with a finished message; shown when the pointer or the focus is near. A long chat has thousands of them:
 * out of view, where neither comes, there are none.
 */
function MessageActions({ row, isNear, model }: MessageRowProps) {
  const { message, author } = row;
  if (!isNear.value || !hasText(message)) return null;
  return (
    <div class={`message-actions on-hover ${positionClass(row)}`}>
      {MessageTime({ time: message.timestamp, model })}
      {message.role === "user" && author === user && row.isOfRoot && (
        <span class="when-idle">
          <IconButton
            icon="edit"
            label={t("Edit and resend")}
            title={t("Edit and resend: rewinds to before this message and opens it in the composer")}
            onClick={() => model.editAndResend(message)}
          />
          <IconButton
            icon="discard"
            label={t("Rewind to here")}
            title={t("Rewind to here: files and conversation as they were before this message")}
            onClick={() => model.rewindTo(message)}
          />
        </span>
      )}
      {message.role === "user" && author === user && row.isOfRoot && (
        <IconButton
          icon="repo-forked"
          label={t("Fork from here")}
          title={t("Fork from here: new chat with everything before this message")}
          onClick={() => model.forkAt(message.id)}
        />
      )}
      {message.role === "assistant" && row.isOfRoot && <RetryAnswer id={message.id} model={model} />}
      <IconButton
        icon="copy"
        label={t("Copy")}
        onClick={() => {
          const agentId = omittedIn(message)?.source.agentId;
          const intent: Intent =
            agentId === undefined
              ? { type: "copy", text: messageText(message) }
              : { type: "copyMessage", agentId, messageId: message.id };
          model.post(intent);
        }}
      />
    </div>
  );
}

/** Asks for the last answer again. */
function RetryAnswer({ id, model }: { id: string; model: ConversationModel }) {
  const last = model.lastAnswer.value;
  if (last?.id !== id) return null;
  return (
    <IconButton
      icon="refresh"
      label={t("Retry")}
      title={t("Retry: removes this answer and asks again")}
      onClick={() => model.resend(last.message)}
    />
  );
}

/** When it was written. The style sheet draws it, so that it is no part of the message's text. */
function MessageTime({ time, model }: { time: number; model: ConversationModel }) {
  return <time class="message-time" data-text={timeText(time, model.timing.now())} aria-hidden="true" />;
}

/** Beside the author, or floating: over the first line, unless that is a box with controls of its own, or below a bubble. */
function positionClass({ message, author, isFirstOfAuthor }: TranscriptRow): string {
  if (author === user) return "floating below";
  if (isFirstOfAuthor) return "";
  const [first] = message.role === "assistant" ? message.content : [];
  const isBox = first?.type === "toolCall" || /^\s*(?:```|~~~|\|)/.test(messageText(message));
  return isBox ? "floating at-end" : "floating";
}
