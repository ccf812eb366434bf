import { Markdown } from "../markdown/Markdown.tsx";
import type { TranscriptRow } from "../state/transcript.ts";
import { attachmentLabel, attachmentsOf, typedText } from "../state/userMessage.ts";
import type { Store } from "../store.ts";
import { visible } from "../text/visible.ts";
import { Icon } from "../ui/Icon.tsx";
import { AssistantContent } from "./AssistantContent.tsx";
import { Fold } from "./Fold.tsx";
import { MessageActions } from "./MessageActions.tsx";

export interface MessageRowProps {
  row: TranscriptRow;
  store: Store;
}

/** One message. */
export function MessageRow({ row, store }: MessageRowProps) {
  const { message, author, isFirstOfAuthor } = row;
  const name = visible(author);
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
      return row.author === "You" ? (
        <UserContent message={message} />
      ) : (
        <div class="brief">
          <Markdown text={typedText(message)} post={store.post} />
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
      return (
        <Fold label="Earlier messages were summarized" icon="fold">
          <Markdown text={message.text} post={store.post} />
        </Fold>
      );
    default:
      message satisfies never;
      return null;
  }
}

/** What the user typed is shown as it was typed. */
function UserContent({ message }: { message: Extract<TranscriptRow["message"], { role: "user" }> }) {
  const attachments = attachmentsOf(message);
  return (
    <div class="bubble">
      <div class="typed">{typedText(message)}</div>
      {attachments.length > 0 && (
        <ul class="chips" aria-label="Attached">
          {attachments.map((attachment) => (
            <li key={`${attachment.path}:${attachment.startLine}`} class="chip" title={visible(attachment.path)}>
              <Icon name="file" />
              <span class="chip-name">{visible(attachmentLabel(attachment))}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
