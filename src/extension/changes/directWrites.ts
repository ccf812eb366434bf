import type { ChangeStore } from "./changeStore.ts";
import type { Author, TrackedFile } from "./model/change.ts";
import { recordWrite, untouched } from "./model/trackedLines.ts";
import type { ReviewedWorkspace } from "./reviewedWorkspace.ts";
import type { ObservedChange } from "./rewind/checkpoints.ts";

interface DirectWritesParts {
  store: Pick<ChangeStore, "find">;
  workspace: Pick<ReviewedWorkspace, "read">;
  newId(): string;
  /** Offers the hunks to be kept or undone. */
  adopt(files: readonly TrackedFile[]): Promise<void>;
}

/** So much is compared of what an agent wrote directly. */
const maxFiles = 200;

/**
 * What an agent wrote directly to the disk becomes hunks of that agent, to be kept or undone one by one, like those that
 * were written for it. A file with hunks that wait already is left as it is: the author of a line would be unknown.
 */
export function directWrites({ store, workspace, newId, adopt }: DirectWritesParts) {
  return async (
    { agentIds, agentPath }: Pick<Author, "agentIds" | "agentPath">,
    changes: ReadonlyMap<string, ObservedChange>,
  ): Promise<void> => {
    const author: Author = { agentIds, agentPath, editId: newId() };
    const files: TrackedFile[] = [];
    for (const [path, { before, after }] of changes) {
      if (files.length >= maxFiles) break;
      if (before.isFolder === true || after?.isFolder === true || store.find(path) !== undefined) continue;
      const [old, now] = [textOf(before), after === undefined ? null : textOf(after)];
      // What is no text can be restored by a rewind only, and so can a file that was removed.
      if (old === null || now === null || now === undefined || old === now) continue;
      const languageId = await languageOf(workspace, path);
      const file = untouched(path, languageId, old ?? "");
      files.push(recordWrite(file, { ...(old !== undefined && { before: old }), after: now, author, newId }));
    }
    if (files.length > 0) await adopt(files);
  };
}

/** Undefined where there is no file, null for what is no text. */
function textOf({ bytes, unsaved }: ObservedChange["before"]): string | undefined | null {
  if (unsaved !== undefined) return unsaved;
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function languageOf(workspace: Pick<ReviewedWorkspace, "read">, path: string): Promise<string> {
  const content = await workspace.read(path, new AbortController().signal).catch(() => undefined);
  return content?.kind === "text" ? content.languageId : "";
}
