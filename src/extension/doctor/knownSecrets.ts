import type { Keys } from "../models/keys.ts";
import type { ModelsSettings } from "../models/providerSettings.ts";
import { listProviders } from "../models/providers.ts";

/** Whatever a provider's server would take for a proof of who asks. One that can't be read is in no check's text either. */
export async function knownSecrets(settings: ModelsSettings, keys: Keys): Promise<string[]> {
  const providers = listProviders(settings);
  const stored = await keys.stored(providers.map(({ id }) => id)).catch((): string[] => []);
  const read = [
    ...providers.map(async (provider) => [(await keys.get(provider)) ?? ""]),
    ...providers.map(async (provider) => {
      const headers = await keys.headers(provider);
      return headers.ok ? Object.values(headers.headers) : [];
    }),
    ...stored.map(async (id) => [(await keys.get({ id })) ?? ""]),
  ];
  const secrets = (await Promise.allSettled(read)).flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  // A secret that is a part of another one would leave the rest of it.
  return secrets.sort((one, other) => other.length - one.length);
}
