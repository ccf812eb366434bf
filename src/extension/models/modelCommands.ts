import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import { UserError } from "../common/userError.ts";
import { demoModel } from "../demo/demoModel.ts";
import { describeModel, modelName } from "./catalog.ts";
import type { Provider } from "./providers.ts";
import { findLocalModel } from "./setup/findLocal.ts";
import { findGoneModel } from "./setup/modelItems.ts";
import { listFault, type ModelSetUp } from "./setup/modelSetUp.ts";
import { type ModelRole, selectModel, useModel } from "./setup/selectModel.ts";
import { removeApiKey, setApiKey } from "./setup/setApiKey.ts";
import { setUpModel } from "./setup/setUp.ts";

/** Keys and models as commands; each gets the command's argument. */
export interface ModelCommands {
  setApiKey(input?: unknown): Promise<void>;
  removeApiKey(input?: unknown): Promise<void>;
  selectModel(input?: unknown): Promise<void>;
  selectSubAgentModel(input?: unknown): Promise<void>;
  /** Lets the user pick a model and changes no setting; undefined for none. */
  pickModel(title: string): Promise<string | undefined>;
  findLocalModels(): Promise<void>;
  /** From nothing to a model that can answer. */
  setUp(): Promise<void>;
  /** The demo answers from now on. To be called when it has: offers the model of before again. */
  useDemo(): Promise<() => Promise<void>>;
}

export interface ModelCommandsOptions {
  context: ModelSetUp;
  /** Of the main agent, and of sub-agents. */
  roles: { main: ModelRole; subAgents: ModelRole };
  /** Reports that a key was stored or removed; a model is a setting, which has an event of its own. */
  onChange(): void;
  /** Says for a moment that something was done. */
  mention(text: string): void;
}

export function createModelCommands({ context, roles, onChange, mention }: ModelCommandsOptions): ModelCommands {
  const { settings, keys, prompts } = context;

  /** Goes on to whatever was chosen instead of a model, and comes back to the list after a key. */
  async function choose(input: unknown, role: ModelRole): Promise<void> {
    const outcome = succeeded(await selectModel(input, role, context));
    if (outcome.type === "selected") context.inBackground(warnOfGone(outcome.model, role));
    if (outcome.type !== "other") return;
    const { picked } = outcome;
    switch (picked.type) {
      case "setKey":
        if (await storeKey({ provider: picked.providerId })) await choose(undefined, role);
        return;
      case "findLocal":
        return use(await findLocalModel(context), role);
      case "setUp":
        return use(await setUpModel(context), role);
      default:
        return assertNever(picked);
    }
  }

  async function use(name: string | undefined, role: ModelRole): Promise<void> {
    onChange();
    if (name !== undefined) succeeded(await useModel(name, role, context));
  }

  /** A name that the provider does not list is taken all the same: some answer to more names than they list. */
  async function warnOfGone(name: string, role: ModelRole): Promise<void> {
    const text = name === "" ? undefined : await findGoneModel(name, context);
    const select = t("Select Model");
    if (text !== undefined && (await prompts.showMessage(text, select)) === select) await choose(undefined, role);
  }

  async function storeKey(input: unknown): Promise<boolean> {
    const outcome = succeeded(await setApiKey(input, { settings: settings(), keys, prompts }));
    if (outcome.type !== "stored") return false;
    onChange();
    const { provider, label, wasAsked } = outcome;
    if (wasAsked && provider !== undefined) context.inBackground(offerCheck(provider));
    else mention(t("Arbor: the key for {0} is stored.", label));
    return true;
  }

  /** Whether a key is good is asked of its provider only when the user wants to know. */
  async function offerCheck(provider: Provider): Promise<void> {
    const check = t("Check Key");
    if ((await prompts.showMessage(t("The key for {0} is stored.", provider.label), check)) !== check) return;
    const listing = await prompts.during(t("Checking the key for {0}…", provider.label), (signal) =>
      context.lists.refresh(provider, signal),
    );
    const accepted = t(
      "{0} accepts the key and lists {1} models.",
      provider.label,
      listing.ok ? listing.models.length : 0,
    );
    await prompts.showMessage(listFault(provider, listing) ?? accepted);
  }

  /** Not where the user has chosen another one meanwhile. */
  async function offerBack(before: string, demo: string): Promise<void> {
    if (before === "" || before === demo || roles.main.current() !== demo) return;
    const back = t("Back to {0}", describeModel(before, settings(), context.reported).label);
    if ((await prompts.showMessage(t("The demo answers your messages now."), back)) === back) {
      await use(before, roles.main);
    }
  }

  return {
    selectModel: (input) => choose(input, roles.main),
    selectSubAgentModel: (input) => choose(input, roles.subAgents),
    async pickModel(title) {
      const role = { ...roles.main, title, current: () => "", mayBeForeign: false, save: async () => {} };
      const outcome = succeeded(await selectModel(undefined, role, context));
      return outcome.type === "selected" ? outcome.model : undefined;
    },
    setApiKey: async (input) => {
      await storeKey(input);
    },
    removeApiKey: async (input) => {
      const outcome = succeeded(await removeApiKey(input, { settings: settings(), keys, prompts }));
      if (outcome.type !== "removed") return;
      onChange();
      mention(t("Arbor: the key for {0} is removed.", outcome.providerId));
    },
    findLocalModels: async () => use(await findLocalModel(context), roles.main),
    setUp: async () => use(await setUpModel(context), roles.main),
    async useDemo() {
      const before = roles.main.current();
      const demo = modelName(demoModel);
      await use(demo, roles.main);
      return () => offerBack(before, demo);
    },
  };
}

function succeeded<Outcome extends { type: string }>(outcome: Outcome): Exclude<Outcome, { type: "refused" }> {
  if (isRefusal(outcome)) throw new UserError(outcome.text);
  // What is left of the union after the check above.
  return outcome as Exclude<Outcome, { type: "refused" }>;
}

function isRefusal(outcome: { type: string }): outcome is { type: "refused"; text: string } {
  return outcome.type === "refused";
}
