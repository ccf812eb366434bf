import * as vscode from "vscode";
import type { ModelChoice } from "../../protocol/messages.ts";
import type { ModelPrompts } from "./selectModel.ts";
import { findKeyFault, type KeyPrompts } from "./setApiKey.ts";

/** Asks for providers, keys and models with the editor's quick pick and input box. */
export const editorPrompts: KeyPrompts & ModelPrompts = {
  pickProvider: async (providers) => {
    const items = providers.map((provider) => ({
      label: provider.label,
      description: provider.needsKey ? provider.id : `${provider.id} (works without a key)`,
      provider,
    }));
    const picked = await vscode.window.showQuickPick(items, { title: "Arbor: Set API Key", placeHolder: "Provider" });
    return picked?.provider;
  },

  askKey: async (provider) =>
    vscode.window.showInputBox({
      title: `Arbor: API Key for ${provider.label}`,
      prompt: "Kept in the editor's secret storage, nowhere else.",
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) => (value === "" ? undefined : findKeyFault(value)),
    }),

  pickModel,
};

interface ModelItem extends vscode.QuickPickItem {
  model: string;
}

/** A quick pick whose own text can be chosen too, so that any model of a provider can be named. */
function pickModel(choices: readonly ModelChoice[], current: string): Promise<string | undefined> {
  const known = choices.map((choice): ModelItem => {
    const isCurrent = choice.id === current;
    return { label: choice.label, description: isCurrent ? `${choice.id} (in use)` : choice.id, model: choice.id };
  });
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = "Arbor: Select Model";
  pick.placeholder = "Model, or any other as provider/model-id";
  pick.matchOnDescription = true;
  pick.items = known;
  return new Promise((resolve) => {
    const typing = pick.onDidChangeValue((value) => {
      pick.items = isModelName(value, known) ? [...known, typedItem(value)] : known;
    });
    const accepting = pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.model);
      pick.hide();
    });
    const hiding = pick.onDidHide(() => {
      resolve(undefined);
      for (const disposable of [typing, accepting, hiding, pick]) disposable.dispose();
    });
    pick.show();
  });
}

function isModelName(text: string, known: readonly ModelItem[]): boolean {
  return /^\s*[\w.-]+\/\S+\s*$/.test(text) && !known.some((item) => item.model === text.trim());
}

function typedItem(text: string): ModelItem {
  return { label: `Use ${text.trim()}`, model: text.trim(), alwaysShow: true };
}
