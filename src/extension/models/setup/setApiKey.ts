import { t } from "@vscode/l10n";
import * as z from "zod";
import { referenceTo, secretsOf } from "../headers.ts";
import { type Keys, secretId } from "../keys.ts";
import { unknownProviderProblem } from "../problems.ts";
import type { ModelsSettings } from "../providerSettings.ts";
import { listProviders, type Provider } from "../providers.ts";
import type { Choice, HelpPage, Prompts } from "./prompts.ts";

export type KeyOutcome =
  /** Without a provider it is a value that headers refer to. */
  | { type: "stored"; label: string; provider?: Provider; wasAsked: boolean }
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
  const owner = await chooseOwner(given.data?.provider, settings, prompts);
  if (owner === undefined) return { type: "canceled" };
  if (typeof owner === "string") return { type: "refused", text: owner };
  const key = given.data?.key ?? owner.pasted ?? (await askKey(owner, prompts));
  if (key === undefined) return { type: "canceled" };
  const fault = findKeyFault(key);
  if (fault !== undefined) return { type: "refused", text: fault };
  await keys.set(owner.id, cleanKey(key));
  const { label, provider } = owner;
  const wasAsked = given.data?.key === undefined;
  return { type: "stored", label, ...(provider === undefined ? {} : { provider }), wasAsked };
}

/** What a key is stored for: a provider, or headers that refer to it. */
interface KeyOwner {
  id: string;
  label: string;
  keyPage?: string | undefined;
  provider?: Provider;
  /** The key itself, where the user pasted it instead of choosing. */
  pasted?: string;
}

function ownerOf(provider: Provider): KeyOwner {
  const { id, label, keyPage } = provider;
  return { id, label, keyPage, provider };
}

/** Where keys of a provider are made, as a question for one offers it. */
export function keyPageOf({ label, keyPage }: Pick<KeyOwner, "label" | "keyPage">): { page?: HelpPage } {
  return keyPage === undefined ? {} : { page: { label: t("Create an API key for {0}", label), url: keyPage } };
}

/** The values of the secret storage that headers of the settings refer to. */
function secretOwners(settings: ModelsSettings): KeyOwner[] {
  const names = Object.values(settings.providers).flatMap(({ headers }) => secretsOf(headers));
  return [...new Set(names)].map((name) => ({ id: secretId(name), label: referenceTo("secret", name) }));
}

/** Asks for a key, with what was wrong with the last one. */
export function askKey(
  owner: Pick<KeyOwner, "label" | "keyPage">,
  prompts: Pick<Prompts, "askText">,
  fault = "",
): Promise<string | undefined> {
  const kept = t("Stored only in the editor's secret storage.");
  return prompts.askText({
    title: t("Arbor: API Key for {0}", owner.label),
    prompt: fault === "" ? kept : fault,
    isSecret: true,
    ...keyPageOf(owner),
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
  // Anything else is invalid in an HTTP header.
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  if (/\s/.test(key)) return t("A key has no spaces or line breaks: copy it again, in one piece.");
  return t("A key has no special characters: copy it again.");
}

/** What keys look like. Many others begin with "sk-", too: those are not sent to OpenAI, whose keys all have the same middle. */
const keyForms = [
  [/^sk-ant-/, "anthropic"],
  [/^sk-or-/, "openrouter"],
  [/^sk-(?:proj|svcacct|admin)-|^sk-\w+T3BlbkFJ/, "openai"],
] as const;
const minKeyLength = 20;

/** The provider that gives out such keys. */
export function providerOfKey(key: string): string | undefined {
  if (key.length < minKeyLength || findKeyFault(key) !== undefined) return undefined;
  return keyForms.find(([form]) => form.test(key))?.[1];
}

/** Whose key it is, or why nothing has that name; undefined when the user left. */
async function chooseOwner(
  id: string | undefined,
  settings: ModelsSettings,
  prompts: Pick<Prompts, "choose">,
): Promise<KeyOwner | string | undefined> {
  const providers = listProviders(settings).filter(({ wire }) => wire !== "vscode");
  const secrets = secretOwners(settings);
  if (id !== undefined) {
    const found = [...providers.map(ownerOf), ...secrets].find((owner) => owner.id === id);
    return (
      found ??
      unknownProviderProblem(
        id,
        [...providers, ...secrets].map((owner) => owner.id),
      ).text
    );
  }
  const choices = providers.map((provider): Choice<KeyOwner> => {
    const description = provider.needsKey ? provider.id : t("{0} (works without a key)", provider.id);
    return { label: provider.label, description, ...keyPageOf(provider), value: ownerOf(provider) };
  });
  for (const secret of secrets) choices.push({ label: secret.label, description: t("used in headers"), value: secret });
  const readPasted = (text: string): KeyOwner | undefined => {
    const provider = providers.find(({ id }) => id === providerOfKey(cleanKey(text)));
    return provider && { ...ownerOf(provider), pasted: text };
  };
  const placeholder = t("Choose a provider, or paste an API key");
  return prompts.choose({ title: t("Arbor: Set API Key"), placeholder, choices, readPasted });
}
