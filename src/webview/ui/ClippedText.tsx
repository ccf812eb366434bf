import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { clipped } from "../text/visible.ts";

export interface ClippedTextProps {
  text: string;
  /** Shown at once; further ones on demand. */
  lines?: number;
  /** Draws what is shown of it. Default: as it is. */
  draw?(text: string): ComponentChildren;
}

/** About as many as fit on one line of a narrow panel. */
const charactersPerLine = 45;

/** A text of unknown length: its first lines, and the rest on demand in a box that scrolls. */
export function ClippedText({ text, lines = 3, draw = (shown) => shown }: ClippedTextProps) {
  const isWhole = useSignal(false);
  const head = clipped(text, { lines, characters: lines * charactersPerLine });
  if (head === undefined) return <span class="clipped">{draw(text)}</span>;
  return (
    <span class={isWhole.value ? "clipped whole" : "clipped"}>
      {draw(isWhole.value ? text : `${head}…`)}{" "}
      <button
        type="button"
        class="link more"
        aria-expanded={isWhole.value}
        onClick={() => {
          isWhole.value = !isWhole.peek();
        }}
      >
        {isWhole.value ? t("Show less") : t("Show more")}
      </button>
    </span>
  );
}
