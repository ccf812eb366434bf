import { t } from "@vscode/l10n";
import type { UndoneEdits } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

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
