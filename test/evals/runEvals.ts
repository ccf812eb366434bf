import { UserError } from "../../src/extension/common/userError.ts";
import { findModelProblem } from "../../src/extension/models/catalog.ts";
import { createKeys, type SecretStore } from "../../src/extension/models/keys.ts";
import { createModelAccess, type ModelAccess } from "../../src/extension/models/modelAccess.ts";
import { type ArborSettings, describeSettingProblem, parseSettings } from "../../src/extension/settings/settings.ts";
import { type EvalTask, runTask } from "./harness/runTask.ts";
import type { EvalResults, TaskOutcome } from "./results.ts";

/** How a model is reached, as it is said on the command line. */
export interface ModelOptions {
  /** `provider/model-id`, as in the setting. */
  model: string;
  /** For sub-agents. Default: the same. */
  subAgentModel?: string;
  /** The environment variable with the key. Default: that of the provider's own documents. */
  keyEnv?: string;
  /** In place of the provider's own address. */
  baseUrl?: string;
  /** Of a provider that the catalogue does not know: the wire that its server speaks. */
  wire?: string;
  /** USD for one task; 0 means none. */
  maxCost: number;
}

/** Requests that one task may make. */
const maxTurns = 60;

/** Where the makers' own documents have their users put the key. */
const usualKeyEnv: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  openrouter: "OPENROUTER_API_KEY",
};

/** What a user would write into the settings. */
export function settingsOf(options: ModelOptions): Record<string, unknown> {
  const { model, subAgentModel = "", keyEnv, baseUrl, wire, maxCost } = options;
  const provider = model.slice(0, model.indexOf("/"));
  const apiKeyEnv = keyEnv ?? usualKeyEnv[provider];
  const entry = {
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(wire !== undefined && { type: wire }),
  };
  return {
    "arbor.model": model,
    "arbor.subAgentModel": subAgentModel,
    "arbor.limits.maxTurns": maxTurns,
    "arbor.limits.maxCost": maxCost,
    ...(Object.keys(entry).length > 0 && { "arbor.providers": { [provider]: entry } }),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The product's own way to its models, with keys from the environment alone. */
export function environmentModels(environment: Environment): (settings: ArborSettings) => ModelAccess {
  return (settings) =>
    createModelAccess({
      settings: () => settings,
      keys: createKeys(noSecrets, environment),
      pace: async () => {},
    });
}

/** Throws a `UserError` that says what is missing for the first request. */
export async function refuseUnreachable(raw: Record<string, unknown>, environment: Environment): Promise<void> {
  const { settings, problems } = parseSettings(raw);
  const [misfit] = problems;
  if (misfit !== undefined) throw new UserError(describeSettingProblem(misfit));
  const problem = await findModelProblem(settings.model, settings, createKeys(noSecrets, environment));
  if (problem !== undefined) throw new UserError(problem.text);
}

const noSecrets: SecretStore = {
  get: async () => undefined,
  store: async () => {},
  delete: async () => {},
  keys: async () => [],
};

export interface EvalRunOptions {
  tasks: readonly EvalTask[];
  repeat: number;
  /** How many tasks run at once. */
  lanes: number;
  /** Milliseconds after which a task is ended. */
  maxMs: number;
  settings: Readonly<Record<string, unknown>>;
  models(settings: ArborSettings): ModelAccess;
  /** Called when a task has ended, with all that have ended so far. */
  onOutcome(outcome: TaskOutcome, soFar: EvalResults): void;
}

/** Runs tasks, each in a repository of its own. One that breaks is one that failed: the others go on. */
export async function runEvals({ tasks, repeat, lanes, onOutcome, ...options }: EvalRunOptions): Promise<EvalResults> {
  const startedAt = new Date().toISOString();
  const model = String(options.settings["arbor.model"]);
  const due = tasks.flatMap((task) => Array.from({ length: repeat }, () => task));
  const ended: (TaskOutcome | undefined)[] = due.map(() => undefined);
  const results = (): EvalResults => ({
    ...{ version: 1, model, startedAt },
    outcomes: ended.filter((outcome) => outcome !== undefined),
  });
  const queue = due.entries();
  const lane = async () => {
    for (const [index, task] of queue) {
      const outcome = await runTask(task, options);
      ended[index] = outcome;
      onOutcome(outcome, results());
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, due.length) }, lane));
  return results();
}
