import type { Provider } from "./providers.ts";

/** The part of the editor's secret storage that keys need. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** API keys by provider. They live in the editor's secret storage alone, or in the environment when the user says so. */
export interface Keys {
  get(provider: Pick<Provider, "id" | "apiKeyEnv">): Promise<string | undefined>;
  set(providerId: string, key: string): Promise<void>;
  remove(providerId: string): Promise<void>;
}

export function createKeys(secrets: SecretStore, environment: Readonly<Record<string, string | undefined>>): Keys {
  return {
    get: async ({ id, apiKeyEnv }) => {
      const fromEnvironment = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]?.trim();
      return fromEnvironment || (await secrets.get(secretName(id))) || undefined;
    },
    set: async (providerId, key) => {
      await secrets.store(secretName(providerId), key.trim());
    },
    remove: async (providerId) => {
      await secrets.delete(secretName(providerId));
    },
  };
}

function secretName(providerId: string): string {
  return `arbor.key.${providerId}`;
}
