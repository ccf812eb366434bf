import { t } from "@vscode/l10n";
import type { AgentMessage, UserMessage } from "../../../agent/types.ts";
import { type Attachment, attachmentsOf, imagesOf } from "../../../protocol/attachments.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import { attachmentIcon, attachmentLabel, attachmentTitle, typedText } from "../../model/attachments.ts";
import type { Store } from "../../shell/panel.ts";
import { formatTokens } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Fold } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { type Picture, Thumbnail } from "../../ui/Pictures.tsx";
import { AssistantContent } from "./AssistantContent.tsx";
import { MessageActions } from "./MessageActions.tsx";
import { briefText } from "./messageText.ts";
import { type TranscriptRow, user } from "./transcript.ts";

export interface MessageRowProps {
  row: TranscriptRow;
  store: Store;
}

/** One message. */
export function MessageRow({ row, store }: MessageRowProps) {
  const { message, author, isFirstOfAuthor } = row;
  const name = author === user ? t("You") : visible(author);
  return (
    <article class={`message ${message.role}`} aria-label={name} data-first={isFirstOfAuthor}>
      {isFirstOfAuthor && (
        <div class="author" aria-hidden="true">
          {name}
        </div>
      )}
      <Content row={row} store={store} />
      {!row.isStreaming && <MessageActions row={row} store={store} />}
    </article>
  );
}

function Content({ row, store }: MessageRowProps) {
  const { message } = row;
  switch (message.role) {
    case "user":
      return row.author === user ? (
        <UserContent message={message} store={store} />
      ) : (
        <div class="brief">
          <Markdown text={briefText(message)} post={store.post} />
        </div>
      );
    case "assistant":
      return (
        <AssistantContent
          message={message}
          calls={row.calls}
          isStreaming={row.isStreaming}
          isAskedAgain={row.isAskedAgain}
          store={store}
        />
      );
    case "agentResponse":
      return <Markdown text={message.text} post={store.post} />;
    case "summary":
      return <SummaryLine message={message} store={store} />;
    default:
      message satisfies never;
      return null;
  }
}

/** What the user typed is shown as it was typed. */
function UserContent({ message, store }: { message: UserMessage; store: Store }) {
  const attachments = attachmentsOf(message);
  const pictures = imagesOf(message);
  return (
    <div class="bubble">
      <div class="typed">{typedText(message)}</div>
      {attachments.length > 0 && (
        <ul class="chips" aria-label={t("Attached")}>
          {attachments.map((attachment, index) => (
            <SentAttachment key={String(index)} attachment={attachment} picture={pictures[index]} store={store} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface SentAttachmentProps {
  attachment: Attachment;
  /** What the model was shown of it. */
  picture: Picture | undefined;
  store: Store;
}

/** What went with a message: a picture small, anything else by its name. */
function SentAttachment({ attachment, picture, store }: SentAttachmentProps) {
  const name = visible(attachmentLabel(attachment));
  if (picture !== undefined) {
    return (
      <li class="sent-picture" title={name}>
        <Thumbnail picture={picture} name={name} store={store} />
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
  store: Store;
}

/** Where a context was summarised: by how much, and on demand the summary. */
function SummaryLine({ message, store }: SummaryLineProps) {
  const { compactions } = store.hostState.value.runs;
  const result = Object.hasOwn(compactions, message.id) ? compactions[message.id] : undefined;
  const label =
    result === undefined
      ? t("Context summarised")
      : t("Context summarised: {0} → {1}", formatTokens(result.before), formatTokens(result.after));
  return (
    <Fold label={label} icon="fold">
      <Markdown text={message.text.replace(/^<\/?known_facts>$/gm, "")} post={store.post} />
    </Fold>
  );
}
