/** What threads, CodeLens rows and links do with one proposed hunk. First argument: the hunk's id or its comment thread. */
export const hunkCommands = {
  accept: "arbor.hunk.accept",
  reject: "arbor.hunk.reject",
  rejectWhy: "arbor.hunk.rejectWhy",
  useAgent: "arbor.hunk.useAgent",
  keepMine: "arbor.hunk.keepMine",
  merge: "arbor.hunk.merge",
  openDiff: "arbor.hunk.openDiff",
} as const;

/** What CodeLens rows, hovers and the quick diff do with written hunks. First argument: the hunk's id, or see `hunksOf`. */
export const writtenCommands = {
  keep: "arbor.applied.keep",
  undo: "arbor.applied.undo",
} as const;
