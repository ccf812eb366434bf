import { t } from "@vscode/l10n";
import { demoModel } from "../../demo/demoModel.ts";
import { foreignNames, modelName, readyProviders, resolveModel } from "../catalog.ts";
import type { ModelFacts, ReportedModels } from "../facts.ts";
import type { Keys } from "../keys.ts";
import type { ModelsSettings } from "../providerSettings.ts";
import { editorProviderId, foreignProviderId, listProviders, type Provider, providerLabel } from "../providers.ts";
import type { ModelSetUp } from "./modelSetUp.ts";

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
  /** Also lists agents of other programs, which can be the main agent of a chat. */
  mayBeForeign: boolean;
}

/** Everything that can be chosen, in groups: what the user likes, what each provider has, and ways to more. */
export async function modelItems(sources: ItemSources): Promise<ModelItem[]> {
  const { settings, keys, reported, current } = sources;
  const ready = await readyProviders(settings, keys, reported);
  const item = (name: string) => itemOf(name, sources);
  const inherit = sources.mayInherit ? [inheritItem(current === "")] : [];
  const isOffered = (name: string) => sources.mayBeForeign || !isForeign(name);
  const chosen = [...sources.favourites, ...sources.recent].filter(isOffered);
  const preferred = [...new Set([...(current === "" ? [] : [current]), ...chosen])];
  const others = (names: readonly string[]) => names.filter((name) => !preferred.includes(name)).map(item);
  const groups: ModelItem[][] = [
    group(current === "" ? t("Favorites and recent") : t("In use, favorites and recent"), preferred.map(item)),
    ...ready.map((provider) => group(providerLabel(provider), others(ofProvider(provider)))),
    group(t("Agents of other programs"), sources.mayBeForeign ? others(foreignNames(settings)) : []),
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

function isForeign(name: string): boolean {
  return name.startsWith(`${foreignProviderId}/`);
}

function itemOf(name: string, sources: ItemSources): ModelItem {
  const resolved = resolveModel(name, sources.settings, sources.reported);
  const about = { name, isCurrent: name === sources.current, isFavourite: sources.favourites.includes(name) };
  if (!resolved.ok) return { type: "model", label: name, detail: resolved.problem.text, ...about };
  const { model, provider, facts } = resolved;
  if (isForeign(name)) return { type: "model", label: model.id, detail: t("Has its own model and tools"), ...about };
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

/** Whether a provider that has listed its models did not name this one, and the user did not describe it either. */
function isGone(id: string, { sources }: Pick<Provider, "sources">): boolean {
  const { own, reported, isSame } = sources;
  if (reported === undefined) return false;
  const names = (model: ModelFacts) => model.id === id || model.alias === id || isSame(model.id, id);
  return !reported.some(names) && !own.some(names);
}

/** That a model is gone, in a few words. */
function goneText({ id, label }: Pick<Provider, "id" | "label">): string {
  return id === editorProviderId ? t("not listed by the editor") : t("not listed by {0}", label);
}

/** Asks the provider of a chosen model what it has; resolves to a sentence when that model is not among it. */
export async function findGoneModel(name: string, context: ModelSetUp): Promise<string | undefined> {
  const { settings, reported, lists, editorModels } = context;
  const asked = resolveModel(name, settings());
  if (!asked.ok || asked.provider === undefined) return undefined;
  if (asked.provider.wire === "vscode") await editorModels.refresh();
  else await lists.refreshStale([asked.provider]);
  const fresh = resolveModel(name, settings(), reported);
  if (!fresh.ok || fresh.provider === undefined || !isGone(fresh.model.id, fresh.provider)) return undefined;
  const { id } = fresh.model;
  if (fresh.provider.wire === "vscode") {
    return t("The editor does not list a model {0}. It may have been renamed, or its extension is gone.", id);
  }
  const { label } = fresh.provider;
  return t("{0} does not list a model {1}. It may have been renamed or removed; Arbor asks for it anyway.", label, id);
}

/** What is known of a model in one line. What is not known is said where people look for it, else left out. */
export function modelText(facts: ModelFacts): string {
  const { contextWindow, thinkingLevels, images, tools, retires } = facts;
  const levels = thinkingLevels?.filter((level) => level !== "off") ?? [];
  const words = [
    contextWindow === undefined ? t("context unknown") : t("{0} context", shortCount(contextWindow)),
    priceText(facts.price),
    images === undefined ? undefined : images ? t("images") : t("no images"),
    levels.length === 0 ? undefined : t("thinking {0}", levelRange(levels)),
    tools === false ? t("no tools") : undefined,
    retires === undefined ? undefined : t("retires {0}", retires),
  ];
  return words.filter((word) => word !== undefined).join(" · ");
}

function priceText(price: ModelFacts["price"]): string {
  if (price === undefined) return t("no price");
  if (price.input === 0 && price.output === 0) return t("free");
  const [input, output] = [shortPrice(price.input), shortPrice(price.output)];
  if (price.cacheRead === undefined) return t("{0} in, {1} out per million", input, output);
  return t("{0} in, {1} out, {2} cached per million", input, output, shortPrice(price.cacheRead));
}

function levelRange(levels: readonly string[]): string {
  return levels.length === 1 ? String(levels[0]) : `${levels[0]}–${levels.at(-1)}`;
}

/** 200k, 1M, 1.05M */
function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

function shortPrice(usd: number): string {
  return `$${Number(usd.toPrecision(4))}`;
}
