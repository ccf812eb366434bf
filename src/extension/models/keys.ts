import { type ResolvedHeaders, resolveHeaders } from "./headers.ts";
import type { Provider } from "./providers.ts";

/** The part of the editor's secret storage that keys need. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  /** Names of what is stored. */
  keys(): PromiseLike<string[]>;
}

/** API keys by provider. They live in the editor's secret storage alone, or in the environment when the user says so. */
export interface Keys {
  get(provider: Pick<Provider, "id" | "apiKeyEnv">): Promise<string | undefined>;
  /** The headers that a provider's entry names, with their values. */
  headers(provider: Pick<Provider, "headers">): Promise<ResolvedHeaders>;
  set(providerId: string, key: string): Promise<void>;
  remove(providerId: string): Promise<void>;
  /** Ids of the providers whose key is stored, those that the settings no longer know, too. */
  stored(knownIds: readonly string[]): Promise<string[]>;
}

/** What reaches a provider: its key, and headers of its own. */
export type Credentials = Pick<Keys, "get" | "headers">;

const prefix = "arbor.key.";

/** Under which a value that headers refer to is stored. No provider can have such an id. */
export function secretId(name: string): string {
  return `secret:${name}`;
}

export function createKeys(secrets: SecretStore, environment: Readonly<Record<string, string | undefined>>): Keys {
  return {
    get: async ({ id, apiKeyEnv }) => {
      const fromEnvironment = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]?.trim();
      return fromEnvironment || (await secrets.get(prefix + id)) || undefined;
    },
    headers: ({ headers = {} }) =>
      resolveHeaders(headers, { environment, secret: (name) => secrets.get(prefix + secretId(name)) }),
    set: async (providerId, key) => {
      await secrets.store(prefix + providerId, key.trim());
    },
    remove: async (providerId) => {
      await secrets.delete(prefix + providerId);
    },
    stored: async (knownIds) => {
      const ids = (await secrets.keys())
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length));
      return [...knownIds.filter((id) => ids.includes(id)), ...ids.filter((id) => !knownIds.includes(id)).sort()];
    },
  };
}
