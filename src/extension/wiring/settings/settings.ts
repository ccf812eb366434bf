import { t } from "@vscode/l10n";
import * as z from "zod";
import { type PermissionMode, permissionModes } from "../../../protocol/modes.ts";
import { type ModelsSettings, parseProviders, type SettingProblem } from "../../models/providerSettings.ts";
import { limitSettings } from "./limitSettings.ts";

/** Arbor's settings, checked. Models are written `provider/model-id`. */
export interface ArborSettings extends ModelsSettings {
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
