import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { canTake, type Transferred, transferred } from "./transfer.ts";

/** Takes what is dropped anywhere in the panel; true while something that could be taken is over it. */
export function useDrop(take: (given: Transferred) => void): boolean {
  const isOver = useSignal(false);
  useEffect(() => {
    function onDragOver(event: DragEvent): void {
      if (event.dataTransfer === null || !canTake(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      isOver.value = true;
    }
    function onDragLeave(event: DragEvent): void {
      if (event.relatedTarget === null) isOver.value = false;
    }
    function onDrop(event: DragEvent): void {
      isOver.value = false;
      const given = event.dataTransfer === null ? undefined : transferred(event.dataTransfer);
      // Words fall where they are dropped, as everywhere.
      if (given === undefined || given.kind === "text") return;
      event.preventDefault();
      take(given);
    }
    document.addEventListener("dragover", onDragOver);
    document.addEventListener("dragleave", onDragLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onDragOver);
      document.removeEventListener("dragleave", onDragLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, [take]);
  return isOver.value;
}
