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

/** Whether what is dragged over the page could be attached; what it holds is told only when it is dropped. */
export function canTake(data: DataTransfer): boolean {
  return ["Files", "application/vnd.code.uri-list", "text/uri-list"].some((type) => data.types.includes(type));
}
