import type { ReviewedWorkspace } from "../reviewedWorkspace.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** The workspace as agents write to it: what a file holds is kept before each change, and what the change left. */
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
