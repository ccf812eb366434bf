import * as z from "zod";
import type { ArborSettings } from "../settings/settings.ts";
import type { Keys } from "./keys.ts";
import { unknownProviderProblem } from "./problems.ts";
import { findProvider, listProviders, type Provider } from "./providers.ts";

/** How the user is asked; undefined means that they left. */
export interface KeyPrompts {
  pickProvider(providers: readonly Provider[]): Promise<Provider | undefined>;
  askKey(provider: Provider): Promise<string | undefined>;
}

export type KeyOutcome =
  | { type: "stored" | "removed"; provider: Provider }
  | { type: "canceled" }
  | { type: "refused"; text: string };

interface KeyDependencies {
  settings: ArborSettings;
  keys: Keys;
  prompts: KeyPrompts;
}

const commandArguments = z.object({ provider: z.string(), key: z.string().exactOptional() }).optional();

/** Stores a provider's key. What `input` (a command's argument) leaves open, the user is asked. */
export async function setApiKey(input: unknown, { settings, keys, prompts }: KeyDependencies): Promise<KeyOutcome> {
  const given = commandArguments.safeParse(input);
  if (!given.success) {
    return { type: "refused", text: 'arbor.setApiKey takes { "provider": "…", "key": "…" }, or nothing to be asked.' };
  }
  const chosen = await chooseProvider(given.data?.provider, settings, prompts);
  if (chosen.type !== "chosen") return chosen;
  const key = given.data?.key ?? (await prompts.askKey(chosen.provider));
  if (key === undefined) return { type: "canceled" };
  const fault = findKeyFault(key);
  if (fault !== undefined) return { type: "refused", text: fault };
  await keys.set(chosen.provider.id, key);
  return { type: "stored", provider: chosen.provider };
}

/** Removes a provider's key from the secret storage. */
export async function removeApiKey(input: unknown, { settings, keys, prompts }: KeyDependencies): Promise<KeyOutcome> {
  const given = z.object({ provider: z.string() }).optional().safeParse(input);
  if (!given.success)
    return { type: "refused", text: 'arbor.removeApiKey takes { "provider": "…" }, or nothing to be asked.' };
  const chosen = await chooseProvider(given.data?.provider, settings, prompts);
  if (chosen.type !== "chosen") return chosen;
  await keys.remove(chosen.provider.id);
  return { type: "removed", provider: chosen.provider };
}

/** What keeps a text from being a key, as a sentence that does not repeat it. */
export function findKeyFault(key: string): string | undefined {
  if (key.trim() === "") return "The key is empty: paste the one your provider gave you.";
  // Anything else can't stand in an HTTP header.
  return /^[\x21-\x7e]+$/.test(key.trim()) ? undefined : "A key has no spaces or special characters: copy it again.";
}

async function chooseProvider(
  id: string | undefined,
  settings: ArborSettings,
  prompts: KeyPrompts,
): Promise<{ type: "chosen"; provider: Provider } | Exclude<KeyOutcome, { type: "stored" | "removed" }>> {
  const providers = listProviders(settings);
  if (id === undefined) {
    const provider = await prompts.pickProvider(providers);
    return provider === undefined ? { type: "canceled" } : { type: "chosen", provider };
  }
  const provider = findProvider(id, settings);
  if (provider !== undefined) return { type: "chosen", provider };
  const known = providers.map((candidate) => candidate.id);
  return { type: "refused", text: unknownProviderProblem(id, known).text };
}
