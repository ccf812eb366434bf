import { t } from "@vscode/l10n";
import * as z from "zod";
import type { Keys } from "../keys.ts";
import { unknownProviderProblem } from "../problems.ts";
import type { ModelsSettings } from "../providerSettings.ts";
import { findProvider, listProviders, type Provider } from "../providers.ts";
import type { Choice, Prompts } from "./prompts.ts";

export type KeyOutcome =
  | { type: "stored"; provider: Provider; wasAsked: boolean }
  | { type: "removed"; providerId: string }
  | { type: "canceled" }
  | { type: "refused"; text: string };

interface KeyDependencies {
  settings: ModelsSettings;
  keys: Keys;
  prompts: Pick<Prompts, "choose" | "askText">;
}

const commandArguments = z.object({ provider: z.string(), key: z.string().exactOptional() }).optional();

/** Stores a provider's key. What `input` (a command's argument) leaves open, the user is asked. */
export async function setApiKey(input: unknown, { settings, keys, prompts }: KeyDependencies): Promise<KeyOutcome> {
  const given = commandArguments.safeParse(input);
  if (!given.success) {
    return { type: "refused", text: 'arbor.setApiKey takes { "provider": "…", "key": "…" }, or nothing to be asked.' };
  }
  const provider = await chooseProvider(given.data?.provider, settings, prompts);
  if (provider === undefined) return { type: "canceled" };
  if (typeof provider === "string") return { type: "refused", text: provider };
  const key = given.data?.key ?? (await askKey(provider, prompts));
  if (key === undefined) return { type: "canceled" };
  const fault = findKeyFault(key);
  if (fault !== undefined) return { type: "refused", text: fault };
  await keys.set(provider.id, cleanKey(key));
  return { type: "stored", provider, wasAsked: given.data?.key === undefined };
}

/** Asks for a key, with what was wrong with the last one. */
export function askKey(provider: Provider, prompts: Pick<Prompts, "askText">, fault = ""): Promise<string | undefined> {
  const kept = t("Stored only in the editor's secret storage.");
  return prompts.askText({
    title: t("Arbor: API Key for {0}", provider.label),
    prompt: fault === "" ? kept : fault,
    isSecret: true,
    findFault: findKeyFault,
  });
}

/** Removes a key from the secret storage: the one of `input` (a command's argument), or one of those that are there. */
export async function removeApiKey(input: unknown, { settings, keys, prompts }: KeyDependencies): Promise<KeyOutcome> {
  const given = z.object({ provider: z.string() }).optional().safeParse(input);
  if (!given.success) {
    return { type: "refused", text: 'arbor.removeApiKey takes { "provider": "…" }, or nothing to be asked.' };
  }
  const providers = listProviders(settings);
  const stored = await keys.stored(providers.map(({ id }) => id));
  const named = given.data?.provider;
  if (named !== undefined && !stored.includes(named)) return { type: "refused", text: notStored(named, stored) };
  if (stored.length === 0) return { type: "refused", text: t("No API key is stored, so there is none to remove.") };
  const choices = stored.map((id): Choice<string> => {
    const label = providers.find((provider) => provider.id === id)?.label ?? id;
    return { label, description: id, value: id };
  });
  const placeholder = t("Key to remove");
  const providerId = named ?? (await prompts.choose({ title: t("Arbor: Remove API Key"), placeholder, choices }));
  if (providerId === undefined) return { type: "canceled" };
  await keys.remove(providerId);
  return { type: "removed", providerId };
}

function notStored(providerId: string, stored: readonly string[]): string {
  if (stored.length === 0) return t("No API key is stored, so there is none to remove.");
  return t('No key is stored for "{0}". Stored are keys for {1}.', providerId, stored.join(", "));
}

/** A key as people paste it, without what is around it: blanks, line ends, quotes, the word that a header begins with. */
export function cleanKey(pasted: string): string {
  const bare = pasted.trim().replace(/^bearer\s+/i, "");
  const quoted = /^(["'`])(.*)\1$/s.exec(bare);
  return quoted === null ? bare : (quoted[2] ?? "").trim();
}

/** What keeps a text from being a key, as a sentence that does not repeat it. */
export function findKeyFault(pasted: string): string | undefined {
  const key = cleanKey(pasted);
  if (key === "") return t("The key is empty: paste the one your provider gave you.");
  // Anything else can't stand in an HTTP header.
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  if (/\s/.test(key)) return t("A key has no spaces or line breaks: copy it again, in one piece.");
  return t("A key has no special characters: copy it again.");
}

/** The provider, or why there is none; undefined when the user left. */
async function chooseProvider(
  id: string | undefined,
  settings: ModelsSettings,
  prompts: Pick<Prompts, "choose">,
): Promise<Provider | string | undefined> {
  const providers = listProviders(settings).filter(({ wire }) => wire !== "vscode");
  if (id !== undefined) {
    const known = providers.map((provider) => provider.id);
    return known.includes(id) ? findProvider(id, settings) : unknownProviderProblem(id, known).text;
  }
  const choices = providers.map((provider): Choice<Provider> => {
    const description = provider.needsKey ? provider.id : t("{0} (works without a key)", provider.id);
    return { label: provider.label, description, value: provider };
  });
  return prompts.choose({ title: t("Arbor: Set API Key"), placeholder: t("Provider"), choices });
}
