import type { Attachment } from "../../protocol/hostEvents.ts";
import { attachmentLabel } from "../state/userMessage.ts";
import type { Store } from "../store.ts";
import { visible } from "../text/visible.ts";
import { Icon } from "../ui/Icon.tsx";

/** What goes with the message, and the file in the editor as an offer. */
export function ComposerChips({ store }: { store: Store }) {
  const { composer } = store;
  const attachments = composer.attachments.value;
  const activeFile = store.status.value?.activeFile;
  const isOffered = activeFile !== undefined && !attachments.some((known) => known.path === activeFile);
  if (attachments.length === 0 && !isOffered) return null;
  return (
    <ul class="chips" aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={`${attachment.path}:${attachment.startLine}`}>
          <Chip attachment={attachment} detach={() => composer.detach(attachment)} />
        </li>
      ))}
      {isOffered && (
        <li>
          <Offer path={activeFile} attach={() => composer.attach({ kind: "file", path: activeFile })} />
        </li>
      )}
    </ul>
  );
}

function Chip({ attachment, detach }: { attachment: Attachment; detach(): void }) {
  const name = visible(attachmentLabel(attachment));
  return (
    <span class="chip" title={visible(attachment.path)}>
      <Icon name={attachment.kind === "selection" ? "list-selection" : "file"} />
      <span class="chip-name">{name}</span>
      <button type="button" class="chip-remove" aria-label={`Remove ${name}`} onClick={detach}>
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
      aria-label={`Attach ${name}`}
      title={`Attach ${visible(path)}`}
      onClick={attach}
    >
      <Icon name="add" />
      <span class="chip-name">{name}</span>
    </button>
  );
}
