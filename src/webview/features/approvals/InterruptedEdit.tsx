import { t } from "@vscode/l10n";
import type { ApprovalFile, ApprovalHunk, OnDisk } from "../../../protocol/hostEvents.ts";
import { IconButton } from "../../ui/IconButton.tsx";

/** What a card says of an edit that the end of the editor cut off. */
export function InterruptedNote({ files }: { files: readonly ApprovalFile[] }) {
  const hunks = files.flatMap((file) => file.hunks);
  const written = hunks.filter((hunk) => hunk.onDisk === "undecided").length;
  return <p class="approval-interrupted">{noteText(written, hunks.length)}</p>;
}

function noteText(written: number, all: number): string {
  if (written === 0) return t("The editor was closed or reloaded. This edit still waits for you.");
  if (written === all) return t("The editor was closed or reloaded. This edit is on disk.");
  return t("The editor was closed or reloaded. {0} of {1} hunks are on disk.", written, all);
}

export interface OnDiskAnswerProps {
  hunk: ApprovalHunk;
  /** From 1, in its file. */
  position: number;
  /** Accepted: it is kept. Rejected: it is undone. */
  decide(decision: "accepted" | "rejected"): void;
}

const onDiskWords: Readonly<Record<Exclude<OnDisk, "undecided">, string>> = {
  kept: t("kept"),
  undone: t("undone"),
  changed: t("on disk, changed since"),
  gone: t("not in the file any more"),
};

/** A hunk that was written when the editor ended: what became of it, or the buttons to decide that. */
export function OnDiskAnswer({ hunk: { onDisk = "undecided" }, position, decide }: OnDiskAnswerProps) {
  if (onDisk !== "undecided") return <span class="hunk-decision">{onDiskWords[onDisk]}</span>;
  return (
    <>
      <span class="hunk-decision">{t("on disk")}</span>
      <IconButton icon="check" label={t("Keep hunk {0}", position)} onClick={() => decide("accepted")} />
      <IconButton icon="discard" label={t("Undo hunk {0}", position)} onClick={() => decide("rejected")} />
    </>
  );
}
