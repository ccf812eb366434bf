import { useEffect } from "preact/hooks";

/** Text that ends in an ellipsis for want of room is told whole by a tooltip, as the editor's own lists do. */
export function useCutTextTitles(): void {
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

/** What has a tooltip of its own, or stands in something that has, needs none. */
function isCut(element: HTMLElement): boolean {
  return (
    element.scrollWidth > element.clientWidth &&
    element.closest("[title]") === null &&
    getComputedStyle(element).textOverflow === "ellipsis"
  );
}
