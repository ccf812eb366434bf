import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RewindTarget, UndoneEdits } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/panel.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";

const rewound: Readonly<Record<RewindTarget, string>> = {
  files: t("Files were rewound."),
  conversation: t("The conversation was rewound."),
  both: t("Files and conversation were rewound."),
};

/** The latest rewind, as long as it can be undone. */
export function RewindNote({ store }: { store: Store }) {
  const rewind = store.hostState.value.undoableRewind;
  const hidden = useSignal<string | undefined>(undefined);
  if (rewind === undefined || (rewind.id !== undefined && rewind.id === hidden.value)) return null;
  return (
    <div class="rewind-note" role="note" aria-label={t("Rewind")}>
      <Icon name="discard" />
      <span>{rewound[rewind.what]}</span>
      <Button onClick={() => store.post({ type: "undoRewind" })}>{t("Undo rewind")}</Button>
      <IconButton
        icon="close"
        label={t("Hide")}
        onClick={() => {
          hidden.value = rewind.id;
        }}
      />
    </div>
  );
}

/** The latest undo of written edits, as long as it can be redone. */
export function UndoneNote({ store }: { store: Store }) {
  const undone = store.hostState.value.undoneEdits;
  if (undone === undefined) return null;
  return (
    <div class="rewind-note" role="note" aria-label={t("Undone edits")}>
      <Icon name="discard" />
      <span>{words(undone)}</span>
      <Button onClick={() => store.post({ type: "redoEdits" })}>{t("Redo")}</Button>
      <IconButton icon="close" label={t("Hide")} onClick={() => store.post({ type: "forgetUndoneEdits" })} />
    </div>
  );
}

function words({ files, hunks }: UndoneEdits): string {
  if (hunks === 1) return t("1 edit was undone.");
  return files === 1
    ? t("{0} edits in 1 file were undone.", hunks)
    : t("{0} edits in {1} files were undone.", hunks, files);
}
