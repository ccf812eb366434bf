import type { knownProviderIds } from "../settings/providerSettings.ts";
import type { ArborSettings, ModelSettings, ProviderSettings } from "../settings/settings.ts";
import { wellKnownModels } from "./modelTable.ts";

export const demoProviderId = "demo";

/** How a provider is reached, with the user's settings merged in. */
export interface Provider {
  id: string;
  label: string;
  wire: NonNullable<ProviderSettings["type"]>;
  /** Absent: the address that the provider's SDK knows. */
  baseUrl?: string;
  /** Without a key nothing can be asked. Where it is false, a key is sent if there is one. */
  needsKey: boolean;
  /** The environment variable that holds the key. */
  apiKeyEnv?: string;
  models: readonly ModelSettings[];
  /** The user has an entry for it in `arbor.providers`. */
  inSettings: boolean;
}

type KnownProvider = Omit<Provider, "models" | "inSettings"> & { id: (typeof knownProviderIds)[number] };

const knownProviders: readonly KnownProvider[] = [
  { id: "anthropic", label: "Anthropic", wire: "anthropic", needsKey: true },
  { id: "openai", label: "OpenAI", wire: "openai", needsKey: true },
  {
    id: "openrouter",
    label: "OpenRouter",
    wire: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    needsKey: true,
  },
  { id: "ollama", label: "Ollama", wire: "openai-chat", baseUrl: "http://localhost:11434/v1", needsKey: false },
];

/** Every provider that can be named in a model, known ones first. The demo model is none: nothing has to be reached. */
export function listProviders(settings: ArborSettings): Provider[] {
  const known = knownProviders.map((provider) => merge(provider, settings.providers[provider.id]));
  const knownIds = new Set<string>([demoProviderId, ...knownProviders.map((provider) => provider.id)]);
  const added = Object.entries(settings.providers)
    .filter(([id]) => !knownIds.has(id))
    .flatMap(([id, entry]) => customProvider(id, entry) ?? []);
  return [...known, ...added];
}

export function findProvider(id: string, settings: ArborSettings): Provider | undefined {
  return listProviders(settings).find((provider) => provider.id === id);
}

function merge(provider: KnownProvider, entry: ProviderSettings | undefined): Provider {
  const models = mergeModels(wellKnownModels[provider.id] ?? [], entry?.models ?? []);
  if (entry === undefined) return { ...provider, models, inSettings: false };
  return {
    ...provider,
    wire: entry.type ?? provider.wire,
    ...(entry.baseUrl === undefined ? {} : { baseUrl: entry.baseUrl }),
    ...(entry.apiKeyEnv === undefined ? {} : { apiKeyEnv: entry.apiKeyEnv }),
    models,
    inSettings: true,
  };
}

/** A provider of the user's own. Without an address of its own it is a second account at the official one. */
function customProvider(id: string, entry: ProviderSettings): Provider | undefined {
  if (entry.type === undefined) return undefined;
  const { type, baseUrl, apiKeyEnv, models = [] } = entry;
  return {
    id,
    label: id,
    wire: type,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    needsKey: apiKeyEnv !== undefined || baseUrl === undefined,
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    models,
    inSettings: true,
  };
}

/** The user's entry for a model wins field by field; their own models stand first. */
function mergeModels(known: readonly ModelSettings[], own: readonly ModelSettings[]): ModelSettings[] {
  const ownIds = new Set(own.map((model) => model.id));
  return [
    ...own.map((model) => ({ ...known.find((candidate) => candidate.id === model.id), ...model })),
    ...known.filter((model) => !ownIds.has(model.id)),
  ];
}
