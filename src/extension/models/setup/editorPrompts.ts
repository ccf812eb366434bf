import * as vscode from "vscode";
import type { Choice, Prompts } from "./prompts.ts";

/** Asks with the editor's quick pick, input box and notifications. */
export const editorPrompts: Prompts = {
  choose: async ({ title, placeholder, choices, readPasted }) => {
    if (readPasted !== undefined) return chooseOrPaste({ title, placeholder, choices, readPasted });
    const options = { title, placeHolder: placeholder, matchOnDescription: true, matchOnDetail: true };
    const picked = await vscode.window.showQuickPick(grouped(choices), { ...options, ignoreFocusOut: true });
    return picked?.choice?.value;
  },

  askText: async ({ title, prompt, placeholder, isSecret = false, findFault }) =>
    vscode.window.showInputBox({
      title,
      prompt,
      ...(placeholder === undefined ? {} : { placeHolder: placeholder }),
      password: isSecret,
      ignoreFocusOut: true,
      validateInput: (value) => findFault(value),
    }),

  pickModel: async (question) => (await import("./modelPicker.ts")).pickModel(question),

  showMessage: async (text, ...buttons) => vscode.window.showInformationMessage(text, ...buttons),

  during: async (title, task) =>
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (_, token) => {
        const controller = new AbortController();
        const canceling = token.onCancellationRequested(() => controller.abort());
        try {
          return await task(controller.signal);
        } finally {
          canceling.dispose();
        }
      },
    ),
};

/** Typing adds less at once. */
const minPastedLength = 10;

/** As `choose`; what is pasted goes away at once, since it may be a key. */
async function chooseOrPaste<Value>({
  title,
  placeholder,
  choices,
  readPasted,
}: Required<Parameters<typeof editorPrompts.choose<Value>>[0]>): Promise<Value | undefined> {
  const pick = vscode.window.createQuickPick<ChoiceItem<Value>>();
  Object.assign(pick, { title, placeholder, matchOnDescription: true, ignoreFocusOut: true, items: grouped(choices) });
  const answer = Promise.withResolvers<Value | undefined>();
  let before = "";
  const subscriptions = [
    pick.onDidChangeValue((value) => {
      const pasted = value.length - before.length >= minPastedLength ? readPasted(value) : undefined;
      before = value;
      if (pasted === undefined) return;
      pick.value = "";
      answer.resolve(pasted);
    }),
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      // Enter where nothing matches chooses nothing, as in the editor's own picker.
      if (item !== undefined) answer.resolve(item.choice?.value);
    }),
    pick.onDidHide(() => answer.resolve(undefined)),
  ];
  pick.show();
  try {
    return await answer.promise;
  } finally {
    vscode.Disposable.from(...subscriptions, pick).dispose();
  }
}

interface ChoiceItem<Value> extends vscode.QuickPickItem {
  choice?: Choice<Value>;
}

function grouped<Value>(choices: readonly Choice<Value>[]): ChoiceItem<Value>[] {
  let group: string | undefined;
  return choices.flatMap((choice) => {
    const { label, description, detail } = choice;
    const item: ChoiceItem<Value> = {
      label,
      ...(description === undefined ? {} : { description }),
      ...(detail === undefined ? {} : { detail }),
      choice,
    };
    if (choice.group === group) return [item];
    group = choice.group;
    return [{ label: group ?? "", kind: vscode.QuickPickItemKind.Separator }, item];
  });
}
