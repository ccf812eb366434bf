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
  set(providerId: string, key: string): Promise<void>;
  remove(providerId: string): Promise<void>;
  /** Ids of the providers whose key is stored, those that the settings no longer know, too. */
  stored(knownIds: readonly string[]): Promise<string[]>;
}

const prefix = "arbor.key.";

export function createKeys(secrets: SecretStore, environment: Readonly<Record<string, string | undefined>>): Keys {
  return {
    get: async ({ id, apiKeyEnv }) => {
      const fromEnvironment = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]?.trim();
      return fromEnvironment || (await secrets.get(prefix + id)) || undefined;
    },
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
