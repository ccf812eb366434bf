// Long because each setting is defined here once: key, schema, default, and what a workspace may change of it.
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
  /** Where the editor has the answers to a proposed edit. */
  editActions: EditActionsSetting;
  /** Whether a key that answers an edit goes on to the next one. */
  goesToNextEdit: boolean;
  /** Whether the editor formats the files that agents edited, when their run has ended. */
  formatsFiles: boolean;
  /** The same for their imports. */
  organizesImports: boolean;
  /** What agents may do unasked. */
  permissionMode: PermissionMode;
  /** What is allowed, asked and denied in every mode, like `run_command(npm test)`. */
  permissionRules: { allow: string[]; ask: string[]; deny: string[] };
  /** Where commands run. */
  commandSandbox: SandboxSetting;
  /** Ignored files that an agent's worktree gets too, by their paths. */
  isolatedFiles: Readonly<Record<string, IsolatedFile>>;
  /** Share of the context window from which a conversation is summarized; 0 leaves it to the user. */
  compactionThreshold: number;
  /** Whether a message says what the user has open. */
  sendsEditorState: boolean;
  /** Whether agents may call the tools that other extensions offer to models. */
  languageModelTools: boolean;
  trace: TraceSettings;
  /** MCP servers of the user's and what they ask for, as they are written: each is judged when it is read. */
  mcp: { servers: Readonly<Record<string, unknown>>; inputs: readonly unknown[] };
}

interface TraceSettings {
  enabled: boolean;
  /** Of an OTLP/HTTP collector; "" sends nothing. */
  otlpEndpoint: string;
}

type EditReviewSetting = (typeof editReviews)[number];

/** Above the lines that an edit replaces, or in the title of the comment that shows it. */
type EditActionsSetting = (typeof editActions)[number];
/** In the sandbox where it works, in the sandbox or not at all, or with all rights of the editor. */
export type SandboxSetting = (typeof sandboxSettings)[number];
const sandboxSettings = ["auto", "required", "off"] as const;
/** How a worktree gets a file that is ignored. */
type IsolatedFile = (typeof isolatedFiles)[number];
const isolatedFiles = ["link", "copy"] as const;

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
   * the function gives less for it. "adds": it counts beside the user's. Absent: it counts as it is.
   */
  inWorkspace?: "nothing" | "adds" | ((value: T) => number);
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
      if (inWorkspace === "adds") return [user ?? fallback, theirs.data].flat();
      const own = schema.safeParse(user);
      // A value of the user's that makes no sense counts as the default.
      return inWorkspace(theirs.data) < inWorkspace(own.success ? own.data : fallback) ? workspace : user;
    },
  };
}

const wholeNumber = (min: number, max: number) =>
  z
    .int({ error: () => t("has to be a whole number") })
    .min(min, { error: () => t("can't be less than {0}", min) })
    .max(max, { error: () => t("can't be more than {0}", max) });

const modelName = z
  .string({ error: () => t("has to be text like provider/model-id") })
  .trim()
  .regex(/^(?:foreign\/\S.*|[\w.-]+\/\S+)$/, { error: () => t("has to look like provider/model-id") });

const modelOrEmpty = { error: () => t("has to be empty or look like provider/model-id") };

const permissionRules = z.array(z.string(), { error: () => t("has to be a list of rules") });
const permissionRule = /^(?:run_command|edit_file|read_file|fetch_url|mcp)\((.+)\)$/s;

/** One rule that makes no sense does not take the others with it. */
function isPermissionRule(rule: string): boolean {
  const pattern = permissionRule.exec(rule)?.[1];
  const [, body, flags] = (rule.startsWith("run_command(") && /^\/(.*)\/([a-z]*)$/s.exec(pattern ?? "")) || [];
  if (body === undefined) return pattern !== undefined;
  try {
    return !new RegExp(body, flags).test("") || body === ".*";
  } catch {
    return false;
  }
}

/** Strictest first. */
const editReviews = ["before", "after", "off"] as const;

const editActions = ["codeLens", "comment"] as const;

/** Each setting but `arbor.providers`, whose entries are judged one by one. */
const plainSettings = {
  // Which extensions get the chat's events, and where traces of it go, is no workspace's choice.
  model: defineSetting<string>({
    key: "arbor.model",
    schema: modelName,
    fallback: "demo/demo",
    inWorkspace: "nothing",
  }),
  subAgentModel: defineSetting<string>({
    key: "arbor.subAgentModel",
    schema: z.union([z.literal(""), modelName], modelOrEmpty),
    fallback: "",
    inWorkspace: "nothing",
  }),
  maxTurns: defineSetting<number>({
    key: "arbor.limits.maxTurns",
    schema: wholeNumber(1, 10_000),
    fallback: 500,
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
  editActions: defineSetting<EditActionsSetting>({
    key: "arbor.edits.actions",
    schema: z.enum(editActions, { error: () => t('has to be "codeLens" or "comment"') }),
    fallback: "codeLens",
  }),
  goesToNextEdit: defineSetting<boolean>({
    key: "arbor.edits.goToNext",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: true,
  }),
  permissionMode: defineSetting<PermissionMode>({
    key: "arbor.permissions.mode",
    schema: z.enum(permissionModes, { error: () => t('has to be "ask", "auto-edit" or "plan"') }),
    fallback: "ask",
    inWorkspace: (mode) => permissionModes.indexOf(mode),
  }),
  allowRules: defineSetting<string[]>({
    key: "arbor.permissions.allow",
    schema: permissionRules,
    fallback: [],
    inWorkspace: "nothing",
  }),
  askRules: defineSetting<string[]>({
    key: "arbor.permissions.ask",
    schema: permissionRules,
    fallback: [],
    inWorkspace: "adds",
  }),
  denyRules: defineSetting<string[]>({
    key: "arbor.permissions.deny",
    schema: permissionRules,
    fallback: [],
    inWorkspace: "adds",
  }),
  commandSandbox: defineSetting<SandboxSetting>({
    key: "arbor.commands.sandbox",
    schema: z.enum(sandboxSettings, { error: () => t('has to be "auto", "required" or "off"') }),
    fallback: "auto",
    inWorkspace: "nothing",
  }),
  isolatedFiles: defineSetting<Record<string, IsolatedFile>>({
    key: "arbor.isolation.ignoredFiles",
    schema: z.record(z.string(), z.enum(isolatedFiles), {
      error: () => t('has to be paths, each with "link" or "copy"'),
    }),
    fallback: { node_modules: "link" },
  }),
  compactionThreshold: defineSetting<number>({
    key: "arbor.compaction.threshold",
    schema: z
      .number({ error: () => t("has to be a number from 0 to 1") })
      .min(0, { error: () => t("can't be negative") })
      .max(1, { error: () => t("can't be more than {0}", 1) }),
    fallback: 0.8,
  }),
  languageModelTools: defineSetting<boolean>({
    key: "arbor.languageModelTools",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: false,
    inWorkspace: "nothing",
  }),
  formatsFiles: defineSetting<boolean>({
    key: "arbor.edits.format",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: false,
  }),
  organizesImports: defineSetting<boolean>({
    key: "arbor.edits.organizeImports",
    schema: z.boolean({ error: () => t("has to be true or false") }),
    fallback: false,
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
    inWorkspace: "nothing",
  }),
  traceEndpoint: defineSetting<string>({
    key: "arbor.trace.otlpEndpoint",
    schema: z.union([z.literal(""), z.url({ protocol: /^https?$/ })], {
      error: () => t("has to be empty or an http or https URL"),
    }),
    fallback: "",
    inWorkspace: "nothing",
  }),
  foreignAgents: defineSetting<Record<string, unknown>>({
    key: "arbor.foreignAgents",
    schema: z.record(z.string(), z.unknown(), { error: () => t("has to be an object of agents by name") }),
    fallback: {},
    inWorkspace: "nothing",
  }),
  mcpServers: defineSetting<Record<string, unknown>>({
    key: "arbor.mcp.servers",
    schema: z.record(z.string(), z.unknown(), { error: () => t("has to be an object of servers by name") }),
    fallback: {},
    inWorkspace: "nothing",
  }),
  mcpInputs: defineSetting<unknown[]>({
    key: "arbor.mcp.inputs",
    schema: z.array(z.unknown(), { error: () => t("has to be a list of inputs") }),
    fallback: [],
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
    problems.push({ key: setting.key, message: parsed.error.issues[0]?.message ?? t("is not valid") });
    return setting.fallback;
  }

  function readRules(setting: Setting<string[]>): string[] {
    const rules = read(setting);
    const odd = rules.filter((rule) => !isPermissionRule(rule));
    for (const part of odd) problems.push({ key: setting.key, message: "", ignored: part.slice(0, 200) });
    return rules.filter((rule) => !odd.includes(rule));
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
    editActions: read(plainSettings.editActions),
    goesToNextEdit: read(plainSettings.goesToNextEdit),
    permissionMode: read(plainSettings.permissionMode),
    permissionRules: {
      allow: readRules(plainSettings.allowRules),
      ask: readRules(plainSettings.askRules),
      deny: readRules(plainSettings.denyRules),
    },
    commandSandbox: read(plainSettings.commandSandbox),
    isolatedFiles: read(plainSettings.isolatedFiles),
    compactionThreshold: read(plainSettings.compactionThreshold),
    formatsFiles: read(plainSettings.formatsFiles),
    organizesImports: read(plainSettings.organizesImports),
    sendsEditorState: read(plainSettings.sendsEditorState),
    languageModelTools: read(plainSettings.languageModelTools),
    trace: {
      enabled: read(plainSettings.traceEnabled),
      otlpEndpoint: read(plainSettings.traceEndpoint),
    },
    foreignAgents: read(plainSettings.foreignAgents),
    mcp: { servers: read(plainSettings.mcpServers), inputs: read(plainSettings.mcpInputs) },
  };
  return { settings, problems: [...problems, ...rawProviders.problems] };
}

/** A problem as a sentence for the user. */
export function describeSettingProblem({ key, message, ignored }: SettingProblem): string {
  if (ignored !== undefined) {
    return t("A rule in {0} is ignored, since it is not like run_command(npm test): {1}", key, ignored);
  }
  return t("The setting {0} {1}; until it is changed, its default is used.", key, message);
}

/** Settings of which a workspace's value does not count at all, by their full names. */
export const userOnlySettings: readonly string[] = [
  ...Object.values(plainSettings).flatMap(({ key, inWorkspace }) => (inWorkspace === "nothing" ? [key] : [])),
  providersKey,
];

/** What counts of a setting, by its full name, that the user and the workspace may both have. */
export function effectiveValue(key: string, values: SettingValues): unknown {
  const setting = Object.values(plainSettings).find((each) => each.key === key);
  if (setting !== undefined) return setting.effective(values);
  return key === providersKey ? values.user : (values.workspace ?? values.user);
}
