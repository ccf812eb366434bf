import { useEffect } from "preact/hooks";
import { approvalKey } from "../features/approvals/approvals.ts";
import type { PanelModel } from "./panel.ts";

/** Keys that work wherever the focus is in the panel. Elements below have handled them first. */
export function usePanelKeys(panel: PanelModel): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.isComposing || event.defaultPrevented) return;
      if (event.key === "Escape") {
        onEscape(panel);
        return;
      }
      panel.isStopArmed.value = false;
      const decision = approvalKey(event);
      if (decision === undefined || !mayAnswer(panel)) return;
      event.preventDefault();
      panel.approvals.answerShown(decision);
    }

    /** On its way down: the editor's frame around the panel would hand the key on, and the editor search as well. */
    function onFind(event: KeyboardEvent): void {
      if (event.isComposing || !isFind(event)) return;
      event.preventDefault();
      event.stopPropagation();
      panel.isStopArmed.value = false;
      panel.find.open();
    }

    function disarm(): void {
      panel.isStopArmed.value = false;
    }

    window.addEventListener("keydown", onFind, { capture: true });
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("pointerdown", disarm);
    return () => {
      window.removeEventListener("keydown", onFind, { capture: true });
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("pointerdown", disarm);
    };
  }, [panel]);
}

/** Closes what is open; with nothing to close the first press warns and the second stops. */
function onEscape(panel: PanelModel): void {
  if (panel.history.isOpen.peek()) {
    panel.history.leave();
  } else if (panel.gauge.isOpen.peek()) {
    panel.gauge.isOpen.value = false;
  } else if (panel.find.request.peek() !== undefined) {
    panel.find.close();
  } else if (panel.isStopArmed.peek()) {
    panel.isStopArmed.value = false;
    panel.post({ type: "stop" });
  } else {
    panel.isStopArmed.value = panel.chat.isRunning.peek() || panel.chat.held.peek().length > 0;
  }
}

function isFind(event: KeyboardEvent): boolean {
  return event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

/** Who writes a message never accepts an edit by the key that sends it. */
function mayAnswer(panel: PanelModel): boolean {
  return panel.composer.draft.isEmpty && panel.approvals.pending.peek().length > 0;
}
