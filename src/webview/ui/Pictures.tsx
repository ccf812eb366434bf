import { t } from "@vscode/l10n";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { imageTypes } from "../../protocol/attachments.ts";
import type { Store } from "../shell/panel.ts";
import { IconButton } from "./Buttons.tsx";

export interface Picture {
  mimeType: string;
  /** base64 */
  data: string;
}

export interface ThumbnailProps {
  picture: Picture;
  name: string;
  store: Store;
}

/** A small picture that is shown large when it is pressed. */
export function Thumbnail({ picture, name, store }: ThumbnailProps) {
  // A megabyte that is put together anew with each key would be compared letter by letter.
  const url = useMemo(() => pictureUrl(picture), [picture.mimeType, picture.data]);
  if (url === undefined) return null;
  return (
    <button
      type="button"
      class="thumbnail"
      aria-label={t("Enlarge {0}", name)}
      onClick={() => {
        store.enlarged.value = { url, name };
      }}
    >
      <img src={url} alt="" />
    </button>
  );
}

/** Pictures stand in the message itself: nothing is loaded. Undefined for what is no picture. */
function pictureUrl({ mimeType, data }: Picture): string | undefined {
  if (!imageTypes.some((type) => type === mimeType)) return undefined;
  return `data:${mimeType};base64,${data}`;
}

/** A picture over the whole panel; Esc, a press beside it and its button close it. */
export function PictureViewer({ store }: { store: Store }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const picture = store.enlarged.value;
  useLayoutEffect(() => {
    if (picture !== undefined) dialog.current?.showModal();
  }, [picture]);
  if (picture === undefined) return null;
  function close(): void {
    store.enlarged.value = undefined;
  }
  return (
    <dialog
      class="picture-viewer"
      aria-label={picture.name}
      ref={dialog}
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
      // What is beneath hears nothing of Esc, which would stop the agents there.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <IconButton icon="close" label={t("Close")} class="picture-close" onClick={close} />
      <img src={picture.url} alt={picture.name} />
    </dialog>
  );
}
