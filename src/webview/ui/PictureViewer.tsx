import type { Signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { EnlargedPicture } from "../model/attachments.ts";
import { IconButton } from "./Buttons.tsx";

/** A picture over the whole panel; Esc, a press beside it and its button close it. */
export function PictureViewer({ enlarged }: { enlarged: Signal<EnlargedPicture | undefined> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const picture = enlarged.value;
  useLayoutEffect(() => {
    if (picture !== undefined) dialog.current?.showModal();
  }, [picture]);
  if (picture === undefined) return null;
  const close = () => {
    enlarged.value = undefined;
  };
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
