import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RowGroup } from "../state/transcript.ts";
import type { Store } from "../store.ts";
import { memo } from "../ui/memo.tsx";
import type { Drawing } from "./drawing.ts";
import { MessageRow } from "./MessageRow.tsx";

export interface RowGroupProps {
  group: RowGroup;
  /** Drawn at once; others when they come near the view or the browser is idle. */
  isNear: boolean;
  drawing: RefObject<Drawing | undefined>;
  store: Store;
}

/** The unit of layout: the browser skips whole groups that are out of view. */
export const RowGroupView = memo(function RowGroupView({ group, isNear, drawing, store }: RowGroupProps) {
  const isDrawn = useSignal(isNear);
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (isDrawn.peek() || element.current === null) return undefined;
    return drawing.current?.request(element.current, () => {
      isDrawn.value = true;
    });
  }, []);

  return (
    <div class={isDrawn.value ? "row-group" : "row-group undrawn"} ref={element}>
      {isDrawn.value && group.rows.map((row) => <MessageRow key={row.key} row={row} store={store} />)}
    </div>
  );
});
