import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RowGroup } from "../state/transcript.ts";
import type { Store } from "../store.ts";
import { useKept } from "../ui/useKept.ts";
import type { Drawing } from "./drawing.ts";
import { MessageRow } from "./MessageRow.tsx";

export interface RowGroupProps {
  group: RowGroup;
  /** Drawn at once; others when they come near the view or the browser is idle. */
  isNear: boolean;
  drawing: RefObject<Drawing | undefined>;
  store: Store;
}

const noRows: RowGroup = [];

/** The unit of layout: the browser skips whole groups that are out of view. */
export function RowGroupView({ group, isNear, drawing, store }: RowGroupProps) {
  const isDrawn = useSignal(isNear);
  const element = useRef<HTMLDivElement>(null);
  // What is to be found has to be there.
  const isSearched = store.findRequest.value !== undefined;
  if (isSearched) isDrawn.value = true;
  const rows = useKept(isDrawn.value ? group : noRows, (row) => <MessageRow key={row.key} row={row} store={store} />);

  useEffect(() => {
    if (isDrawn.peek() || element.current === null) return undefined;
    return drawing.current?.request(element.current, () => {
      isDrawn.value = true;
    });
  }, []);

  return (
    <div class={isDrawn.value ? "row-group" : "row-group undrawn"} ref={element}>
      {rows}
    </div>
  );
}
