import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { plural } from "../text/format.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { ScrollBox } from "./ScrollBox.tsx";

export interface DiffLinesProps {
  oldLines: readonly string[];
  newLines: readonly string[];
}

const firstLines = 40;

/** Old lines, then new lines, coloured and marked; the rest of a long hunk on demand. */
export function DiffLines({ oldLines, newLines }: DiffLinesProps) {
  const isWhole = useSignal(false);
  const lines = [
    ...oldLines.map((text) => ({ text, side: "old" as const })),
    ...newLines.map((text) => ({ text, side: "new" as const })),
  ];
  const shown = isWhole.value ? lines : lines.slice(0, firstLines);
  const left = lines.length - shown.length;
  return (
    <>
      <ScrollBox class="hunk-lines">
        <pre>
          {shown.map(({ text, side }, index) => (
            <span key={index} class={`hunk-line ${side}`}>
              <span class="hunk-mark">{side === "old" ? "−" : "+"}</span>
              {visibleLines(text)}
              {"\n"}
            </span>
          ))}
        </pre>
      </ScrollBox>
      {left > 0 && (
        <button
          type="button"
          class="link more"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {plural(left, t("Show {0} more line", left), t("Show {0} more lines", left))}
        </button>
      )}
    </>
  );
}

/** How many lines came and went. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <>
      {added > 0 && <span class="added">+{added}</span>} {removed > 0 && <span class="removed">−{removed}</span>}
    </>
  );
}

const kinds = { add: t("new"), update: "", delete: t("deleted"), move: "" };

/** What happens to a file beside its lines. */
export function ChangeKind({ change, movedTo }: { change: keyof typeof kinds; movedTo: string | undefined }) {
  const text = movedTo === undefined ? kinds[change] : t("moved to {0}", visible(movedTo));
  return text === "" ? null : <span class={movedTo === undefined ? "file-kind" : "file-kind moved"}>{text}</span>;
}
