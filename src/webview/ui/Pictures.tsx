import { t } from "@vscode/l10n";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { imageTypes } from "../../protocol/attachments.ts";
import type { EnlargedPicture } from "../model/attachments.ts";
import { IconButton } from "./Buttons.tsx";

export interface Picture {
  mimeType: string;
  /** base64 */
  data: string;
}

export interface ThumbnailProps {
  picture: Picture;
  name: string;
  enlarge(picture: EnlargedPicture): void;
}

/** A small picture that is shown large when it is pressed. */
export function Thumbnail({ picture, name, enlarge }: ThumbnailProps) {
  // A megabyte that is put together again with each key would be compared letter by letter.
  const url = useMemo(() => pictureUrl(picture), [picture.mimeType, picture.data]);
  if (url === undefined) return null;
  return (
    <button type="button" class="thumbnail" aria-label={t("Enlarge {0}", name)} onClick={() => enlarge({ url, name })}>
      <img src={url} alt="" />
    </button>
  );
}

/** Pictures are in the message itself: nothing is loaded. Undefined for what is no picture. */
function pictureUrl({ mimeType, data }: Picture): string | undefined {
  if (!imageTypes.some((type) => type === mimeType)) return undefined;
  return `data:${mimeType};base64,${data}`;
}

export interface PictureViewerProps {
  picture: EnlargedPicture | undefined;
  close(): void;
}

/** A picture over the whole panel; Esc, a press beside it and its button close it. */
export function PictureViewer({ picture, close }: PictureViewerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (picture !== undefined) dialog.current?.showModal();
  }, [picture]);
  if (picture === undefined) return null;
  return (
    <dialog
      class="picture-viewer"
      aria-label={picture.name}
      ref={dialog}
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
      // Esc must not reach what is beneath, where it would stop the agents.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <IconButton icon="close" label={t("Close")} class="picture-close" onClick={close} />
      <img src={picture.url} alt={picture.name} />
    </dialog>
  );
}
