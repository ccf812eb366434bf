/** What CodeLens rows, hovers and the quick diff do with pending hunks. First argument: the hunk's id, or see `hunkOfChange`. */
export const appliedCommands = {
  keep: "arbor.applied.keep",
  undo: "arbor.applied.undo",
} as const;
