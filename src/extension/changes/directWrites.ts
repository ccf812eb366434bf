import type { RemovedFile } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { Author, TrackedFile } from "./model/change.ts";
import { recordWrite, untouched } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import type { ReviewedWorkspace } from "./reviewedWorkspace.ts";
import type { KnownWrites, ObservedChange } from "./rewind/checkpoints.ts";

interface DirectWritesParts {
  store: Pick<ChangeStore, "find">;
  workspace: Pick<ReviewedWorkspace, "read">;
  newId(): string;
  /** Offers the hunks to be kept or undone. */
  adopt(files: readonly TrackedFile[]): Promise<void>;
}

/** Undefined where there is no file. */
type Text = string | undefined;

/** So much is compared of what an agent wrote directly. */
const maxFiles = 200;

/**
 * What an agent wrote directly to the disk becomes hunks of that agent, to be kept or undone one by one, like those that
 * were written for it; a file that it removed is one hunk. What is known to be written by others meanwhile is theirs.
 * Gives the files that have none: one that is no text, one with hunks that wait already, since the author of a line would
 * be unknown, and those of too many.
 */
export function directWrites({ store, workspace, newId, adopt }: DirectWritesParts) {
  return async (
    { agentIds, agentPath }: Pick<Author, "agentIds" | "agentPath">,
    changes: ReadonlyMap<string, ObservedChange>,
    knownWrites: ReadonlyMap<string, KnownWrites> = new Map(),
  ): Promise<string[]> => {
    const author: Author = { agentIds, agentPath, editId: newId() };
    const files: TrackedFile[] = [];
    const others: string[] = [];
    for (const [path, change] of changes) {
      const { before, after } = change;
      const known = knownWrites.get(path);
      if (before.isFolder === true || after?.isFolder === true || known?.isAll === true) continue;
      const steps = stepsOf(change, known?.writes ?? []);
      if (steps?.every(({ from, to }) => from === to)) continue;
      if (steps === undefined || files.length >= maxFiles || store.find(path) !== undefined) {
        others.push(path);
        continue;
      }
      const start = untouched(path, await languageOf(workspace, path), steps[0]?.from ?? "");
      const file = steps.reduce((current, { from, to, isOther }) => {
        if (from === to) return current;
        if (isOther) return typeInto(current, to ?? "");
        const texts = { ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) };
        const removed = to === undefined ? removedFile(before) : undefined;
        return recordWrite(current, { ...texts, removed, author, newId });
      }, start);
      if (file.hunks.length > 0) files.push(file);
    }
    if (files.length > 0) await adopt(files);
    return others;
  };
}

interface Step {
  from: Text;
  to: Text;
  /** By somebody else. */
  isOther: boolean;
}

/** How a file came from what it was to what it is; undefined where one of it is no text, or not known. */
function stepsOf({ before, after }: ObservedChange, writes: readonly ObservedChange[]): Step[] | undefined {
  const texts = [before, ...writes.flatMap((write) => [write.before, write.after]), after].map(
    (image) => image && { text: textOf(image) },
  );
  const steps: Step[] = [];
  for (const [index, next] of texts.slice(1).entries()) {
    const last = texts[index];
    if (last === undefined || next === undefined || last.text === null || next.text === null) return undefined;
    steps.push({ from: last.text, to: next.text, isOther: index % 2 === 1 });
  }
  return steps;
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
