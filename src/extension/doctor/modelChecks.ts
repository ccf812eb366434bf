import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { baseUrlOf } from "../models/catalog/listModels.ts";
import { isKeyRejected, type ListFault, listFaultText } from "../models/catalog/listReading.ts";
import type { ModelLists } from "../models/catalog/modelLists.ts";
import { readyProviders, resolveModel } from "../models/catalog.ts";
import type { EditorModelList } from "../models/editor/editorModelList.ts";
import type { ReportedModels } from "../models/facts.ts";
import type { Keys } from "../models/keys.ts";
import type { ModelsSettings } from "../models/providerSettings.ts";
import type { Provider } from "../models/providers.ts";
import { type Check, type Fix, openSetting } from "./check.ts";

export interface ModelCheckSources {
  settings: ModelsSettings;
  keys: Keys;
  reported: ReportedModels;
  lists: Pick<ModelLists, "refresh">;
  editorModels: Pick<EditorModelList, "refresh">;
}

const maxAnswerMs = 8_000;

/** The models in use, and each provider that is set up: that it answers, and that it accepts its key. */
export async function checkModels(sources: ModelCheckSources, signal: AbortSignal): Promise<Check[]> {
  const { settings, keys, reported } = sources;
  const names = [...new Set([settings.model, settings.subAgentModel].filter((name) => name !== ""))];
  const named = names.map((name) => resolveModel(name, settings, reported));
  const used = named.flatMap((resolved) => (resolved.ok && resolved.provider !== undefined ? [resolved.provider] : []));
  const ready = await readyProviders(settings, keys, reported);
  const providers = [...used, ...ready].filter(
    ({ id }, index, all) => all.findIndex((other) => other.id === id) === index,
  );
  const models = names.map((name, index) => {
    const resolved = named[index];
    const title = index === 0 ? t("Model") : t("Model of sub-agents");
    return resolved === undefined ? [] : [checkName(title, name, resolved)];
  });
  return [
    ...models.flat(),
    ...(await Promise.all(providers.map((provider) => checkProvider(provider, sources, signal)))),
  ];
}

function checkName(title: string, name: string, resolved: ReturnType<typeof resolveModel>): Check {
  const select: Fix = { label: t("Select Model"), command: "arbor.selectModel" };
  if (!resolved.ok) return { title, state: "problem", text: resolved.problem.text, fix: select };
  if (resolved.provider !== undefined) return { title, state: "ok", text: name };
  const text = t("{0} follows rules and is not a language model. Connect one to get real answers.", name);
  return { title, state: "warning", text, fix: { label: t("Set Up a Model"), command: "arbor.setUp" } };
}

async function checkProvider(provider: Provider, sources: ModelCheckSources, signal: AbortSignal): Promise<Check> {
  const title = provider.label;
  if (provider.wire === "vscode") return checkEditorModels(title, sources);
  const host = new URL(baseUrlOf(provider)).host;
  const listing = await sources.lists.refresh(provider, signal, { timeoutMs: maxAnswerMs });
  const hasKey = (await sources.keys.get(provider)) !== undefined;
  if (listing.ok) {
    const { length } = listing.models;
    const text = hasKey
      ? t("{0} answers and accepts the key. Models: {1}.", host, length)
      : t("{0} answers. Models: {1}.", host, length);
    return { title, state: "ok", text };
  }
  // Some servers answer requests of agents, but list nothing.
  const isOnlyListing = listing.fault.type === "status" && listing.fault.status === 404;
  const text = keyText(provider, listing.fault) ?? listFaultText(listing.fault, { label: title, host });
  return { title, state: isOnlyListing ? "warning" : "problem", text, fix: fixOf(provider, listing.fault) };
}

/** A key of the environment is replaced there. */
function keyText({ label, apiKeyEnv }: Provider, fault: ListFault): string | undefined {
  if (fault.type !== "noKey" || apiKeyEnv === undefined) return undefined;
  return t("{0} needs an API key, and the environment variable {1} is empty.", label, apiKeyEnv);
}

function fixOf({ id, apiKeyEnv }: Provider, fault: ListFault): Fix {
  const isKey = fault.type === "noKey" || isKeyRejected(fault);
  if (isKey && apiKeyEnv === undefined) {
    return { label: t("Set API Key"), command: "arbor.setApiKey", arguments: [{ provider: id }] };
  }
  return openSetting(t("Open Provider Settings"), "arbor.providers");
}

async function checkEditorModels(title: string, { editorModels }: ModelCheckSources): Promise<Check> {
  try {
    const { length } = await editorModels.refresh();
    if (length > 0) return { title, state: "ok", text: t("Models of other extensions: {0}.", length) };
    const text = t("The editor lists no models. Sign in to an extension that has some.");
    return { title, state: "problem", text, fix: { label: t("Select Model"), command: "arbor.selectModel" } };
  } catch (error) {
    const text = t("The editor could not list its models: {0}", errorText(error));
    return { title, state: "problem", text, fix: { label: t("Show Log"), command: "arbor.showLog" } };
  }
}
