import { t } from "@vscode/l10n";
import { type ProviderSettings, parseProviders } from "../providerSettings.ts";
import { findProvider, type Provider } from "../providers.ts";
import { isRejected, listFault, type ModelSetUp, mayStore } from "./modelSetUp.ts";
import type { Choice } from "./prompts.ts";
import { cleanKey, findKeyFault } from "./setApiKey.ts";

type WireName = NonNullable<ProviderSettings["type"]>;

interface AddedServer {
  provider: Provider;
  /** Why its models are not known, as a sentence. */
  fault: string | undefined;
}

/** Asks for a server's name, address, API and key, tries them, and writes them to the user's settings. */
export async function addServer(context: ModelSetUp): Promise<AddedServer | undefined> {
  const { settings, keys, prompts, saveProvider } = context;
  const title = t("Arbor: Add a Server");
  const id = await prompts.askText({
    title,
    prompt: t("Short name, used as model prefix"),
    placeholder: "my-server",
    findFault: (value) => findNameFault(value.trim(), context),
  });
  if (id === undefined) return undefined;
  const type = await prompts.choose({ title, placeholder: t("API type"), choices: wires() });
  if (type === undefined) return undefined;
  const baseUrl = await prompts.askText({
    title,
    prompt:
      type === "anthropic"
        ? t("Base URL without the version, e.g. https://example.com")
        : t("Base URL, e.g. http://localhost:1234/v1"),
    placeholder: type === "anthropic" ? "https://example.com" : "https://example.com/v1",
    findFault: (value) => findEntryFault({ type, baseUrl: value.trim() }),
  });
  if (baseUrl === undefined) return undefined;
  const entry: ProviderSettings = { type, baseUrl: baseUrl.trim() };
  const known = settings();
  // As it will be: the editor may report its changed settings only later.
  const provider = findProvider(id.trim(), { ...known, providers: { ...known.providers, [id.trim()]: entry } });
  if (provider === undefined) return undefined;
  const found = await askWorkingKey(title, provider, context);
  if (found === undefined) return undefined;
  const { key, fault } = found;
  await saveProvider(id.trim(), entry);
  // A key that was stored for another server of that name must not go to this one.
  if (key === "") await keys.remove(id.trim());
  else await keys.set(id.trim(), key);
  return { provider, fault };
}

/** A key with which the server lists its models, "" where it wants none; undefined when the user left. */
async function askWorkingKey(
  title: string,
  provider: Provider,
  context: ModelSetUp,
): Promise<{ key: string; fault: string | undefined } | undefined> {
  const { prompts, lists } = context;
  let fault = "";
  for (;;) {
    const key = await askOptionalKey(title, prompts, fault);
    if (key === undefined) return undefined;
    const listing = await prompts.during(t("Listing the models of {0}…", provider.label), (signal) =>
      lists.refresh(provider, signal, { triedKey: key }),
    );
    const why = listFault(provider, listing);
    if (!isRejected(listing)) return (await mayStore(provider, listing, prompts)) ? { key, fault: why } : undefined;
    fault = why ?? "";
  }
}

function wires(): Choice<WireName>[] {
  return [
    { label: t("Chat Completions"), description: t("most servers and gateways"), value: "openai-chat" },
    { label: t("Responses"), description: t("as OpenAI's own API"), value: "openai" },
    { label: "Messages", description: t("as Anthropic's own API"), value: "anthropic" },
  ];
}

function findNameFault(id: string, { settings }: ModelSetUp): string | undefined {
  if (!/^[\w.-]+$/.test(id) || id === "__proto__") return t("Use letters, digits, dots and dashes alone.");
  const isTaken = id === "demo" || findProvider(id, settings()) !== undefined;
  return isTaken ? t('There is a provider "{0}" already: take another name.', id) : undefined;
}

function findEntryFault(entry: ProviderSettings): string | undefined {
  const [problem] = parseProviders({ server: entry }).problems;
  return problem === undefined ? undefined : t("The address {0}.", problem.message);
}

/** "" for a server that wants none; undefined when the user left. */
async function askOptionalKey(
  title: string,
  prompts: ModelSetUp["prompts"],
  fault: string,
): Promise<string | undefined> {
  const stored = t("API key, or empty if none is needed. Stored only in the editor's secret storage.");
  const key = await prompts.askText({
    title,
    prompt: fault === "" ? stored : fault,
    isSecret: true,
    findFault: (value) => (cleanKey(value) === "" ? undefined : findKeyFault(value)),
  });
  return key === undefined ? undefined : cleanKey(key);
}
