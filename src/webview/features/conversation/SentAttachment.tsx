import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentIcon, attachmentLabel, attachmentTitle } from "../../model/userMessage.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { type Picture, Thumbnail } from "../../ui/Thumbnail.tsx";

export interface SentAttachmentProps {
  attachment: Attachment;
  /** What the model was shown of it. */
  picture: Picture | undefined;
  store: Store;
}

/** What went with a message: a picture small, anything else by its name. */
export function SentAttachment({ attachment, picture, store }: SentAttachmentProps) {
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
