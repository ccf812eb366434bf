import { useSignal } from "@preact/signals";
import type { ApprovalHunk } from "../../protocol/hostEvents.ts";
import { counted } from "../text/format.ts";
import { Icon } from "../ui/Icon.tsx";
import { IconButton } from "../ui/IconButton.tsx";
import { ScrollBox } from "../ui/ScrollBox.tsx";

export interface HunkProps {
  hunk: ApprovalHunk;
  /** "hunk 2" */
  name: string;
  /** Undefined when the card's own buttons answer for it. */
  decide: ((decision: "accepted" | "rejected") => void) | undefined;
}

const firstLines = 40;

/** Old lines, new lines, and where they stand. */
export function HunkView({ hunk, name, decide }: HunkProps) {
  const isWhole = useSignal(false);
  const lines = [
    ...hunk.oldLines.map((text) => ({ text, side: "old" as const })),
    ...hunk.newLines.map((text) => ({ text, side: "new" as const })),
  ];
  const shown = isWhole.value ? lines : lines.slice(0, firstLines);
  return (
    <div class="hunk" data-decision={hunk.decision}>
      {decide !== undefined && (
        <div class="hunk-head">
          <span class="hunk-place">Line {hunk.oldStart}</span>
          <HunkAnswer hunk={hunk} name={name} decide={decide} />
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
          Show {counted(lines.length - shown.length, "more line", "more lines")}
        </button>
      )}
    </div>
  );
}

function HunkAnswer({ hunk, name, decide }: Required<HunkProps>) {
  if (decide === undefined) return null;
  if (hunk.decision !== "pending") {
    return (
      <span class="hunk-decision">
        <Icon name={hunk.decision === "accepted" ? "check" : "close"} />
        {hunk.decision}
      </span>
    );
  }
  return (
    <>
      <IconButton icon="check" label={`Accept ${name}`} onClick={() => decide("accepted")} />
      <IconButton icon="close" label={`Reject ${name}`} onClick={() => decide("rejected")} />
    </>
  );
}
