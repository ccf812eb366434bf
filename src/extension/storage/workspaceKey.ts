import { createHash } from "node:crypto";

/** What a window has open, as the editor names it. */
export interface OpenWorkspace {
  folders: readonly OpenUri[];
  /** The `.code-workspace` file; one that was never saved has the scheme `untitled`. */
  file?: OpenUri;
}

/** The part of the editor's `Uri` that counts here. */
export interface OpenUri {
  readonly scheme: string;
  readonly fsPath: string;
  toString(): string;
}

interface WorkspaceIdentity {
  /** 32 hexadecimal digits, as the name of a folder. */
  key: string;
  /** What the key was made of, for a person who looks into the folder. */
  description: { folders: string[] } | { workspaceFile: string };
}

/**
 * Which workspace a window works on, in whatever way it is opened. A saved `.code-workspace` file is one
 * whatever folders it has, so that its chats stay when a folder is added. All else is its folders in any order: a
 * folder is the same in a workspace that was duplicated into a second window and never saved. Without a folder all
 * windows are one. `realPath` follows links and gives names the case that they have on the disk; when it throws,
 * because the folder is not there, the path counts as it is.
 */
export function identifyWorkspace({ folders, file }: OpenWorkspace, realPath: (path: string) => string) {
  const nameOf = (uri: OpenUri) => (uri.scheme === "file" ? resolved(uri.fsPath, realPath) : uri.toString());
  const description: WorkspaceIdentity["description"] =
    file !== undefined && file.scheme !== "untitled"
      ? { workspaceFile: nameOf(file) }
      : { folders: [...new Set(folders.map(nameOf))].sort() };
  const key = createHash("sha256").update(JSON.stringify(description)).digest("hex").slice(0, 32);
  return { key, description } satisfies WorkspaceIdentity;
}

function resolved(path: string, realPath: (path: string) => string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}
