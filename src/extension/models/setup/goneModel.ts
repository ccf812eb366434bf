import { t } from "@vscode/l10n";
import { resolveModel } from "../catalog.ts";
import type { ModelFacts } from "../facts.ts";
import { editorProviderId, type Provider } from "../providers.ts";
import type { ModelSetUp } from "./modelSetUp.ts";

/** Whether a provider that has listed its models did not name this one, and the user did not describe it either. */
export function isGone(id: string, { sources }: Pick<Provider, "sources">): boolean {
  const { own, reported, isSame } = sources;
  if (reported === undefined) return false;
  const names = (model: ModelFacts) => model.id === id || model.alias === id || isSame(model.id, id);
  return !reported.some(names) && !own.some(names);
}

/** That a model is gone, in a few words. */
export function goneText({ id, label }: Pick<Provider, "id" | "label">): string {
  return id === editorProviderId ? t("not listed by the editor") : t("not listed by {0}", label);
}

/** Asks the provider of a chosen model what it has; resolves to a sentence when that model is not among it. */
export async function findGoneModel(name: string, context: ModelSetUp): Promise<string | undefined> {
  const { settings, reported, lists, editorModels } = context;
  const asked = resolveModel(name, settings());
  if (!asked.ok || asked.provider === undefined) return undefined;
  if (asked.provider.wire === "vscode") await editorModels.refresh();
  else await lists.refreshStale([asked.provider]);
  const fresh = resolveModel(name, settings(), reported);
  if (!fresh.ok || fresh.provider === undefined || !isGone(fresh.model.id, fresh.provider)) return undefined;
  const { id } = fresh.model;
  if (fresh.provider.wire === "vscode") {
    return t("The editor does not list a model {0}. It may have been renamed, or its extension is gone.", id);
  }
  const { label } = fresh.provider;
  return t(
    "{0} does not list a model {1}. It may have been renamed or taken away; it is asked for as it is.",
    label,
    id,
  );
}
