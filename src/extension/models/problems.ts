import type { NoticeAction } from "../../protocol/hostEvents.ts";

/** Why no model could answer: one sentence for the user that says what to do, and the buttons that do it. */
export interface ModelProblem {
  text: string;
  actions: NoticeAction[];
}

export function malformedModelProblem(name: string): ModelProblem {
  return {
    text: `"${name}" does not name a model: choose one, or write it as provider/model-id.`,
    actions: ["selectModel", "useDemo"],
  };
}

export function unknownProviderProblem(providerId: string, known: readonly string[]): ModelProblem {
  return {
    text: `There is no provider "${providerId}": choose a model of ${list(known)}, or describe it in arbor.providers.`,
    actions: ["selectModel", "openSettings", "useDemo"],
  };
}

export function missingKeyProblem(provider: { label: string; apiKeyEnv?: string }): ModelProblem {
  const where = provider.apiKeyEnv === undefined ? "" : ` (the environment variable ${provider.apiKeyEnv} is empty)`;
  return {
    text: `${provider.label} needs an API key${where}: set one, or try the demo model.`,
    actions: ["setApiKey", "useDemo"],
  };
}

export function rejectedKeyProblem(label: string): ModelProblem {
  return {
    text: `${label} did not accept the API key: set another one, or check what it is allowed to do.`,
    actions: ["setApiKey", "selectModel"],
  };
}

export function unreachableProblem(provider: { label: string; baseUrl?: string }): ModelProblem {
  const where = provider.baseUrl === undefined ? "" : ` at ${provider.baseUrl}`;
  return {
    text: `${provider.label} could not be reached${where}: check the connection and the base URL, then try again.`,
    actions: ["retry", "openSettings"],
  };
}

export function unknownModelProblem(provider: { label: string }, modelId: string): ModelProblem {
  return {
    text: `${provider.label} has no model "${modelId}" for this key: choose another one.`,
    actions: ["selectModel"],
  };
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
