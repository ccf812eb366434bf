import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { AssistantMessage, ProviderErrorKind } from "../../agent/vocabulary/messages.ts";
import type { NoticeAction } from "../../protocol/hostEvents.ts";
import { errorMessageOf } from "./errorWords.ts";

/** Why no model could answer: one sentence for the user that says what to do, and the buttons that do it. */
export interface ModelProblem {
  text: string;
  actions: NoticeAction[];
  /** The provider whose key is to be entered; absent where that is not known. */
  keyOf?: string;
}

export function malformedModelProblem(name: string): ModelProblem {
  return {
    text: t('"{0}" does not name a model: choose one, or write it as provider/model-id.', name),
    actions: ["selectModel", "useDemo"],
  };
}

export function unknownProviderProblem(providerId: string, known: readonly string[]): ModelProblem {
  return {
    text: t(
      'There is no provider "{0}": choose a model of {1}, or describe it in arbor.providers.',
      providerId,
      list(known),
    ),
    actions: ["selectModel", "openSettings", "useDemo"],
  };
}

export function unknownForeignProblem(name: string): ModelProblem {
  return {
    text: t("There is no agent {0} in arbor.foreignAgents: choose a model, or add it there.", name),
    actions: ["selectModel", "openSettings"],
  };
}

export function missingKeyProblem(provider: { id: string; label: string; apiKeyEnv?: string }): ModelProblem {
  const { id, label, apiKeyEnv } = provider;
  return {
    text:
      apiKeyEnv === undefined
        ? t("{0} needs an API key: set one, or try the demo model.", label)
        : t(
            "{0} needs an API key (the environment variable {1} is empty): set one, or try the demo model.",
            label,
            apiKeyEnv,
          ),
    actions: ["setApiKey", "useDemo"],
    keyOf: id,
  };
}

/** A header of a provider's entry refers to something that is not set. */
export function missingHeaderProblem(
  { label }: { label: string },
  { header, reference }: { header: string; reference: string },
): ModelProblem {
  return {
    text: t("{0} needs the header {1}, and {2} is not set.", label, header, reference),
    actions: reference.startsWith("${secret:") ? ["setApiKey", "openSettings"] : ["openSettings"],
  };
}

export function noImagesProblem(label: string): ModelProblem {
  return {
    text: t("{0} can't be shown pictures: remove them, or choose another model.", label),
    actions: ["selectModel"],
  };
}

/** A model that another extension had offered. */
export function goneEditorModelProblem(id: string): ModelProblem {
  return {
    text: t("The editor offers no model {0} (any more). Select another one, or enable the extension that has it.", id),
    actions: ["selectModel"],
  };
}

/** A failed request, by its message; undefined where it did not fail. Aborting is no failure. */
export function failedRequestProblem(message: AssistantMessage): ModelProblem | undefined {
  if (message.stopReason !== "error") return undefined;
  const text = errorMessageOf(message) ?? t("The model failed without saying why. Try again.");
  const kind = message.errorKind ?? "unknown";
  // Models of the editor have no key of Arbor's: the editor, or their extension, asks again.
  if (message.provider === "vscode" && kind === "auth") return { text, actions: ["retry", "selectModel"] };
  // A request that lacked a header of the settings was not sent, so its key is not at fault.
  const isKeyRefused = kind === "auth" && message.errorFacts !== undefined;
  return { text, actions: waysOut(kind), ...(isKeyRefused && { keyOf: message.provider }) };
}

function waysOut(kind: ProviderErrorKind): NoticeAction[] {
  switch (kind) {
    case "auth":
      return ["setApiKey", "selectModel"];
    case "not_found":
      return ["selectModel", "openSettings"];
    case "billing":
      return ["selectModel", "retry"];
    case "network":
      return ["retry", "openSettings"];
    case "rate_limit":
    case "overloaded":
    case "rejected":
      return ["retry", "selectModel"];
    case "context":
      return ["compact", "selectModel"];
    case "incomplete":
      return ["retry"];
    case "unknown":
      return ["retry", "showLog"];
    default:
      return assertNever(kind);
  }
}

function list(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : t("{0} or {1}", names.slice(0, -1).join(", "), last);
}
