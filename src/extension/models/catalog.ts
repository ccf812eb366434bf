import type { Model } from "../../agent/vocabulary/model.ts";
import type { ModelChoice } from "../../protocol/messages.ts";
import { demoModel } from "../demo/demoModel.ts";
import { type ModelFacts, modelFacts, nothingReported, type ReportedModels } from "./facts.ts";
import type { Keys } from "./keys.ts";
import { preferredEditTool } from "./modelTable.ts";
import {
  type ModelProblem,
  malformedModelProblem,
  missingKeyProblem,
  unknownForeignProblem,
  unknownProviderProblem,
} from "./problems.ts";
import type { ModelsSettings } from "./providerSettings.ts";
import {
  demoProviderId,
  findProvider,
  foreignProviderId,
  listProviders,
  type Provider,
  providerLabel,
} from "./providers.ts";

export type ResolvedModel =
  | { ok: true; model: Model; provider?: Provider; facts: ModelFacts }
  | { ok: false; problem: ModelProblem };

/** `provider/model-id`: the name of a model in settings, commands and the panel. */
export function modelName(model: Pick<Model, "id" | "provider">): string {
  return `${model.provider}/${model.id}`;
}

/**
 * Finds a model by its name. A model that the catalogue does not know is taken as it is, sizes and price unknown: only
 * the provider can say whether there is one. The demo model and agents of other programs have no provider.
 */
export function resolveModel(name: string, settings: ModelsSettings, reported = nothingReported): ResolvedModel {
  const slash = name.indexOf("/");
  const providerId = name.slice(0, Math.max(0, slash)).trim();
  const id = name.slice(slash + 1).trim();
  if (providerId === "" || id === "") return { ok: false, problem: malformedModelProblem(name) };
  if (providerId === demoProviderId) return resolveDemo(name, id);
  if (providerId === foreignProviderId) return resolveForeign(id, settings);
  const provider = findProvider(providerId, settings, reported);
  if (provider === undefined) {
    const known = [...listProviders(settings).map((candidate) => candidate.id), demoProviderId];
    return { ok: false, problem: unknownProviderProblem(providerId, known) };
  }
  const facts = modelFacts(id, provider.sources);
  return { ok: true, model: modelOf(facts, providerId), provider, facts };
}

/**
 * Whether requests go to a provider by the user's own choice: it needs the user's key, or the user's settings name it. A server
 * on this machine that needs no key may be anybody's.
 */
export function isUsersProvider(id: string, settings: ModelsSettings): boolean {
  const isNamed = [settings.model, settings.subAgentModel].some((name) => name.startsWith(`${id}/`));
  if (isNamed || Object.hasOwn(settings.providers, id)) return true;
  const provider = findProvider(id, settings);
  return id === demoProviderId || provider?.wire === "vscode" || provider?.needsKey === true;
}

/** Whether a model changes files by patches, as the catalogue or the user's entry for it says. */
export function usesPatches(
  { id, provider }: Pick<Model, "id" | "provider">,
  settings: ModelsSettings,
  reported = nothingReported,
): boolean {
  const found = findProvider(provider, settings, reported);
  if (found === undefined) return false;
  const { editTool = preferredEditTool(id) } = modelFacts(id, found.sources);
  return editTool === "apply_patch";
}

/** It has a model of its own, and thinks as that does. */
function resolveForeign(id: string, { foreignAgents }: Pick<ModelsSettings, "foreignAgents">): ResolvedModel {
  if (!Object.hasOwn(foreignAgents, id)) return { ok: false, problem: unknownForeignProblem(id) };
  return { ok: true, model: { id, provider: foreignProviderId }, facts: { id, thinkingLevels: ["off"] } };
}

/** The names of agents of other programs, written as models are. */
export function foreignNames({ foreignAgents }: Pick<ModelsSettings, "foreignAgents">): string[] {
  return Object.keys(foreignAgents)
    .sort()
    .map((id) => modelName({ id, provider: foreignProviderId }));
}

function resolveDemo(name: string, id: string): ResolvedModel {
  if (id !== demoModel.id) return { ok: false, problem: malformedModelProblem(name) };
  return { ok: true, model: demoModel, facts: { id, thinkingLevels: ["off"], images: false } };
}

/** What the agents and the wires need to know of a model. */
function modelOf({ id, name, contextWindow, maxOutput, price }: ModelFacts, provider: string): Model {
  return {
    id,
    provider,
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(price === undefined ? {} : { price }),
  };
}

/** What is between the chosen model and its first answer, as far as it is known without a request. */
export async function findModelProblem(
  name: string,
  settings: ModelsSettings,
  keys: Pick<Keys, "get">,
): Promise<ModelProblem | undefined> {
  const resolved = resolveModel(name, settings);
  if (!resolved.ok) return resolved.problem;
  const { provider } = resolved;
  if (provider === undefined || !provider.needsKey) return undefined;
  return (await keys.get(provider)) === undefined ? missingKeyProblem(provider) : undefined;
}

/** Whether the chosen model could answer. The demo counts once somebody chose it, not as the default that it is. */
export async function hasUsableModel(settings: ModelsSettings, keys: Pick<Keys, "get">): Promise<boolean> {
  if (!settings.modelChosen) return false;
  return (await findModelProblem(settings.model, settings, keys)) === undefined;
}

/** Whether a provider's models can be offered: it has its key, was described by the user, or has listed them before. */
async function isSetUp(provider: Provider, keys: Pick<Keys, "get">): Promise<boolean> {
  const isReached = provider.inSettings || provider.sources.reported !== undefined;
  return (isReached && !provider.needsKey) || (await keys.get(provider)) !== undefined;
}

/** The providers whose models can be offered. */
export async function readyProviders(
  settings: ModelsSettings,
  keys: Pick<Keys, "get">,
  reported: ReportedModels = nothingReported,
): Promise<Provider[]> {
  const ready: Provider[] = [];
  for (const provider of listProviders(settings, reported)) if (await isSetUp(provider, keys)) ready.push(provider);
  return ready;
}

/** How the panel shows a model, resolvable or not. */
export function describeModel(name: string, settings: ModelsSettings, reported = nothingReported): ModelChoice {
  const resolved = resolveModel(name, settings, reported);
  if (!resolved.ok) return { id: name, label: name, isDemo: false, hasPrice: false };
  const { model, provider, facts } = resolved;
  const label = model.name ?? (provider === undefined ? model.id : `${model.id} (${provider.label})`);
  return {
    id: modelName(model),
    label,
    isDemo: model.provider === demoProviderId,
    ...(provider === undefined ? {} : { provider: providerLabel(provider) }),
    ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
    ...(model.maxOutput === undefined ? {} : { maxOutput: model.maxOutput }),
    hasPrice: model.price !== undefined,
    ...(facts.thinkingLevels === undefined ? {} : { thinkingLevels: facts.thinkingLevels }),
    ...(facts.images === undefined ? {} : { images: facts.images }),
  };
}

/** A provider may list hundreds; those that are asked for once come back as recent ones. */
const maxPerProvider = 12;

interface ChoiceSources {
  settings: ModelsSettings;
  keys: Pick<Keys, "get">;
  reported?: ReportedModels;
  /** Names that come first: favourites, then what was chosen lately. */
  preferred?: readonly string[];
}

/**
 * The few models that the panel offers: the chosen one, favourites and recent ones, those of every provider that is set
 * up, agents of other programs, and the demo. The editor's own picker has them all.
 */
export async function listModelChoices(sources: ChoiceSources): Promise<ModelChoice[]> {
  const { settings, keys, reported = nothingReported, preferred = [] } = sources;
  const providers = await readyProviders(settings, keys, reported);
  const foreign = foreignNames(settings);
  const isReady = (name: string) => foreign.includes(name) || providers.some(({ id }) => name.startsWith(`${id}/`));
  const names = new Set(preferred.filter(isReady));
  for (const provider of providers) for (const model of fewOf(provider)) names.add(modelName(model));
  for (const name of foreign) names.add(name);
  names.add(modelName(demoModel));
  const chosen = describeModel(settings.model, settings, reported);
  const choices = [...names].map((name) => describeModel(name, settings, reported));
  return choices.some((choice) => choice.id === chosen.id) ? choices : [chosen, ...choices];
}

/** Of a long list the user's own and the well-known ones, else all. */
function fewOf({ id, models, sources }: Provider): { id: string; provider: string }[] {
  const { own, table, isSame } = sources;
  const preferred = [...own, ...table];
  const known = models.filter((model) => preferred.some((other) => isSame(other.id, model.id)));
  const few = models.length <= maxPerProvider ? models : known.slice(0, Math.max(maxPerProvider, own.length));
  return few.map((model) => ({ id: model.id, provider: id }));
}
