import type { ModelChoice } from "../../protocol/messages.ts";
import { demoModel } from "../demo/demoModel.ts";
import { describeModel, foreignNames, modelName, readyProviders } from "./catalog.ts";
import { nothingReported, type ReportedModels } from "./facts.ts";
import type { Keys } from "./keys.ts";
import type { ModelsSettings } from "./providerSettings.ts";
import type { Provider } from "./providers.ts";

/** A provider may list hundreds; those that are asked for once come back as recent ones. */
const maxPerProvider = 12;

export interface ChoiceSources {
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
