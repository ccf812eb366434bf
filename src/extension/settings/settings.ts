import { t } from "@vscode/l10n";
import * as z from "zod";
import { type PermissionMode, permissionModes } from "../../protocol/modes.ts";
import { type ModelsSettings, parseProviders, type SettingProblem } from "../models/providerSettings.ts";

/** Arbor's settings, checked. Models are written `provider/model-id`. */
export interface ArborSettings extends ModelsSettings {
  limits: Limits;
  /** The ripgrep to use; "" means the editor's own. */
  ripgrepPath: string;
  /** When edits are reviewed: before they are written, after, or not at all. */
  editReview: EditReviewSetting;
  /** What agents may do unasked. */
  permissionMode: PermissionMode;
  /** Where commands run. */
  commandSandbox: SandboxSetting;
  /** Share of the context window from which a conversation is summarized; 0 leaves it to the user. */
  compactionThreshold: number;
  /** Whether a message says what the user has open. */
  sendsEditorState: boolean;
  trace: TraceSettings;
}

interface TraceSettings {
  enabled: boolean;
  /** Of an OTLP/HTTP collector; "" sends nothing. */
  otlpEndpoint: string;
}

type EditReviewSetting = (typeof editReviews)[number];

/** In the sandbox where it works, in the sandbox or not at all, or with all rights of the editor. */
export type SandboxSetting = (typeof sandboxSettings)[number];
const sandboxSettings = ["auto", "required", "off"] as const;

/** Limits of one run of the whole tree. */
interface Limits {
  maxTurns: number;
  /** USD; 0 means none. */
  maxCost: number;
  /** 0 means that no agent may delegate. */
  maxDepth: number;
  maxParallelAgents: number;
}

interface SettingDefinition<T> {
  /** Its full name. */
  key: string;
  schema: z.ZodType<T>;
  fallback: T;
  /**
   * What a workspace's value counts for, since a workspace comes from anywhere. "nothing": it would decide what runs on
   * this machine, or where a key is sent. A function: it counts where it is stricter than the user's, that is, where
   * the function gives less for it. Absent: it counts as it is.
   */
  inWorkspace?: "nothing" | ((value: T) => number);
}

interface Setting<T> extends SettingDefinition<T> {
  /** What counts where the user and the workspace may both have a value. */
  effective(values: SettingValues): unknown;
}

export interface SettingValues {
  user: unknown;
  workspace: unknown;
}

function defineSetting<T>(definition: SettingDefinition<T>): Setting<T> {
  const { schema, fallback, inWorkspace } = definition;
  return {
    ...definition,
    effective({ user, workspace }) {
      if (workspace === undefined || inWorkspace === "nothing") return user;
      if (inWorkspace === undefined) return workspace;
      const theirs = schema.safeParse(workspace);
      if (!theirs.success) return user;
      const own = schema.safeParse(user);
      // A value of the user's that makes no sense counts as the default.
      return inWorkspace(theirs.data) < inWorkspace(own.success ? own.data : fallback) ? workspace : user;
    },
  };
}

const wholeNumber = (least: number, most: number) =>
  z
    .int({ error: () => t("has to be a whole number") })
    .min(least, { error: () => t("can't be less than {0}", least) })
    .max(most, { error: () => t("can't be more than {0}", most) });

const modelName = z
  .string({ error: () => t("has to be text like provider/model-id") })
  .trim()
  .regex(/^[\w.-]+\/\S+$/, { error: () => t("has to look like provider/model-id") });

const modelOrEmpty = { error: () => t("has to be empty or look like provider/model-id") };

/** Strictest first. */
const editReviews = ["before", "after", "off"] as const;

/** Each setting but `arbor.providers`, whose entries are judged one by one. */
const plainSettings = {
  model: defineSetting<string>({ key: "arbor.model", schema: modelName, fallback: "demo/demo" }),
  subAgentModel: defineSetting<string>({
    key: "arbor.subAgentModel",
    schema: z.union([z.literal(""), modelName], modelOrEmpty),
    fallback: "",
  }),
  maxTurns: defineSetting<number>({
    key: "arbor.limits.maxTurns",
    schema: wholeNumber(1, 10_000),
    fallback: 100,
    inWorkspace: Number,
  }),
  maxCost: defineSetting<number>({
    key: "arbor.limits.maxCost",
    schema: z
      .number({ error: () => t("has to be a number: USD") })
      .nonnegative({ error: () => t("can't be negative") }),
    fallback: 0,
    // A cost of 0 sets no limit.
    inWorkspace: (cost) => (cost === 0 ? Number.POSITIVE_INFINITY : cost),
  }),
  maxDepth: defineSetting<number>({
    key: "arbor.limits.maxDepth",
    schema: wholeNumber(0, 10),
    fallback: 3,
    inWorkspace: Number,
  }),
  maxParallelAgents: defineSetting<number>({
    key: "arbor.limits.maxParallelAgents",
    schema: wholeNumber(1, 64),
    fallback: 8,
    inWorkspace: Number,
  }),
  ripgrepPath: defineSetting<string>({
    key: "arbor.search.ripgrepPath",
    schema: z.string({ error: () => t("has to be a path") }).trim(),
    fallback: "",
    inWorkspace: "nothing",
  }),
  editReview: defineSetting<EditReviewSetting>({
    key: "arbor.edits.review",
    schema: z.enum(editReviews, { error: () => t('has to be "before", "after" or "off"') }),
    fallback: "before",
    inWorkspace: (review) => editReviews.indexOf(review),
  }),
  permissionMode: defineSetting<PermissionMode>({
    key: "arbor.permissions.mode",
    schema: z.enum(permissionModes, { error: () => t('has to be "ask", "auto-edit" or "plan"') }),
    fallback: "ask",
    inWorkspace: (mode) => permissionModes.indexOf(mode),
  }),
  commandSandbox: defineSetting<SandboxSetting>({
    key: "arbor.commands.sandbox",
    schema: z.enum(sandboxSettings, { error: () => t('has to be "auto", "required" or "off"') }),
    fallback: "auto",
    inWorkspace: "nothing",
  }),
  compactionThreshold: defineSetting<number>({
    key: "arbor.compaction.threshold",
    schema: z
      .number({ error: () => t("has to be a number from 0 to 1") })
      .min(0, { error: () => t("can't be negative") })
      .max(1, { error: () => t("can't be more than {0}", 1) }),
    fallback: 0.8,
  }),
  sendsEditorState: defineSetting<boolean>({
    key: "arbor.context.editorState",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: true,
    // Less is stricter.
    inWorkspace: Number,
  }),
  traceEnabled: defineSetting<boolean>({
    key: "arbor.trace.enabled",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: false,
  }),
  traceEndpoint: defineSetting<string>({
    key: "arbor.trace.otlpEndpoint",
    schema: z.union([z.literal(""), z.url({ protocol: /^https?$/ })], {
      error: () => t("has to be empty or an http or https URL"),
    }),
    fallback: "",
    inWorkspace: "nothing",
  }),
};

const providersKey = "arbor.providers";

/** The defaults of all settings that Arbor reads, by their full names. */
export const settingDefaults: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.values(plainSettings).map(({ key, fallback }) => [key, fallback])),
  [providersKey]: {},
};

/**
 * Checks settings given by their full names; one that is absent has its default. A value that makes no sense is named
 * in a problem and its default used.
 */
export function parseSettings(raw: Readonly<Record<string, unknown>>): {
  settings: ArborSettings;
  problems: SettingProblem[];
} {
  const problems: SettingProblem[] = [];

  function read<T>(setting: Setting<T>): T {
    const value = raw[setting.key];
    if (value === undefined || value === null) return setting.fallback;
    const parsed = setting.schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push({ key: setting.key, message: parsed.error.issues[0]?.message ?? t("makes no sense") });
    return setting.fallback;
  }

  const model = read(plainSettings.model);
  const rawProviders = parseProviders(raw[providersKey] ?? {});
  const settings: ArborSettings = {
    model,
    modelChosen: modelName.safeParse(raw[plainSettings.model.key]).success,
    subAgentModel: read(plainSettings.subAgentModel),
    providers: rawProviders.providers,
    limits: {
      maxTurns: read(plainSettings.maxTurns),
      maxCost: read(plainSettings.maxCost),
      maxDepth: read(plainSettings.maxDepth),
      maxParallelAgents: read(plainSettings.maxParallelAgents),
    },
    ripgrepPath: read(plainSettings.ripgrepPath),
    editReview: read(plainSettings.editReview),
    permissionMode: read(plainSettings.permissionMode),
    commandSandbox: read(plainSettings.commandSandbox),
    compactionThreshold: read(plainSettings.compactionThreshold),
    sendsEditorState: read(plainSettings.sendsEditorState),
    trace: {
      enabled: read(plainSettings.traceEnabled),
      otlpEndpoint: read(plainSettings.traceEndpoint),
    },
  };
  return { settings, problems: [...problems, ...rawProviders.problems] };
}

/** A problem as a sentence for the user. */
export function describeSettingProblem({ key, message }: SettingProblem): string {
  return t("The setting {0} {1}; until it is changed, its default is used.", key, message);
}

/** What counts of a setting, by its full name, that the user and the workspace may both have. */
export function effectiveValue(key: string, values: SettingValues): unknown {
  const setting = Object.values(plainSettings).find((each) => each.key === key);
  if (setting !== undefined) return setting.effective(values);
  return key === providersKey ? values.user : (values.workspace ?? values.user);
}
