import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { IconButton } from "../../ui/IconButton.tsx";
import { hasWords, messageText } from "./messageText.ts";
import { type TranscriptRow, user } from "./transcript.ts";

export interface MessageActionsProps {
  row: TranscriptRow;
  store: Store;
}

/** What can be done with a finished message; shown when the pointer or the focus is near. */
export function MessageActions({ row, store }: MessageActionsProps) {
  const { message, author } = row;
  if (!hasWords(message)) return null;
  return (
    <div class={`message-actions on-hover ${placeOf(row)}`}>
      {message.role === "user" && author === user && row.isOfRoot && (
        <span class="when-idle">
          <IconButton
            icon="edit"
            label={t("Edit and resend")}
            title={t("Edit and resend: rewind to before this message and take its words into the composer")}
            onClick={() => store.editAndResend(message)}
          />
          <IconButton
            icon="discard"
            label={t("Rewind to here")}
            title={t("Rewind to here: files and conversation as they were before this message")}
            onClick={() => store.rewindTo(message)}
          />
        </span>
      )}
      {message.role === "user" && author === user && row.isOfRoot && (
        <IconButton
          icon="repo-forked"
          label={t("Fork from here")}
          title={t("Fork from here: a new chat with what stands before this message, and its words in the composer")}
          onClick={() => store.forkChat(undefined, message.id)}
        />
      )}
      <IconButton
        icon="copy"
        label={t("Copy")}
        onClick={() => store.post({ type: "copy", text: messageText(message) })}
      />
    </div>
  );
}

/** Beside the author, or floating: over the first line, unless that is a box with controls of its own, or below a bubble. */
function placeOf({ message, author, isFirstOfAuthor }: TranscriptRow): string {
  if (author === user) return "floating below";
  if (isFirstOfAuthor) return "";
  const [first] = message.role === "assistant" ? message.content : [];
  const isBox = first?.type === "toolCall" || /^\s*(?:```|~~~|\|)/.test(messageText(message));
  return isBox ? "floating at-end" : "floating";
}
