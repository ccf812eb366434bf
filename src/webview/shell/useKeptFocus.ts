import { useEffect } from "preact/hooks";

const composer = () => document.querySelector<HTMLElement>("vscode-text-area");

/**
 * A button that was pressed often leaves with what it was part of: an answered card, a closed notice, Stop. The focus
 * then goes to the next thing that waits for an answer, or else to the composer, instead of to nowhere.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    const keep = (event: FocusEvent): void => {
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
    document.addEventListener("focusin", keep);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      window.removeEventListener("focus", enter);
      document.removeEventListener("focusin", keep);
      observer.disconnect();
    };
  }, []);
}
