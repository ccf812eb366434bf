import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import type { FileContent, RemovedFile, Workspace } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { Author, TrackedFile, WrittenHunk } from "./model/change.ts";
import { wholeFile } from "./model/diffLines.ts";
import { recordWrite, untouched } from "./model/trackedLines.ts";
import type { Checkpoints } from "./rewind/checkpoints.ts";

/** What a review does with the workspace. */
export type ReviewedWorkspace = Pick<Workspace, "stat" | "read" | "replace" | "create" | "remove" | "move">;

/** What the file holds now; undefined when it does not exist. */
export async function currentText(
  workspace: ReviewedWorkspace,
  path: string,
): Promise<Extract<FileContent, { kind: "text" }> | undefined> {
  if ((await workspace.stat(path)) === undefined) return undefined;
  // Reading one file is not worth stopping: what was accepted has to be reported even after an abort.
  const content = await workspace.read(path, new AbortController().signal);
  if (content.kind === "text") return content;
  throw new UserError(t("{0} is an image now, so no text can be changed in it. Reject the edit.", path));
}

interface Recording {
  store: Pick<ChangeStore, "find" | "put" | "setWrittenText">;
  workspace: ReviewedWorkspace;
  author: Author;
  newId(): string;
}

/** The workspace as one agent writes to it: each write is taken into the store as pending hunks of that agent. */
export function recordingWorkspace({ store, workspace, author, newId }: Recording): ReviewedWorkspace {
  const record = (file: TrackedFile, before?: string, after?: string, removed?: RemovedFile) => {
    const texts = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    store.put(recordWrite(file, { ...texts, removed, author, newId }));
  };
  /** What was typed while the write was under way was reported for the state before it. */
  const catchUp = async (path: string) => {
    const now = await currentText(workspace, path);
    if (now !== undefined) store.setWrittenText(path, now.text);
  };
  return {
    stat: (path) => workspace.stat(path),
    read: (path, signal) => workspace.read(path, signal),
    replace: async (path, replacements, version) => {
      const { file, text } = await stateOf(store, workspace, path);
      const written = await workspace.replace(path, replacements, version);
      // What formatting on save made of it belongs to the edit.
      record(file, text, written.text);
      await catchUp(path);
      return written;
    },
    create: async (path, text) => {
      const { file } = await stateOf(store, workspace, path);
      const written = await workspace.create(path, text);
      record(file, undefined, written.text);
      return written;
    },
    remove: async (path) => {
      const { file, text } = await stateOf(store, workspace, path);
      const removed = await workspace.remove(path);
      record(file, text, undefined, removed);
      return removed;
    },
    move: async (from, to) => {
      const file = await movable(store, workspace, from);
      const followed = await workspace.move(from, to);
      if (file === undefined) return followed;
      const move: WrittenHunk = { id: newId(), author, kind: "move", hunk: wholeFile("", ""), movedFrom: from };
      store.put({ ...file, hunks: [] });
      store.put({ ...file, path: to, hunks: [...file.hunks, move] });
      return followed;
    },
  };
}

/** The file as it is, in step with its text; a file that does not exist has none. */
async function stateOf(store: Recording["store"], workspace: ReviewedWorkspace, path: string) {
  const content = await currentText(workspace, path);
  const text = content?.text ?? "";
  store.setWrittenText(path, text);
  return { text, file: store.find(path) ?? untouched(path, content?.languageId ?? "", text) };
}

/** A file without text can be moved back only by hand. */
async function movable(store: Recording["store"], workspace: ReviewedWorkspace, path: string) {
  const content = await workspace.read(path, new AbortController().signal);
  return content.kind === "text" ? (await stateOf(store, workspace, path)).file : undefined;
}

/** The workspace as agents write to it: what a file holds is stored before each change, and what the change left. */
export function checkpointed(
  workspace: ReviewedWorkspace,
  checkpoints: Pick<Checkpoints, "beforeChange" | "afterChange">,
): ReviewedWorkspace {
  async function change<T>(
    paths: readonly string[],
    write: () => Promise<T>,
    textOf: (result: T) => string | undefined,
  ): Promise<T> {
    await checkpoints.beforeChange(paths);
    let text: string | undefined;
    try {
      const result = await write();
      text = textOf(result);
      return result;
    } finally {
      await checkpoints.afterChange(paths, text);
    }
  }
  return {
    stat: (path) => workspace.stat(path),
    read: (path, signal) => workspace.read(path, signal),
    replace: (path, replacements, version, options) =>
      change(
        [path],
        () => workspace.replace(path, replacements, version, options),
        ({ text }) => text,
      ),
    create: (path, text, removed) =>
      change(
        [path],
        () => workspace.create(path, text, removed),
        (written) => written.text,
      ),
    remove: (path) =>
      change(
        [path],
        () => workspace.remove(path),
        () => undefined,
      ),
    move: (from, to) =>
      change(
        [from, to],
        () => workspace.move(from, to),
        () => undefined,
      ),
  };
}
