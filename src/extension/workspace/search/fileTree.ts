/** The files below one root as walks see them; paths are relative to it, "" is the root. */
export interface FileTree {
  /** Empty for what is not a folder or can't be read. */
  entries(folder: string): Promise<readonly TreeEntry[]>;
  /** Absent for what is not a text file, and with `isListed` for one that has become a link since it was listed. */
  readText(path: string, options?: { isListed: boolean }): Promise<string | undefined>;
  /** milliseconds since the epoch; 0 when it is gone */
  modifiedAt(path: string): Promise<number>;
}

/** A link is listed, never followed: it may lead outside or round in a circle. */
export interface TreeEntry {
  name: string;
  kind: "file" | "directory" | "link";
}

export function joinPath(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Where a path leads once `from`, itself or a folder above it, is at `to`; undefined for any other path. */
export function movedWith(path: string, from: string, to: string): string | undefined {
  return path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : undefined;
}

/** "" and every folder down to the path's own, and the path itself, which is the last. */
export function pathsDownTo(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}
