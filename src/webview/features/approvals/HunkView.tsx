import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ApprovalHunk } from "../../../protocol/hostEvents.ts";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";

const OnDiskAnswer = lazily(async () => (await import("../../shell/rare.ts")).OnDiskAnswer);

export interface HunkProps {
  hunk: ApprovalHunk;
  /** From 1, in its file. */
  position: number;
  /** Undefined when the card's own buttons answer for it. */
  decide: ((decision: "accepted" | "rejected") => void) | undefined;
}

const firstLines = 40;

/** Old lines, new lines, and where they stand. */
export function HunkView({ hunk, position, decide }: HunkProps) {
  const isWhole = useSignal(false);
  const lines = [
    ...hunk.oldLines.map((text) => ({ text, side: "old" as const })),
    ...hunk.newLines.map((text) => ({ text, side: "new" as const })),
  ];
  const shown = isWhole.value ? lines : lines.slice(0, firstLines);
  return (
    <div class="hunk" data-decision={hunk.onDisk === "undecided" ? "pending" : hunk.decision}>
      {decide !== undefined && (
        <div class="hunk-head">
          <span class="hunk-place">{t("Line {0}", hunk.oldStart)}</span>
          <HunkAnswer hunk={hunk} position={position} decide={decide} />
        </div>
      )}
      <ScrollBox class="hunk-lines">
        <pre>
          {shown.map(({ text, side }, index) => (
            <span key={index} class={`hunk-line ${side}`}>
              <span class="hunk-mark">{side === "old" ? "−" : "+"}</span>
              {text}
              {"\n"}
            </span>
          ))}
        </pre>
      </ScrollBox>
      {shown.length < lines.length && (
        <button
          type="button"
          class="link more"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {moreLines(lines.length - shown.length)}
        </button>
      )}
    </div>
  );
}

function moreLines(count: number): string {
  return count === 1 ? t("Show 1 more line") : t("Show {0} more lines", count);
}

function HunkAnswer({ hunk, position, decide }: Required<HunkProps>) {
  if (decide === undefined) return null;
  if (hunk.onDisk !== undefined) return <OnDiskAnswer hunk={hunk} position={position} decide={decide} />;
  if (hunk.decision !== "pending") {
    return (
      <span class="hunk-decision">
        <Icon name={hunk.decision === "accepted" ? "check" : "close"} />
        {hunk.decision === "accepted" ? t("accepted") : t("rejected")}
      </span>
    );
  }
  return (
    <>
      <IconButton icon="check" label={t("Accept hunk {0}", position)} onClick={() => decide("accepted")} />
      <IconButton icon="close" label={t("Reject hunk {0}", position)} onClick={() => decide("rejected")} />
    </>
  );
}
