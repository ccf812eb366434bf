import { t } from "@vscode/l10n";
import * as z from "zod";

const count = (least: number, most: number) =>
  z
    .int({ error: () => t("has to be a whole number") })
    .min(least, { error: () => t("can't be less than {0}", least) })
    .max(most, { error: () => t("can't be more than {0}", most) });

/** Name, check and default of each limit of a run. */
export const limitSettings = {
  maxTurns: { key: "arbor.limits.maxTurns", schema: count(1, 10_000), fallback: 100 },
  maxCost: {
    key: "arbor.limits.maxCost",
    schema: z
      .number({ error: () => t("has to be a number: USD") })
      .nonnegative({ error: () => t("can't be negative") }),
    fallback: 0,
  },
  maxDepth: { key: "arbor.limits.maxDepth", schema: count(0, 10), fallback: 3 },
  maxParallelAgents: { key: "arbor.limits.maxParallelAgents", schema: count(1, 64), fallback: 8 },
} as const;

type LimitSetting = (typeof limitSettings)[keyof typeof limitSettings];

/** The limit that a setting is; undefined for other settings. */
export function limitSetting(key: string): LimitSetting | undefined {
  return Object.values(limitSettings).find((limit) => limit.key === key);
}

/** The value of a limit that counts: the workspace's where it makes sense and is tighter, else the user's. */
export function tighterLimit(limit: LimitSetting, { user, workspace }: { user: unknown; workspace: unknown }): unknown {
  const theirs = limit.schema.safeParse(workspace);
  if (!theirs.success) return user;
  const own = limit.schema.safeParse(user);
  // A value of the user's that makes no sense counts as the default.
  const users = own.success ? own.data : limit.fallback;
  return reach(limit, theirs.data) < reach(limit, users) ? workspace : user;
}

function reach({ key }: LimitSetting, value: number): number {
  // A cost of 0 sets no limit.
  return key === limitSettings.maxCost.key && value === 0 ? Number.POSITIVE_INFINITY : value;
}
