import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import { NothingWritten } from "../workspace/fileProblems.ts";
import type { FileContent, ReadOptions, Replacement, Workspace, WriteResult } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { Author, WrittenHunk } from "./model/change.ts";
import { wholeFile } from "./model/diffLines.ts";
import { type AgentWrite, liveText, recordWrite, untouched } from "./model/trackedLines.ts";
import type { Checkpoints } from "./rewind/checkpoints.ts";

type TextContent = Extract<FileContent, { kind: "text" }>;

/** What a review does with the workspace. */
export interface ReviewedWorkspace extends Pick<Workspace, "stat" | "read" | "create" | "remove" | "move"> {
  /** `read`: the text with this version, so that it need not be read again. */
  replace(
    path: string,
    replacements: readonly Replacement[],
    version?: string,
    options?: { isExact?: boolean; read?: TextContent },
  ): Promise<WriteResult>;
  /** As agents write to it, named by their ids from the root agent down. Absent where no writes are attributed. */
  by?(agentIds: readonly string[]): ReviewedWorkspace;
}

/** What the file holds now; undefined when it does not exist. */
export async function currentText(
  workspace: ReviewedWorkspace,
  path: string,
  options?: ReadOptions,
): Promise<TextContent | undefined> {
  if ((await workspace.stat(path)) === undefined) return undefined;
  // Reading one file is not worth stopping: what was accepted has to be reported even after an abort.
  const content = await workspace.read(path, new AbortController().signal, options);
  if (content.kind === "text") return content;
  throw new UserError(t("{0} is an image now, so no text can be changed in it. Reject the edit.", path));
}

/** What follows the hunks that agents write. */
export type RecordingStore = Pick<ChangeStore, "find" | "put" | "setWrittenText">;

interface Recording {
  stores: readonly RecordingStore[];
  workspace: ReviewedWorkspace;
  author: Author;
  newId(): string;
}

/** The workspace as one agent writes to it: the stores record each write as hunks of that agent, with the same ids. */
export function recordingWorkspace({ stores, workspace: all, author, newId }: Recording): ReviewedWorkspace {
  const workspace = all.by?.(author.agentIds) ?? all;
  /** The file in each store, in step with its text; a file that does not exist has none. */
  const stateOf = async (path: string, read?: TextContent) => {
    const content = read !== undefined && isInStep(path, read) ? read : await currentText(workspace, path);
    const text = content?.text ?? "";
    const files = stores.map((store) => {
      store.setWrittenText(path, text);
      return { store, file: store.find(path) ?? untouched(path, content?.languageId ?? "", text) };
    });
    return { text, files };
  };
  /** A text that was read before something was reported of the file is asked for again. */
  const isInStep = (path: string, { text }: TextContent) =>
    stores.every((store) => {
      const file = store.find(path);
      return file === undefined || liveText(file) === text;
    });
  const record = (files: Awaited<ReturnType<typeof stateOf>>["files"], write: Omit<AgentWrite, "author" | "newId">) => {
    const ids: string[] = [];
    for (const { store, file } of files) {
      let at = 0;
      const nextId = () => {
        const id = ids[at] ?? newId();
        ids[at++] = id;
        return id;
      };
      store.put(recordWrite(file, { ...write, author, newId: nextId }));
    }
  };
  return {
    stat: (path) => workspace.stat(path),
    read: (...args) => workspace.read(...args),
    replace: async (path, replacements, version, options) => {
      // What has another version by now is refused.
      const read = version === undefined ? undefined : options?.read;
      const { files, text } = await stateOf(path, read);
      const written = await workspace.replace(path, replacements, version);
      // What formatting on save made of it belongs to the edit.
      record(files, { before: text, after: written.text });
      // What was typed while the write was under way was reported for the state before it; what was not yet, comes.
      const now = await currentText(workspace, path, { asReported: true });
      if (now !== undefined) for (const store of stores) store.setWrittenText(path, now.text);
      return written;
    },
    create: async (path, text) => {
      const { files } = await stateOf(path);
      const written = await workspace.create(path, text);
      record(files, { after: written.text });
      return written;
    },
    remove: async (path) => {
      const { files, text } = await stateOf(path);
      const removed = await workspace.remove(path);
      record(files, { before: text, removed });
      return removed;
    },
    move: async (from, to) => {
      // A file without text can be moved back only by hand.
      const isText = (await workspace.read(from, new AbortController().signal)).kind === "text";
      const { files } = isText ? await stateOf(from) : { files: [] };
      const followed = await workspace.move(from, to);
      const move: WrittenHunk = { id: newId(), author, kind: "move", hunk: wholeFile("", ""), movedFrom: from };
      for (const { store, file } of files) {
        store.put({ ...file, hunks: [] });
        store.put({ ...file, path: to, hunks: [...file.hunks, move] });
      }
      return followed;
    },
  };
}

/** The workspace as agents write to it: what a file holds is stored before each change, and what the change left. */
export function checkpointed(
  workspace: ReviewedWorkspace,
  checkpoints: Pick<Checkpoints, "beforeChange" | "afterChange" | "afterRefusal">,
  by: readonly string[] = [],
): ReviewedWorkspace {
  async function change<T>(
    paths: readonly string[],
    write: () => Promise<T>,
    textOf: (result: T) => string | undefined,
    isMove = false,
  ): Promise<T> {
    await checkpoints.beforeChange(paths, by, isMove);
    let result: T;
    try {
      result = await write();
    } catch (error) {
      if (error instanceof NothingWritten) await checkpoints.afterRefusal(paths);
      else await checkpoints.afterChange(paths);
      throw error;
    }
    await checkpoints.afterChange(paths, textOf(result));
    return result;
  }
  return {
    stat: (path) => workspace.stat(path),
    read: (...args) => workspace.read(...args),
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
        true,
      ),
    by: (agentIds) => checkpointed(workspace, checkpoints, agentIds),
  };
}
