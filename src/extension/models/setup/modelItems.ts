import { t } from "@vscode/l10n";
import { demoModel } from "../../demo/demoModel.ts";
import { modelName, readyProviders, resolveModel } from "../catalog.ts";
import type { ReportedModels } from "../facts.ts";
import type { Keys } from "../keys.ts";
import type { ModelsSettings } from "../providerSettings.ts";
import { listProviders, type Provider, providerLabel } from "../providers.ts";
import { goneText, isGone } from "./goneModel.ts";
import { modelText } from "./modelText.ts";

/** What the user took in the model picker. */
export type Picked =
  | { type: "model"; name: string }
  /** The model of the agent that delegates. */
  | { type: "inherit" }
  | { type: "setKey"; providerId: string }
  | { type: "findLocal" }
  | { type: "setUp" };

export type ModelItem =
  | { type: "group"; label: string }
  | { type: "model"; name: string; label: string; detail: string; isCurrent: boolean; isFavourite: boolean }
  | { type: "action"; label: string; detail?: string; isCurrent?: boolean; picked: Picked };

export interface ItemSources {
  settings: ModelsSettings;
  keys: Pick<Keys, "get">;
  reported: ReportedModels;
  favourites: readonly string[];
  recent: readonly string[];
  /** The name of the model in use; "" where the delegating agent's is. */
  current: string;
  /** Also offers to use whatever model delegates. */
  mayInherit: boolean;
}

/** Everything that can be chosen, in groups: what the user likes, what each provider has, and ways to more. */
export async function modelItems(sources: ItemSources): Promise<ModelItem[]> {
  const { settings, keys, reported, current } = sources;
  const ready = await readyProviders(settings, keys, reported);
  const item = (name: string) => itemOf(name, sources);
  const inherit = sources.mayInherit ? [inheritItem(current === "")] : [];
  const preferred = [...new Set([...(current === "" ? [] : [current]), ...sources.favourites, ...sources.recent])];
  const others = (names: readonly string[]) => names.filter((name) => !preferred.includes(name)).map(item);
  const groups: ModelItem[][] = [
    group(current === "" ? t("Favourites and recent") : t("In use, favourites and recent"), preferred.map(item)),
    ...ready.map((provider) => group(providerLabel(provider), others(ofProvider(provider)))),
    group(t("Demo"), others([modelName(demoModel)])),
    group(t("More models"), actionItems(sources, ready)),
  ];
  return [...inherit, ...groups.flat()];
}

function group(label: string, items: ModelItem[]): ModelItem[] {
  return items.length === 0 ? [] : [{ type: "group", label }, ...items];
}

function ofProvider({ id, models }: Provider): string[] {
  return models.map((model) => modelName({ id: model.id, provider: id }));
}

function itemOf(name: string, sources: ItemSources): ModelItem {
  const resolved = resolveModel(name, sources.settings, sources.reported);
  const about = { name, isCurrent: name === sources.current, isFavourite: sources.favourites.includes(name) };
  if (!resolved.ok) return { type: "model", label: name, detail: resolved.problem.text, ...about };
  const { model, provider, facts } = resolved;
  const known = provider === undefined ? { ...facts, ...demoModel } : facts;
  const gone = provider !== undefined && isGone(model.id, provider) ? [goneText(provider)] : [];
  return {
    type: "model",
    label: model.name ?? model.id,
    detail: [...gone, modelText(known)].join(" · "),
    ...about,
  };
}

function inheritItem(isCurrent: boolean): ModelItem {
  const detail = t("A sub-agent uses the model of the agent that started it.");
  return { type: "action", label: t("Same as the delegating agent"), detail, isCurrent, picked: { type: "inherit" } };
}

function actionItems({ settings }: ItemSources, ready: readonly Provider[]): ModelItem[] {
  const keyless = listProviders(settings).filter(
    ({ id, needsKey }) => needsKey && !ready.some((other) => other.id === id),
  );
  return [
    ...keyless.map(({ id, label }): ModelItem => {
      return { type: "action", label: t("Set API key for {0}…", label), picked: { type: "setKey", providerId: id } };
    }),
    { type: "action", label: t("Find local servers…"), picked: { type: "findLocal" } },
    { type: "action", label: t("Set up another provider…"), picked: { type: "setUp" } },
  ];
}
