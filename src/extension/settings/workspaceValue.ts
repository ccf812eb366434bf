/** Where a workspace's value would decide what runs on this machine, or where a key is sent. */
const userOnly = new Set(["arbor.providers", "arbor.search.ripgrepPath"]);

const reviewKey = "arbor.edits.review";
/** Strictest first. */
const reviewModes = ["before", "after", "off"];

export interface SettingValues {
  user: unknown;
  workspace: unknown;
}

/**
 * What counts of a setting that the user and the workspace may both have. A workspace comes from anywhere, so it can't
 * set some at all, and with the review of edits it can only be stricter than the user.
 */
export function effectiveValue(key: string, { user, workspace }: SettingValues): unknown {
  if (userOnly.has(key) || workspace === undefined) return user;
  return key === reviewKey ? stricterReview(user, workspace) : workspace;
}

function stricterReview(user: unknown, workspace: unknown): unknown {
  const usersRank = reviewModes.indexOf(user === undefined ? "before" : String(user));
  const workspacesRank = reviewModes.indexOf(String(workspace));
  return workspacesRank >= 0 && workspacesRank < usersRank ? workspace : user;
}
