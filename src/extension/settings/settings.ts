import { t } from "@vscode/l10n";
import * as z from "zod";
import { type PermissionMode, permissionModes } from "../../protocol/modes.ts";
import { type ProviderSettings, parseProviders, type SettingProblem } from "./providerSettings.ts";

/** Arbor's settings, checked. Models are written `provider/model-id`. */
export interface ArborSettings {
  model: string;
  /** The user chose a model; false while the default stands in. */
  modelChosen: boolean;
  /** "" means the model of the agent that delegates. */
  subAgentModel: string;
  providers: Record<string, ProviderSettings>;
  limits: Limits;
  /** The ripgrep to use; "" means the editor's own. */
  ripgrepPath: string;
  /** When edits are reviewed: before they are written, after, or not at all. */
  editReview: EditReviewSetting;
  /** What agents may do unasked. */
  permissionMode: PermissionMode;
  /** Share of the context window from which a conversation is summarized; 0 leaves it to the user. */
  compactionThreshold: number;
  trace: TraceSettings;
}

interface TraceSettings {
  enabled: boolean;
  /** Of an OTLP/HTTP collector; "" sends nothing. */
  otlpEndpoint: string;
}

type EditReviewSetting = "before" | "after" | "off";

/** Limits of one run of the whole tree. */
interface Limits {
  maxTurns: number;
  /** USD; 0 means none. */
  maxCost: number;
  /** 0 means that no agent may delegate. */
  maxDepth: number;
  maxParallelAgents: number;
}

export type { ModelSettings, ProviderSettings, SettingProblem } from "./providerSettings.ts";

const count = (least: number, most: number) =>
  z
    .int({ error: () => t("has to be a whole number") })
    .min(least, { error: () => t("can't be less than {0}", least) })
    .max(most, { error: () => t("can't be more than {0}", most) });

/** Name, check and default of each limit of a run. */
const limitSettings = {
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

const modelName = z
  .string({ error: () => t("has to be text like provider/model-id") })
  .trim()
  .regex(/^[\w.-]+\/\S+$/, { error: () => t("has to look like provider/model-id") });

const modelOrEmpty = { error: () => t("has to be empty or look like provider/model-id") };

/** Name, check and default of each setting but `arbor.providers`, whose entries are judged one by one. */
const plainSettings = {
  model: { key: "arbor.model", schema: modelName, fallback: "demo/demo" },
  subAgentModel: {
    key: "arbor.subAgentModel",
    schema: z.union([z.literal(""), modelName], modelOrEmpty),
    fallback: "",
  },
  ...limitSettings,
  ripgrepPath: {
    key: "arbor.search.ripgrepPath",
    schema: z.string({ error: () => t("has to be a path") }).trim(),
    fallback: "",
  },
  editReview: {
    key: "arbor.edits.review",
    schema: z.enum(["before", "after", "off"], { error: () => t('has to be "before", "after" or "off"') }),
    fallback: "before",
  },
  permissionMode: {
    key: "arbor.permissions.mode",
    schema: z.enum(permissionModes, { error: () => t('has to be "ask", "auto-edit" or "plan"') }),
    fallback: "ask",
  },
  compactionThreshold: {
    key: "arbor.compaction.threshold",
    schema: z
      .number({ error: () => t("has to be a number from 0 to 1") })
      .min(0, { error: () => t("can't be negative") })
      .max(1, { error: () => t("can't be more than {0}", 1) }),
    fallback: 0.8,
  },
  traceEnabled: {
    key: "arbor.trace.enabled",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: false,
  },
  traceEndpoint: {
    key: "arbor.trace.otlpEndpoint",
    schema: z.union([z.literal(""), z.url({ protocol: /^https?$/ })], {
      error: () => t("has to be empty or an http or https URL"),
    }),
    fallback: "",
  },
} as const;

/** The full names of all settings that Arbor reads. */
export const settingKeys: readonly string[] = [
  ...Object.values(plainSettings).map((setting) => setting.key),
  "arbor.providers",
];

/**
 * Checks settings given by their full names; one that is absent has its default. A value that makes no sense is named
 * in a problem and its default used.
 */
export function parseSettings(raw: Readonly<Record<string, unknown>>): {
  settings: ArborSettings;
  problems: SettingProblem[];
} {
  const problems: SettingProblem[] = [];

  function read<T>(setting: { key: string; schema: z.ZodType<T>; fallback: T }): T {
    const value = raw[setting.key];
    if (value === undefined || value === null) return setting.fallback;
    const parsed = setting.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push({ key: setting.key, message: parsed.error.issues[0]?.message ?? t("makes no sense") });
    return setting.fallback;
  }

  const model = read<string>(plainSettings.model);
  const rawProviders = parseProviders(raw["arbor.providers"] ?? {});
  const settings: ArborSettings = {
    model,
    modelChosen: modelName.safeParse(raw[plainSettings.model.key]).success,
    subAgentModel: read<string>(plainSettings.subAgentModel),
    providers: rawProviders.providers,
    limits: {
      maxTurns: read<number>(plainSettings.maxTurns),
      maxCost: read<number>(plainSettings.maxCost),
      maxDepth: read<number>(plainSettings.maxDepth),
      maxParallelAgents: read<number>(plainSettings.maxParallelAgents),
    },
    ripgrepPath: read<string>(plainSettings.ripgrepPath),
    editReview: read<EditReviewSetting>(plainSettings.editReview),
    permissionMode: read<PermissionMode>(plainSettings.permissionMode),
    compactionThreshold: read<number>(plainSettings.compactionThreshold),
    trace: {
      enabled: read<boolean>(plainSettings.traceEnabled),
      otlpEndpoint: read<string>(plainSettings.traceEndpoint),
    },
  };
  return { settings, problems: [...problems, ...rawProviders.problems] };
}

/** A problem as a sentence for the user. */
export function describeSettingProblem({ key, message }: SettingProblem): string {
  return t("The setting {0} {1}; until it is changed, its default is used.", key, message);
}

type LimitSetting = (typeof limitSettings)[keyof typeof limitSettings];

/** The limit that a setting is; undefined for other settings. */
function limitSetting(key: string): LimitSetting | undefined {
  return Object.values(limitSettings).find((limit) => limit.key === key);
}

/** The value of a limit that counts: the workspace's where it makes sense and is tighter, else the user's. */
function tighterLimit(limit: LimitSetting, { user, workspace }: { user: unknown; workspace: unknown }): unknown {
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
