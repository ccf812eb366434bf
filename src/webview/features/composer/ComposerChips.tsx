import { t } from "@vscode/l10n";
import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentIcon, attachmentLabel, attachmentTitle } from "../../model/userMessage.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Thumbnail } from "../../ui/Thumbnail.tsx";

/** What goes with the message, and the file in the editor as an offer. */
export function ComposerChips({ store }: { store: Store }) {
  const { composer, attaching } = store;
  const attachments = composer.attachments.value;
  const activeFile = store.status.value?.activeFile;
  const reading = attaching.reading.value;
  const isOffered =
    activeFile !== undefined && !attachments.some((known) => known.kind === "file" && known.path === activeFile);
  if (attachments.length === 0 && !isOffered && reading === 0) return null;
  return (
    <ul class="chips" aria-label={t("Attachments")}>
      {attachments.map((attachment, index) => (
        <li key={`${index} ${attachmentTitle(attachment)}`}>
          <Chip attachment={attachment} store={store} />
        </li>
      ))}
      {reading > 0 && (
        <li class="chip" key="reading">
          <Icon name="loading" class="working" />
          <span class="chip-name">{t("Reading…")}</span>
        </li>
      )}
      {isOffered && (
        <li key="offer">
          <Offer path={activeFile} attach={() => composer.attach({ kind: "file", path: activeFile })} />
        </li>
      )}
    </ul>
  );
}

function Chip({ attachment, store }: { attachment: Attachment; store: Store }) {
  const name = visible(attachmentLabel(attachment));
  return (
    <span class="chip" title={visible(attachmentTitle(attachment))}>
      {attachment.kind === "image" ? (
        <Thumbnail picture={attachment} name={name} store={store} />
      ) : (
        <Icon name={attachmentIcon(attachment)} />
      )}
      <span class="chip-name">{name}</span>
      <button
        type="button"
        class="chip-remove"
        aria-label={t("Remove {0}", name)}
        onClick={() => store.composer.detach(attachment)}
      >
        <Icon name="close" />
      </button>
    </span>
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
