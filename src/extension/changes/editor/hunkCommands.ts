/** What threads, CodeLens rows and links do with one hunk. First argument: the hunk's id or its comment thread. */
export const hunkCommands = {
  accept: "arbor.hunk.accept",
  reject: "arbor.hunk.reject",
  rejectWhy: "arbor.hunk.rejectWhy",
  openDiff: "arbor.hunk.openDiff",
} as const;
