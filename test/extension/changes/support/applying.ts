import { ChangeStore } from "../../../../src/extension/changes/changeStore.ts";
import type { ProposedChange } from "../../../../src/extension/changes/model/change.ts";
import { canUndo } from "../../../../src/extension/changes/model/undoHunks.ts";
import { type WrittenDependencies, WrittenReviews } from "../../../../src/extension/changes/writtenReviews.ts";
import { TextWorkspace } from "./textWorkspace.ts";

/** Edits that are written at once, over files in memory. An agent is named by its path, like "main/edit". */
export function applying(
  files: Record<string, string>,
  workspace = new TextWorkspace(files),
  history?: WrittenDependencies["history"],
) {
  const store = new ChangeStore();
  const abort = new AbortController();
  let count = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = queue.then(step);
    queue = done.catch(() => undefined);
    return done;
  };
  const saves = { onceSaved: async () => {}, onceIntended: async () => {} };
  const reviews = new WrittenReviews({
    ...{ store, workspace, inTurn, newId: () => `e${++count}` },
    ...{ onceSaved: () => saves.onceSaved(), onceIntended: () => saves.onceIntended() },
    ...(history === undefined ? {} : { history }),
  });
  /** By agent, what it works on. */
  const titles: Record<string, string> = {};
  const apply = (changes: ProposedChange[], agent = "main", isPending = true) => {
    const agentPath = agent.split("/");
    const name = agentPath.at(-1) ?? agent;
    const label = titles[name];
    const meta = { id: name, prefix: name, depth: agentPath.length - 1, ...(label !== undefined && { label }) };
    const proposal = { callId: "call", toolName: "edit_file", agent: meta, agentPath, changes };
    return reviews.apply(proposal, { agentIds: agentPath, isPending }, abort.signal);
  };
  /** An agent reads the file and replaces a part of it. */
  const edit = (path: string, from: string, to: string, agent?: string) => {
    const before = workspace.files.get(path) ?? "";
    if (!before.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}.`);
    return apply([{ path, before, after: before.replace(from, () => to) }], agent);
  };
  const type = (path: string, text: string) => {
    workspace.type(path, text);
    store.setText(path, text);
  };
  const textOf = (path: string) => workspace.files.get(path);
  const pending = () =>
    store.files.flatMap((file) =>
      file.hunks.map((hunk) => ({ path: file.path, hunk, isUndoable: canUndo(file, hunk) })),
    );
  return { workspace, store, reviews, titles, saves, abort, apply, edit, type, textOf, pending };
}
