import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What was pasted or dropped, as far as something can be made of it. */
export type Transferred =
  /** Addresses of files, which only the host can judge. */
  { kind: "uris"; uris: string[] } | { kind: "files"; files: File[] } | { kind: "text"; text: string };

/** Addresses of the web are text, not files. */
const notFiles = /^(?:https?|data|blob|mailto|javascript):/i;

/**
 * What a paste or a drop brought. Words win over a picture of them, which spreadsheets bring along; files of the editor's
 * own explorer come as addresses.
 */
export function transferred(data: DataTransfer): Transferred | undefined {
  const uris = urisIn(data);
  if (uris.length > 0) return { kind: "uris", uris };
  const text = data.getData("text/plain");
  if (text !== "") return { kind: "text", text };
  const files = [...data.files];
  return files.length === 0 ? undefined : { kind: "files", files };
}

function urisIn(data: DataTransfer): string[] {
  const listed = data.getData("application/vnd.code.uri-list") || data.getData("text/uri-list");
  return listed
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && /^[a-z][a-z0-9+.-]*:/i.test(line) && !notFiles.test(line))
    .slice(0, 50);
}

/** Whether what is dragged over the page could be attached; what it holds is known only when it is dropped. */
function canAttach(data: DataTransfer): boolean {
  return ["Files", "application/vnd.code.uri-list", "text/uri-list"].some((type) => data.types.includes(type));
}

/** Attaches what is dropped anywhere in the panel; true while something that could be attached is over it. */
export function useDrop(attach: (brought: Transferred) => void): boolean {
  const isOver = useSignal(false);
  useEffect(() => {
    function onDragOver(event: DragEvent): void {
      if (event.dataTransfer === null || !canAttach(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      isOver.value = true;
    }
    function onDragLeave(event: DragEvent): void {
      if (event.relatedTarget === null) isOver.value = false;
    }
    function onDrop(event: DragEvent): void {
      isOver.value = false;
      const brought = event.dataTransfer === null ? undefined : transferred(event.dataTransfer);
      // Text is inserted where it is dropped, as everywhere.
      if (brought === undefined || brought.kind === "text") return;
      event.preventDefault();
      attach(brought);
    }
    document.addEventListener("dragover", onDragOver);
    document.addEventListener("dragleave", onDragLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onDragOver);
      document.removeEventListener("dragleave", onDragLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, [attach]);
  return isOver.value;
}
