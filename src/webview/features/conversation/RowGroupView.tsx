import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { useKept } from "../../ui/useKept.ts";
import type { Drawing } from "./drawing.ts";
import { MessageRow } from "./MessageRow.tsx";
import type { RowGroup } from "./transcript.ts";

export interface RowGroupProps {
  group: RowGroup;
  /** Rows at its end that are drawn at once; the others when they come near the view or the browser is idle. */
  drawnAtFirst: number;
  drawing: RefObject<Drawing | undefined>;
  store: Store;
}

/** The unit of layout: the browser skips whole groups that are out of view. */
export function RowGroupView({ group, drawnAtFirst, drawing, store }: RowGroupProps) {
  /** Rows at its start that wait to be drawn. */
  const skipped = useSignal(Math.max(0, group.length - drawnAtFirst));
  const element = useRef<HTMLDivElement>(null);
  // What is to be found has to be there.
  const isSearched = store.findRequest.value !== undefined;
  if (isSearched) skipped.value = 0;
  const drawn = skipped.value === 0 ? group : group.slice(skipped.value);
  const rows = useKept(drawn, (row) => <MessageRow key={row.key} row={row} store={store} />);

  useEffect(() => {
    if (skipped.peek() === 0 || element.current === null) return undefined;
    return drawing.current?.request(element.current, () => {
      skipped.value = 0;
    });
  }, []);

  return (
    <div class={drawn.length > 0 ? "row-group" : "row-group undrawn"} ref={element}>
      {rows}
    </div>
  );
}
