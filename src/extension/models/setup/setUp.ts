import { t } from "@vscode/l10n";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import { demoModel } from "../../demo/demoModel.ts";
import { modelName } from "../catalog.ts";
import type { ModelFacts } from "../facts.ts";
import { wellKnownModels } from "../modelTable.ts";
import { editorProviderId, findProvider, type Provider } from "../providers.ts";
import { findLocalModel, modelChoices } from "./findLocal.ts";
import { isRejected, listFault, type ModelSetUp, mayStore } from "./modelSetUp.ts";
import { addServer } from "./otherServer.ts";
import type { Choice } from "./prompts.ts";
import { askKey, cleanKey, keyPageOf, providerOfKey } from "./setApiKey.ts";

type Way =
  | { type: "provider"; provider: Provider }
  /** The user pasted a key instead of choosing. */
  | { type: "key"; provider: Provider; key: string }
  | { type: "local" | "editor" | "other" | "demo" };

/** Leads from nothing to a model that can answer; resolves to its name. Each step is a choice or a text. */
export async function setUpModel(context: ModelSetUp): Promise<string | undefined> {
  const way = await chooseWay(context);
  if (way === undefined) return undefined;
  switch (way.type) {
    case "provider":
      return ofKeyProvider(way.provider, context);
    case "key":
      return ofKeyProvider(way.provider, context, way.key);
    case "local":
      return findLocalModel(context);
    case "editor":
      return ofEditor(context);
    case "other": {
      const added = await addServer(context);
      return added === undefined ? undefined : chooseOf(added.provider, added.fault, context);
    }
    case "demo":
      return modelName(demoModel);
    default:
      return assertNever(way);
  }
}

async function chooseWay({ settings, keys, prompts }: ModelSetUp): Promise<Way | undefined> {
  const choices: Choice<Way>[] = [];
  for (const id of ["anthropic", "openai", "openrouter"]) {
    const provider = findProvider(id, settings());
    if (provider === undefined) continue;
    const hasKey = (await keys.get(provider)) !== undefined;
    const description = hasKey ? t("its API key is set") : t("needs an API key");
    const value: Way = { type: "provider", provider };
    choices.push({ label: provider.label, description, ...keyPageOf(provider), value });
  }
  const servers = t("Ollama, LM Studio, llama.cpp or vLLM; no key");
  const editor = t("of GitHub Copilot and other extensions; no key");
  choices.push(
    { label: t("Servers on this machine"), description: servers, value: { type: "local" } },
    { label: t("Models of the editor"), description: editor, value: { type: "editor" } },
    { label: t("Another server"), description: t("any address that speaks a known API"), value: { type: "other" } },
    { label: t("Demo"), description: t("offline, scripted"), value: { type: "demo" } },
  );
  const readPasted = (text: string): Way | undefined => {
    const provider = findProvider(providerOfKey(cleanKey(text)) ?? "", settings());
    return provider && { type: "key", provider, key: cleanKey(text) };
  };
  const placeholder = t("Choose a provider, or paste an API key");
  return prompts.choose({ title: t("Arbor: Set Up a Model"), placeholder, choices, readPasted });
}

/** With a key that the provider accepts, as far as it can be reached: one that is pasted or typed is tried before it is stored. */
async function ofKeyProvider(provider: Provider, context: ModelSetUp, pasted?: string): Promise<string | undefined> {
  const { keys, prompts, lists } = context;
  let fault = "";
  let triedKey = pasted;
  for (;;) {
    if (fault !== "" || (triedKey === undefined && (await keys.get(provider)) === undefined)) {
      const key = await askKey(provider, prompts, fault);
      if (key === undefined) return undefined;
      triedKey = cleanKey(key);
    }
    const listing = await prompts.during(t("Listing the models of {0}…", provider.label), (signal) =>
      lists.refresh(provider, signal, { triedKey }),
    );
    if (!isRejected(listing)) {
      if (triedKey !== undefined) {
        if (!(await mayStore(provider, listing, prompts))) return undefined;
        await keys.set(provider.id, triedKey);
      }
      const recommended = listing.ok && pasted !== undefined ? recommendedModel(provider, context) : undefined;
      return recommended ?? chooseOf(provider, listFault(provider, listing), context);
    }
    fault = listFault(provider, listing) ?? "";
    // A key of the environment can't be replaced here.
    if (provider.apiKeyEnv !== undefined) {
      void prompts.showMessage(fault);
      return undefined;
    }
  }
}

/** The first of the well-known models that the provider lists: it can be changed where messages are written. */
function recommendedModel({ id }: Provider, { settings, reported }: ModelSetUp): string | undefined {
  const { reported: listed = [], isSame } = findProvider(id, settings(), reported)?.sources ?? {};
  const own = wellKnownModels[id]?.find((known) => listed.some((model) => isSame?.(model.id, known.id)));
  const model = own ?? (id === "openrouter" ? resoldModel(listed) : undefined);
  return model && modelName({ id: model.id, provider: id });
}

/** OpenRouter serves the models of others, as `maker/id`, and writes versions with dots. */
function resoldModel(listed: readonly ModelFacts[]): ModelFacts | undefined {
  const plain = (id: string) => id.replaceAll(".", "-");
  const known = Object.entries(wellKnownModels).flatMap(([maker, models]) => models.map(({ id }) => `${maker}/${id}`));
  const found = known.map((name) => listed.find(({ id, tools }) => tools !== false && plain(id) === plain(name)));
  return found.find((model) => model !== undefined);
}

/** One of those that are known, or one that the user names: also where nothing could be listed. */
async function chooseOf(
  provider: Provider,
  fault: string | undefined,
  context: ModelSetUp,
): Promise<string | undefined> {
  const { settings, reported, prompts } = context;
  const known = modelChoices(findProvider(provider.id, settings(), reported) ?? provider);
  const other: Choice<string> = { label: t("Enter a model ID…"), value: "" };
  const title = t("Arbor: Model of {0}", provider.label);
  const placeholder = fault ?? t("Model");
  const chosen = known.length === 0 ? "" : await prompts.choose({ title, placeholder, choices: [...known, other] });
  if (chosen !== "") return chosen;
  const id = await prompts.askText({
    title,
    prompt: fault ?? t("Model ID, as {0} writes it", provider.label),
    findFault: (value) => (/^\S+$/.test(value.trim()) ? undefined : t("A model ID can't be empty or have spaces.")),
  });
  return id === undefined ? undefined : modelName({ id: id.trim(), provider: provider.id });
}

async function ofEditor(context: ModelSetUp): Promise<string | undefined> {
  const { settings, reported, prompts, editorModels } = context;
  await prompts.during(t("Listing the models of the editor…"), () => editorModels.refresh());
  const provider = findProvider(editorProviderId, settings(), reported);
  const choices = provider === undefined ? [] : modelChoices(provider);
  if (choices.length > 0) {
    return prompts.choose({ title: t("Arbor: Models of the Editor"), placeholder: t("Model"), choices });
  }
  const hint = t(
    "The editor has no language models. Install an extension that has some, such as GitHub Copilot, and sign in.",
  );
  const back = t("Back");
  return (await prompts.showMessage(hint, back)) === back ? setUpModel(context) : undefined;
}
