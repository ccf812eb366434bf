import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { dividerStep, type TreeHeights } from "./treeKeys.ts";

export interface TreeDividerProps {
  /** In pixels: as it is, and between what it may be. */
  heights(): TreeHeights;
  controls: string;
  /** Undefined: as the panel sets it. */
  resize(height: number | undefined): void;
}

/** Between the tree and the transcript: drawn by the pointer or moved by the arrow keys; a double click sets it back. */
export function TreeDivider({ heights, controls, resize }: TreeDividerProps) {
  const drag = useRef<{ pointer: number; from: number; at: number } | undefined>(undefined);
  const { now, min, max } = heights();

  function onPointerDown(event: PointerEvent): void {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { pointer: event.pointerId, from: heights().now, at: event.clientY };
  }

  function onPointerMove(event: PointerEvent): void {
    if (drag.current?.pointer !== event.pointerId) return;
    const { min, max } = heights();
    const next = drag.current.from + event.clientY - drag.current.at;
    resize(Math.round(Math.min(max, Math.max(min, next))));
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = dividerStep(event.key, heights());
    if (next === undefined) return;
    event.preventDefault();
    resize(next);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule takes no focus, this one is moved.
    <div
      class="tree-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={t("Height of the agent tree")}
      aria-controls={controls}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={now}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = undefined;
      }}
      onDblClick={() => resize(undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
