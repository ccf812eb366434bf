import { useEffect } from "preact/hooks";
import { approvalKey } from "../features/approvals/approvalKeys.ts";
import type { Store } from "./store.ts";

/** Keys that work wherever the focus is in the panel. What stands deeper has seen them first and may have kept them. */
export function usePanelKeys(store: Store): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.isComposing || event.defaultPrevented) return;
      if (event.key === "Escape") {
        onEscape(store);
        return;
      }
      store.isStopArmed.value = false;
      const decision = approvalKey(event);
      if (decision === undefined || !mayAnswer(store)) return;
      event.preventDefault();
      store.answerShown(decision);
    }

    /** On its way down: the editor's frame around the panel would hand the key on, and the editor search as well. */
    function onFind(event: KeyboardEvent): void {
      if (event.isComposing || !isFind(event)) return;
      event.preventDefault();
      event.stopPropagation();
      store.isStopArmed.value = false;
      store.findRequest.value = {};
    }

    function disarm(): void {
      store.isStopArmed.value = false;
    }

    window.addEventListener("keydown", onFind, { capture: true });
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("pointerdown", disarm);
    return () => {
      window.removeEventListener("keydown", onFind, { capture: true });
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("pointerdown", disarm);
    };
  }, [store]);
}

/** Closes what is open; with nothing to close the first press warns and the second stops. */
function onEscape(store: Store): void {
  if (store.history.isOpen.peek()) {
    store.closeHistory();
  } else if (store.isGaugeOpen.peek()) {
    store.isGaugeOpen.value = false;
  } else if (store.findRequest.peek() !== undefined) {
    store.findRequest.value = undefined;
  } else if (store.isStopArmed.peek()) {
    store.isStopArmed.value = false;
    store.post({ type: "stop" });
  } else {
    store.isStopArmed.value = store.isRunning.peek();
  }
}

function isFind(event: KeyboardEvent): boolean {
  return event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

/** Nobody who writes a message accepts an edit by the key that sends it. */
function mayAnswer(store: Store): boolean {
  return store.composer.isEmpty && store.hostState.peek().approvals.length > 0;
}
