import { t } from "@vscode/l10n";
import type { UserMessage } from "../../../agent/types.ts";
import { attachmentsOf, imagesOf } from "../../../protocol/attachments.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import { typedText } from "../../model/userMessage.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { AssistantContent } from "./AssistantContent.tsx";
import { MessageActions } from "./MessageActions.tsx";
import { briefText } from "./messageText.ts";
import { SentAttachment } from "./SentAttachment.tsx";
import { SummaryLine } from "./SummaryLine.tsx";
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
