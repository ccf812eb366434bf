import { resolveHeaders } from "../../src/extension/models/headers.ts";
import { type Keys, secretId } from "../../src/extension/models/keys.ts";
import { type ArborSettings, parseSettings } from "../../src/extension/settings/settings.ts";

/** Settings from what a user would write, full names to values. */
export function settingsFrom(raw: Record<string, unknown> = {}): ArborSettings {
  return parseSettings(raw).settings;
}

/** Keys by provider id, kept in memory. */
export function memoryKeys(stored: Record<string, string> = {}): Keys {
  const keys = new Map(Object.entries(stored));
  return {
    get: async (provider) => keys.get(provider.id),
    headers: ({ headers = {} }) =>
      resolveHeaders(headers, { environment: {}, secret: async (name) => keys.get(secretId(name)) }),
    set: async (providerId, key) => {
      keys.set(providerId, key);
    },
    remove: async (providerId) => {
      keys.delete(providerId);
    },
    stored: async () => [...keys.keys()],
  };
}
