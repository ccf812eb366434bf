import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import type { FileContent, RemovedFile, Workspace } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { Author, WrittenFile, WrittenHunk } from "./model/change.ts";
import { wholeFile } from "./model/diffLines.ts";
import { recordWrite, untouched } from "./model/trackedLines.ts";

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
  store: Pick<ChangeStore, "find" | "put" | "setText">;
  workspace: ReviewedWorkspace;
  author: Author;
  newId(): string;
}

/** The workspace as one agent writes to it: each write is taken into the store as pending hunks of that agent. */
export function recordingWorkspace({ store, workspace, author, newId }: Recording): ReviewedWorkspace {
  const record = (file: WrittenFile, before?: string, after?: string, removed?: RemovedFile) => {
    const texts = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    store.put(recordWrite(file, { ...texts, removed, author, newId }));
  };
  /** What was typed while the write was under way was reported for the state before it. */
  const catchUp = async (path: string) => {
    const now = await currentText(workspace, path);
    if (now !== undefined) store.setText(path, now.text);
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
  store.setText(path, text);
  return { text, file: store.find(path) ?? untouched(path, content?.languageId ?? "", text) };
}

/** A file without text can be moved back only by hand. */
async function movable(store: Recording["store"], workspace: ReviewedWorkspace, path: string) {
  const content = await workspace.read(path, new AbortController().signal);
  return content.kind === "text" ? (await stateOf(store, workspace, path)).file : undefined;
}
