import type { ReviewedWorkspace } from "../currentText.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** The workspace as agents write to it: what a file holds is kept before it is changed for the first time. */
export function checkpointed(
  workspace: ReviewedWorkspace,
  checkpoints: Pick<Checkpoints, "beforeChange">,
): ReviewedWorkspace {
  return {
    stat: (path) => workspace.stat(path),
    read: (path, signal) => workspace.read(path, signal),
    replace: async (path, replacements, version) => {
      await checkpoints.beforeChange([path]);
      return workspace.replace(path, replacements, version);
    },
    create: async (path, text) => {
      await checkpoints.beforeChange([path]);
      return workspace.create(path, text);
    },
    remove: async (path) => {
      await checkpoints.beforeChange([path]);
      await workspace.remove(path);
    },
    move: async (from, to) => {
      await checkpoints.beforeChange([from, to]);
      return workspace.move(from, to);
    },
  };
}
