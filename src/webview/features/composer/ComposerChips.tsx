import { t } from "@vscode/l10n";
import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentIcon, attachmentLabel, attachmentTitle } from "../../model/attachments.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Thumbnail } from "../../ui/Pictures.tsx";
import type { ComposerModel } from "./composerModel.ts";

/** What goes with the message, and the file in the editor as an offer. */
export function ComposerChips({ model }: { model: ComposerModel }) {
  const { draft, attaching } = model;
  const attachments = draft.attachments.value;
  const { activeFile, editorState } = model.status.value ?? {};
  const reading = attaching.reading.value;
  const isOffered =
    activeFile !== undefined && !attachments.some((known) => known.kind === "file" && known.path === activeFile);
  if (attachments.length === 0 && !isOffered && reading === 0 && editorState === undefined) return null;
  return (
    <ul class="chips" aria-label={t("Attachments")}>
      {attachments.map((attachment, index) => (
        <li key={`${index} ${attachmentTitle(attachment)}`}>
          <Chip attachment={attachment} model={model} />
        </li>
      ))}
      {reading > 0 && (
        <li class="chip" key="reading">
          <Icon name="loading" class="working" />
          <span class="chip-name">{t("Reading…")}</span>
        </li>
      )}
      {editorState !== undefined && (
        <li key="editor">
          <EditorStateChip {...editorState} set={(isSent) => model.post({ type: "setEditorState", isSent })} />
        </li>
      )}
      {isOffered && (
        <li key="offer">
          <Offer path={activeFile} attach={() => draft.attach({ kind: "file", path: activeFile })} />
        </li>
      )}
    </ul>
  );
}

function Chip({ attachment, model }: { attachment: Attachment; model: ComposerModel }) {
  const name = visible(attachmentLabel(attachment));
  return (
    <span class="chip" title={visible(attachmentTitle(attachment))}>
      {attachment.kind === "image" ? (
        <Thumbnail picture={attachment} name={name} enlarge={model.enlarge} />
      ) : (
        <Icon name={attachmentIcon(attachment)} />
      )}
      <span class="chip-name">{name}</span>
      <button
        type="button"
        class="chip-remove"
        aria-label={t("Remove {0}", name)}
        onClick={() => model.draft.detach(attachment)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

interface EditorStateProps {
  isSent: boolean;
  openFiles: number;
  problems: number;
  set(isSent: boolean): void;
}

/** Whether each message says what the editor shows, without the text of any file. */
function EditorStateChip({ isSent, openFiles, problems, set }: EditorStateProps) {
  return (
    <button
      type="button"
      class={isSent ? "chip" : "chip offered"}
      aria-label={t("Send what the editor shows")}
      aria-pressed={isSent}
      title={
        isSent
          ? t(
              "Sent with each message: paths of open files ({0}), the cursor, number of problems ({1})",
              openFiles,
              problems,
            )
          : t("Not sent: what the editor shows")
      }
      onClick={() => set(!isSent)}
    >
      <Icon name={isSent ? "eye" : "eye-closed"} />
      <span class="chip-name">{t("Editor")}</span>
    </button>
  );
}

function Offer({ path, attach }: { path: string; attach(): void }) {
  const name = visible(attachmentLabel({ kind: "file", path }));
  return (
    <button
      type="button"
      class="chip offered"
      aria-label={t("Attach {0}", name)}
      title={t("Attach {0}", visible(path))}
      onClick={attach}
    >
      <Icon name="add" />
      <span class="chip-name">{name}</span>
    </button>
  );
}
