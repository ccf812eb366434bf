import * as vscode from "vscode";
import { writeModel } from "../settings/readSettings.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { UserError } from "../userError.ts";
import { editorPrompts } from "./editorPrompts.ts";
import type { Keys } from "./keys.ts";
import { type ModelOutcome, selectModel } from "./selectModel.ts";
import { type KeyOutcome, removeApiKey, setApiKey } from "./setApiKey.ts";

export interface ModelCommands {
  setApiKey(input?: unknown): Promise<void>;
  removeApiKey(input?: unknown): Promise<void>;
  selectModel(input?: unknown): Promise<void>;
  /** A key, then a model of it. */
  setUp(): Promise<void>;
}

/** Keys and models as commands. `onChange` is told when a key came or went; a model is a setting, which tells itself. */
export function createModelCommands(settings: () => ArborSettings, keys: Keys, onChange: () => void): ModelCommands {
  const model = async (input?: unknown): Promise<void> => {
    succeeded(await selectModel(input, { settings: settings(), keys, prompts: editorPrompts, save: writeModel }));
  };
  const key = async (input?: unknown): Promise<boolean> => {
    const outcome = succeeded(await setApiKey(input, { settings: settings(), keys, prompts: editorPrompts }));
    if (outcome.type !== "stored") return false;
    onChange();
    vscode.window.setStatusBarMessage(`Arbor: the key for ${outcome.provider.label} is stored.`, 5_000);
    return true;
  };
  return {
    selectModel: model,
    setApiKey: async (input) => {
      await key(input);
    },
    removeApiKey: async (input) => {
      const outcome = succeeded(await removeApiKey(input, { settings: settings(), keys, prompts: editorPrompts }));
      if (outcome.type === "removed") onChange();
    },
    setUp: async () => {
      if (await key()) await model();
    },
  };
}

function succeeded<Outcome extends KeyOutcome | ModelOutcome>(outcome: Outcome): Exclude<Outcome, { type: "refused" }> {
  if (outcome.type === "refused") throw new UserError(outcome.text);
  // What is left of the union after the check above.
  return outcome as Exclude<Outcome, { type: "refused" }>;
}
