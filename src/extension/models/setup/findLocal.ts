import { t } from "@vscode/l10n";
import { modelName } from "../catalog.ts";
import { isLocal, listProviders, type Provider } from "../providers.ts";
import { modelText } from "./modelItems.ts";
import type { ModelSetUp } from "./modelSetUp.ts";
import type { Choice } from "./prompts.ts";

/** A server on this machine answers at once, or it is not there. */
const patienceMs = 2_500;

/**
 * Looks for model servers on this machine, where they listen by default or where the settings say, and has the user
 * choose one of their models; resolves to its name. Nothing is asked before the user wants it.
 */
export async function findLocalModel(context: ModelSetUp): Promise<string | undefined> {
  const { settings, prompts, lists, reported } = context;
  for (;;) {
    const servers = listProviders(settings()).filter(isLocal);
    const found = await prompts.during(t("Looking for model servers on this machine…"), async (signal) => {
      const listings = await Promise.all(
        servers.map((server) => lists.refresh(server, signal, { timeoutMs: patienceMs })),
      );
      return signal.aborted ? undefined : servers.filter((_, index) => listings[index]?.ok === true);
    });
    if (found === undefined) return undefined;
    const answered = listProviders(settings(), reported).filter(({ id }) => found.some((server) => server.id === id));
    const choices = answered.flatMap(modelChoices);
    if (choices.length > 0) {
      const placeholder = t("Model of a server on this machine");
      return prompts.choose({ title: t("Arbor: Local Models"), placeholder, choices });
    }
    const again = t("Try Again");
    if ((await prompts.showMessage(nothingText(found, servers), again)) !== again) return undefined;
  }
}

/** The models of one provider, to choose from. */
export function modelChoices(provider: Provider): Choice<string>[] {
  return provider.models.map((model) => ({
    label: model.name ?? model.id,
    detail: modelText(model),
    group: provider.label,
    value: modelName({ id: model.id, provider: provider.id }),
  }));
}

function nothingText(found: readonly Provider[], servers: readonly Provider[]): string {
  if (found.length > 0) {
    const names = found.map(({ label }) => label).join(", ");
    return t("{0} answered, but has no models yet. Download or load one there, then try again.", names);
  }
  const places = servers.map(({ label, baseUrl }) => `${label} (${hostOf(baseUrl)})`).join(", ");
  return t("No model server answered on this machine. Looked for {0}. Start one, then try again.", places);
}

function hostOf(baseUrl: string | undefined): string {
  return baseUrl === undefined ? "" : new URL(baseUrl).host;
}
