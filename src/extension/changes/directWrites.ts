import type { RemovedFile } from "../workspace/workspace.ts";
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
 * were written for it; a file that it removed is one hunk. Gives the files that have none: one that is no text, one with
 * hunks that wait already, since the author of a line would be unknown, and those of too many.
 */
export function directWrites({ store, workspace, newId, adopt }: DirectWritesParts) {
  return async (
    { agentIds, agentPath }: Pick<Author, "agentIds" | "agentPath">,
    changes: ReadonlyMap<string, ObservedChange>,
  ): Promise<string[]> => {
    const author: Author = { agentIds, agentPath, editId: newId() };
    const files: TrackedFile[] = [];
    const others: string[] = [];
    for (const [path, { before, after }] of changes) {
      if (before.isFolder === true || after?.isFolder === true) continue;
      const [old, now] = [textOf(before), after === undefined ? null : textOf(after)];
      if (old === now && old !== null) continue;
      if (old === null || now === null || files.length >= maxFiles || store.find(path) !== undefined) {
        others.push(path);
        continue;
      }
      const file = untouched(path, await languageOf(workspace, path), old ?? "");
      const texts = { ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) };
      const removed = now === undefined ? removedFile(before) : undefined;
      files.push(recordWrite(file, { ...texts, removed, author, newId }));
    }
    if (files.length > 0) await adopt(files);
    return others;
  };
}

function removedFile({ bytes, mode }: ObservedChange["before"]): RemovedFile | undefined {
  return bytes && { bytes: Buffer.from(bytes).toString("base64"), ...(mode !== undefined && { mode }) };
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
