import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Rewind, RewindTarget, UndoneEdits } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";

const rewound: Readonly<Record<RewindTarget, string>> = {
  files: t("Files were rewound."),
  conversation: t("The conversation was rewound."),
  both: t("Files and conversation were rewound."),
};

/** The latest rewind, as long as it can be undone. */
export function RewindNote({ rewind, post }: { rewind: Rewind | undefined; post(intent: Intent): void }) {
  const hidden = useSignal<string | undefined>(undefined);
  if (rewind === undefined || (rewind.id !== undefined && rewind.id === hidden.value)) return null;
  if (rewind.underWay !== undefined) return null;
  const { branch } = rewind;
  return (
    <div class={rewind.interrupted ? "rewind-note is-long" : "rewind-note"} role="note" aria-label={t("Rewind")}>
      <Icon name="discard" />
      <span>{noteOf(rewind)}</span>
      <Button onClick={() => post({ type: "undoRewind" })}>
        {branch === undefined ? t("Undo rewind") : t("Redo")}
      </Button>
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

function noteOf({ what, branch, interrupted }: Rewind): string {
  if (interrupted === undefined)
    return branch === undefined ? rewound[what] : t("The changes of {0} were undone.", visible(branch.name));
  const { done, left } = interrupted;
  return [
    interruptedText(interrupted.in, branch && visible(branch.name)),
    ...(done.length > 0 ? [t("Restored: {0}.", named(done))] : []),
    ...(left.length > 0 ? [t("Not restored: {0}.", named(left))] : []),
  ].join(" ");
}

function interruptedText(underWay: "rewind" | "undo", branch: string | undefined): string {
  if (branch === undefined) {
    return underWay === "rewind"
      ? t("A rewind was interrupted when the editor ended.")
      : t("The undo of a rewind was interrupted when the editor ended.");
  }
  return underWay === "rewind"
    ? t("Undoing the changes of {0} was interrupted when the editor ended.", branch)
    : t("Redoing the changes of {0} was interrupted when the editor ended.", branch);
}

const maxNamed = 5;

function named(paths: readonly string[]): string {
  const names = paths.slice(0, maxNamed).map(visible).join(", ");
  return paths.length > maxNamed ? t("{0} and {1} more", names, paths.length - maxNamed) : names;
}

/** The latest undo of written edits, as long as it can be redone. */
export function UndoneNote({ undone, post }: { undone: UndoneEdits; post(intent: Intent): void }) {
  return (
    <div class="rewind-note" role="note" aria-label={t("Undone edits")}>
      <Icon name="discard" />
      <span>{undoneText(undone)}</span>
      <Button onClick={() => post({ type: "redoEdits" })}>{t("Redo")}</Button>
      <IconButton icon="close" label={t("Hide")} onClick={() => post({ type: "forgetUndoneEdits" })} />
    </div>
  );
}

function undoneText({ files, hunks }: UndoneEdits): string {
  const inOneFile = plural(hunks, t("{0} edit was undone.", hunks), t("{0} edits in 1 file were undone.", hunks));
  return files === 1 ? inOneFile : t("{0} edits in {1} files were undone.", hunks, files);
}
