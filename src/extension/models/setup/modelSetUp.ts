import { t } from "@vscode/l10n";
import { errorText } from "../../../agent/vocabulary/errors.ts";
import { baseUrlOf } from "../catalog/listModels.ts";
import { isKeyRejected, listFaultText, type ModelListing } from "../catalog/listReading.ts";
import type { ModelLists } from "../catalog/modelLists.ts";
import { readyProviders } from "../catalog.ts";
import type { EditorModelList } from "../editor/editorModelList.ts";
import type { ReportedModels } from "../facts.ts";
import type { Keys } from "../keys.ts";
import type { ModelPreferences } from "../preferences.ts";
import type { ModelsSettings, ProviderSettings } from "../providerSettings.ts";
import type { Provider } from "../providers.ts";
import type { Prompts } from "./prompts.ts";

/** What it takes to set up, list and choose models. */
export interface ModelSetUpParts {
  settings(): ModelsSettings;
  keys: Keys;
  reported: ReportedModels;
  lists: Pick<ModelLists, "refresh" | "refreshStale">;
  editorModels: Pick<EditorModelList, "refresh">;
  preferences: ModelPreferences;
  prompts: Prompts;
  /** Writes an entry of `arbor.providers` to the user's settings. */
  saveProvider(id: string, entry: ProviderSettings): Promise<void>;
  /** Work that is not waited for; its failure is only logged. */
  inBackground(work: Promise<unknown>): void;
}

export interface ModelSetUp extends ModelSetUpParts {
  /** Asks all providers that are set up what they have; resolves to sentences about those that failed. */
  refreshAll(force: boolean): Promise<string[]>;
}

export function createModelSetUp(parts: ModelSetUpParts): ModelSetUp {
  const { settings, keys, reported, lists, editorModels } = parts;
  return {
    ...parts,
    refreshAll: async (force) => {
      const ready = (await readyProviders(settings(), keys, reported)).filter(({ wire }) => wire !== "vscode");
      const refreshing = force
        ? ready.map(async (provider) =>
            listFault(provider, await lists.refresh(provider, new AbortController().signal)),
          )
        : [lists.refreshStale(ready).then(() => undefined)];
      const faults = await Promise.all([...refreshing, editorFault(editorModels)]);
      return faults.filter((fault) => fault !== undefined);
    },
  };
}

/** Whatever is wrong with models of other extensions, those of providers can still be chosen. */
async function editorFault(editorModels: ModelSetUpParts["editorModels"]): Promise<string | undefined> {
  try {
    await editorModels.refresh();
    return undefined;
  } catch (error) {
    return t("The editor could not list its models: {0}", errorText(error));
  }
}

/** What went wrong with a list, as a sentence. */
export function listFault(provider: Provider, listing: ModelListing): string | undefined {
  if (listing.ok) return undefined;
  return listFaultText(listing.fault, { label: provider.label, host: new URL(baseUrlOf(provider)).host });
}

/** Whether the provider was reached and has not rejected the key, or the user wants to store it all the same. */
export async function mayStore(provider: Provider, listing: ModelListing, prompts: Prompts): Promise<boolean> {
  if (listing.ok || listing.fault.type === "status" || listing.fault.type === "noKey") return !isRejected(listing);
  const anyway = t("Store anyway");
  return (await prompts.showMessage(listFault(provider, listing) ?? "", anyway)) === anyway;
}

/** The provider does not accept the key. */
export function isRejected(listing: ModelListing): boolean {
  return !listing.ok && isKeyRejected(listing.fault);
}
