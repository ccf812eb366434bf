import type { Model } from "../../agent/model.ts";
import type { ModelChoice } from "../../protocol/messages.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { demoModel } from "./demo/demoModel.ts";
import type { Keys } from "./keys.ts";
import { type ModelProblem, malformedModelProblem, missingKeyProblem, unknownProviderProblem } from "./problems.ts";
import { demoProviderId, findProvider, listProviders, type Provider } from "./providers.ts";

export type ResolvedModel = { ok: true; model: Model; provider?: Provider } | { ok: false; problem: ModelProblem };

/** `provider/model-id`: the name of a model in settings, commands and the panel. */
export function modelName(model: Pick<Model, "id" | "provider">): string {
  return `${model.provider}/${model.id}`;
}

/**
 * Finds a model by its name. A model that the catalogue does not know is taken as it is, sizes and price unknown: only
 * the provider can say whether there is one. The demo model has no provider.
 */
export function resolveModel(name: string, settings: ArborSettings): ResolvedModel {
  const slash = name.indexOf("/");
  const providerId = name.slice(0, Math.max(0, slash)).trim();
  const id = name.slice(slash + 1).trim();
  if (providerId === "" || id === "") return { ok: false, problem: malformedModelProblem(name) };
  if (providerId === demoProviderId) return resolveDemo(name, id);
  const provider = findProvider(providerId, settings);
  if (provider === undefined) {
    const known = [...listProviders(settings).map((candidate) => candidate.id), demoProviderId];
    return { ok: false, problem: unknownProviderProblem(providerId, known) };
  }
  const { editTool: _, ...entry } = provider.models.find((model) => model.id === id) ?? {};
  return { ok: true, model: { ...entry, id, provider: providerId }, provider };
}

/** Whether a model changes files by patches, as the catalogue or the user's entry for it says. */
export function usesPatches({ id, provider }: Pick<Model, "id" | "provider">, settings: ArborSettings): boolean {
  const entry = findProvider(provider, settings)?.models.find((model) => model.id === id);
  return entry?.editTool === "apply_patch";
}

function resolveDemo(name: string, id: string): ResolvedModel {
  return id === demoModel.id ? { ok: true, model: demoModel } : { ok: false, problem: malformedModelProblem(name) };
}

/** What stands between the chosen model and its first answer, as far as it can be told without asking. */
export async function findModelProblem(
  name: string,
  settings: ArborSettings,
  keys: Pick<Keys, "get">,
): Promise<ModelProblem | undefined> {
  const resolved = resolveModel(name, settings);
  if (!resolved.ok) return resolved.problem;
  const { provider } = resolved;
  if (provider === undefined || !provider.needsKey) return undefined;
  return (await keys.get(provider)) === undefined ? missingKeyProblem(provider) : undefined;
}

/** Whether the chosen model could answer. The demo counts once somebody chose it, not as the default that it is. */
export async function hasUsableModel(settings: ArborSettings, keys: Pick<Keys, "get">): Promise<boolean> {
  if (!settings.modelChosen) return false;
  return (await findModelProblem(settings.model, settings, keys)) === undefined;
}

/** Models to choose from: the chosen one, those of every provider that is set up, and the demo. */
export async function listModelChoices(settings: ArborSettings, keys: Pick<Keys, "get">): Promise<ModelChoice[]> {
  const choices: ModelChoice[] = [];
  for (const provider of listProviders(settings)) {
    if (!(await isSetUp(provider, keys))) continue;
    choices.push(...provider.models.map((model) => choiceOf({ ...model, provider: provider.id }, provider.label)));
  }
  choices.push(choiceOf(demoModel));
  const chosen = describeModel(settings.model, settings);
  return choices.some((choice) => choice.id === chosen.id) ? choices : [chosen, ...choices];
}

/** How the panel shows a model, resolvable or not. */
export function describeModel(name: string, settings: ArborSettings): ModelChoice {
  const resolved = resolveModel(name, settings);
  if (!resolved.ok) return { id: name, label: name, isDemo: false, hasPrice: false };
  return choiceOf(resolved.model, resolved.provider?.label);
}

async function isSetUp(provider: Provider, keys: Pick<Keys, "get">): Promise<boolean> {
  return (provider.inSettings && !provider.needsKey) || (await keys.get(provider)) !== undefined;
}

function choiceOf(model: Model, providerLabel?: string): ModelChoice {
  const label = model.name ?? (providerLabel === undefined ? model.id : `${model.id} (${providerLabel})`);
  return {
    id: modelName(model),
    label,
    isDemo: model.provider === demoProviderId,
    ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
    hasPrice: model.price !== undefined,
  };
}
