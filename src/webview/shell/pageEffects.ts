import type { RefObject } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Panel } from "./panel.ts";

const composer = () => document.querySelector<HTMLElement>("vscode-text-area");

/**
 * A button that was pressed often leaves with what it was part of: an answered card, a closed notice, Stop. The focus
 * then goes to the next thing that waits for an answer, or else to the composer, instead of to nowhere.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let focused: Element | null = null;
    const remember = (event: FocusEvent): void => {
      focused = event.target instanceof Element ? event.target : null;
    };
    const observer = new MutationObserver(() => {
      // The focus that is elsewhere in the editor stays there.
      if (focused === null || focused.isConnected || !document.hasFocus()) return;
      focused = null;
      if (document.activeElement !== document.body) return;
      const waiting = document.querySelector<HTMLElement>(".dock .approval");
      (waiting ?? composer())?.focus();
    });
    // The editor's command that goes to the view gives the page the focus, and nothing in it.
    const enter = (): void => {
      requestAnimationFrame(() => {
        if (document.hasFocus() && document.activeElement === document.body) composer()?.focus();
      });
    };
    window.addEventListener("focus", enter);
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      window.removeEventListener("focus", enter);
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}

/** When the user asks for what waits, the oldest of it is shown and gets the focus. */
export function usePendingFocus(panel: Panel, dock: RefObject<HTMLElement | null>): void {
  const request = panel.focusRequest.value;
  useLayoutEffect(() => {
    if (request?.target !== "waiting") return;
    panel.approvals.showOldest();
    // The card of the oldest may be drawn only now.
    panel.chat.timing.frame(() => dock.current?.querySelector<HTMLElement>(".approval")?.focus());
  }, [request]);
}

/** Text that ends in an ellipsis for want of room is shown whole by a tooltip, as the editor's own lists do. */
export function useFullTextTitles(): void {
  useEffect(() => {
    let titled: HTMLElement | undefined;

    function onPointerOver({ target }: PointerEvent): void {
      titled?.removeAttribute("title");
      titled = target instanceof HTMLElement && isCut(target) ? target : undefined;
      if (titled !== undefined) titled.title = (titled.textContent ?? "").trim();
    }

    document.addEventListener("pointerover", onPointerOver);
    return () => document.removeEventListener("pointerover", onPointerOver);
  }, []);
}

/** What has a tooltip of its own, or is in something that has, needs none. */
function isCut(element: HTMLElement): boolean {
  return (
    element.scrollWidth > element.clientWidth &&
    element.closest("[title]") === null &&
    getComputedStyle(element).textOverflow === "ellipsis"
  );
}
