import { permissionModes } from "../../../protocol/modes.ts";
import { limitSetting, tighterLimit } from "./limitSettings.ts";

/** Where a workspace's value would decide what runs on this machine, or where a key is sent. */
const userOnly = new Set(["arbor.providers", "arbor.search.ripgrepPath", "arbor.trace.otlpEndpoint"]);

/** Values of the settings with which a workspace may only be stricter than the user, strictest first. */
const ranked: Readonly<Record<string, { values: readonly string[]; fallback: string }>> = {
  "arbor.edits.review": { values: ["before", "after", "off"], fallback: "before" },
  "arbor.permissions.mode": { values: permissionModes, fallback: "ask" },
};

export interface SettingValues {
  user: unknown;
  workspace: unknown;
}

/**
 * What counts of a setting that the user and the workspace may both have. A workspace comes from anywhere, so it can't
 * set some at all, and with others, limits among them, it can only be stricter than the user.
 */
export function effectiveValue(key: string, { user, workspace }: SettingValues): unknown {
  if (userOnly.has(key) || workspace === undefined) return user;
  const limit = limitSetting(key);
  if (limit !== undefined) return tighterLimit(limit, { user, workspace });
  const ranks = Object.hasOwn(ranked, key) ? ranked[key] : undefined;
  if (ranks === undefined) return workspace;
  const rankOf = (value: unknown) => ranks.values.indexOf(String(value));
  // A value of the user's that makes no sense counts as the default.
  const usersRank = rankOf(user) < 0 ? rankOf(ranks.fallback) : rankOf(user);
  const workspacesRank = rankOf(workspace);
  return workspacesRank >= 0 && workspacesRank < usersRank ? workspace : user;
}
