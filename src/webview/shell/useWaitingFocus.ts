import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Store } from "./store.ts";

/** When the user asks for what waits, the oldest of it is shown and gets the focus. */
export function useWaitingFocus(store: Store, dock: RefObject<HTMLElement | null>): void {
  const request = store.focusRequest.value;
  useLayoutEffect(() => {
    if (request?.target !== "waiting") return;
    store.approvalIndex.value = 0;
    // The card of the oldest may be drawn only now.
    store.timing.frame(() => dock.current?.querySelector<HTMLElement>(".approval")?.focus());
  }, [request]);
}
