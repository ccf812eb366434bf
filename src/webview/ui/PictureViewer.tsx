import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../shell/store.ts";
import { IconButton } from "./IconButton.tsx";

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
