import { t } from "@vscode/l10n";
import {
  type FactSources,
  isSameClaude,
  type ModelFacts,
  nothingReported,
  offeredModels,
  type ReportedModels,
} from "./facts.ts";
import { holdCredentials } from "./headers.ts";
import { wellKnownModels } from "./modelTable.ts";
import {
  type KnownProvider,
  knownProviders,
  type ModelsSettings,
  type ProviderSettings,
  type ProviderWire,
} from "./providerSettings.ts";

export const demoProviderId = "demo";
/** Models that the editor has from other extensions. */
export const editorProviderId = "vscode";
/** Agents of other programs, which take the place of a model where one is the main agent of a chat. */
export const foreignProviderId = "foreign";

/** How a provider is reached, with the user's settings merged in. */
export interface Provider {
  id: string;
  label: string;
  wire: ProviderWire;
  /** Absent: the address that the provider's SDK knows. */
  baseUrl?: string;
  /** Without a key nothing can be asked. Where it is false, a key is sent if there is one. */
  needsKey: boolean;
  /** The environment variable that holds the key. */
  apiKeyEnv?: string;
  /** The page on which its users make keys. */
  keyPage?: string;
  /** Sent with every request; values may refer to the environment and to stored secrets. */
  headers?: Readonly<Record<string, string>>;
  /** Where its models are known from. */
  sources: FactSources;
  /** The models to offer. */
  readonly models: readonly ModelFacts[];
  /** The user has an entry for it in `arbor.providers`. */
  inSettings: boolean;
}

type Reach = Omit<Provider, "models" | "sources" | "inSettings">;

/** Every provider that can be named in a model, known ones first. The demo model is none: nothing has to be reached. */
export function listProviders(settings: ModelsSettings, reported: ReportedModels = nothingReported): Provider[] {
  const known = knownProviders.map((provider) => merge(provider, settings.providers[provider.id], reported));
  const knownIds = new Set<string>([
    demoProviderId,
    foreignProviderId,
    ...knownProviders.map((provider) => provider.id),
  ]);
  const added = Object.entries(settings.providers)
    .filter(([id]) => !knownIds.has(id))
    .flatMap(([id, entry]) => customProvider(id, entry, reported) ?? []);
  return [...known, ...added];
}

export function findProvider(
  id: string,
  settings: ModelsSettings,
  reported: ReportedModels = nothingReported,
): Provider | undefined {
  return listProviders(settings, reported).find((provider) => provider.id === id);
}

/** Whether a provider is a server on this machine. */
export function isLocal({ baseUrl }: Pick<Provider, "baseUrl">): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false;
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

/** How a provider is named in a list. */
export function providerLabel(provider: Pick<Provider, "id" | "label">): string {
  return provider.id === editorProviderId ? t("Models of the editor") : provider.label;
}

function merge(provider: KnownProvider, entry: ProviderSettings | undefined, reported: ReportedModels): Provider {
  if (entry === undefined) return withModels(provider, undefined, reported);
  // The editor is not reached by an address, so that an entry can't send its requests anywhere else.
  if (provider.wire === "vscode") return withModels(provider, entry, reported);
  const { keyPage, ...known } = provider;
  const reach: Reach = {
    ...known,
    // Another server has other keys.
    ...(keyPage !== undefined && entry.baseUrl === undefined && { keyPage }),
    wire: entry.type ?? provider.wire,
    ...(entry.baseUrl === undefined ? {} : { baseUrl: entry.baseUrl }),
    ...(entry.apiKeyEnv === undefined ? {} : { apiKeyEnv: entry.apiKeyEnv }),
    ...withHeaders(entry, provider.needsKey),
  };
  return withModels(reach, entry, reported);
}

/** An entry's headers; one that says who asks does instead of a key. */
function withHeaders({ headers }: ProviderSettings, needsKey: boolean): Pick<Reach, "headers" | "needsKey"> {
  if (headers === undefined) return { needsKey };
  return { headers, needsKey: needsKey && !holdCredentials(headers) };
}

/** A provider of the user's own. Without an address of its own it is a second account at the official one. */
function customProvider(id: string, entry: ProviderSettings, reported: ReportedModels): Provider | undefined {
  if (entry.type === undefined) return undefined;
  const { type, baseUrl, apiKeyEnv } = entry;
  const reach: Reach = {
    id,
    label: id,
    wire: type,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...withHeaders(entry, apiKeyEnv !== undefined || baseUrl === undefined),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
  };
  return withModels(reach, entry, reported);
}

function withModels(reach: Reach, entry: ProviderSettings | undefined, reported: ReportedModels): Provider {
  const sources: FactSources = {
    own: entry?.models ?? [],
    reported: reported(reach),
    table: wellKnownModels[reach.id] ?? [],
    isSame: reach.wire === "anthropic" ? isSameClaude : (a, b) => a === b,
  };
  let offered: Provider["models"] | undefined;
  return {
    ...reach,
    sources,
    inSettings: entry !== undefined,
    // Providers are looked up for every model that is shown, their lists only to be offered.
    get models() {
      offered ??= offeredModels(sources);
      return offered;
    },
  };
}
