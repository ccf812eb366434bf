import * as vscode from "vscode";
import type { Choice, ChoiceQuestion, HelpPage, Prompts, TextQuestion } from "./prompts.ts";

/** Asks with the editor's quick pick, input box and notifications. */
export const editorPrompts: Prompts = {
  choose: chooseOrPaste,

  askText,

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

/** What is pasted in place of a choice goes away at once, since it may be a key. */
async function chooseOrPaste<Value>({
  title,
  placeholder,
  choices,
  readPasted,
}: ChoiceQuestion<Value>): Promise<Value | undefined> {
  const pick = vscode.window.createQuickPick<ChoiceItem<Value>>();
  const matching = { matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
  Object.assign(pick, { title, placeholder, ...matching, items: grouped(choices) });
  const answer = Promise.withResolvers<Value | undefined>();
  let before = "";
  const subscriptions = [
    pick.onDidChangeValue((value) => {
      const pasted = value.length - before.length >= minPastedLength ? readPasted?.(value) : undefined;
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
    pick.onDidTriggerItemButton(({ item }) => void openPage(item.choice?.page)),
    pick.onDidHide(() => answer.resolve(undefined)),
  ];
  pick.show();
  try {
    return await answer.promise;
  } finally {
    vscode.Disposable.from(...subscriptions, pick).dispose();
  }
}

/** As the editor's own input box, with a button where a page helps to answer. */
async function askText({ title, prompt, placeholder, isSecret = false, page, findFault }: TextQuestion) {
  const box = vscode.window.createInputBox();
  Object.assign(box, { title, prompt, placeholder, password: isSecret, ignoreFocusOut: true });
  if (page !== undefined) box.buttons = [pageButton(page)];
  const answer = Promise.withResolvers<string | undefined>();
  const subscriptions = [
    box.onDidChangeValue((value) => {
      box.validationMessage = value === "" ? undefined : findFault(value);
    }),
    box.onDidAccept(() => {
      const fault = findFault(box.value);
      if (fault === undefined) answer.resolve(box.value);
      else box.validationMessage = fault;
    }),
    box.onDidTriggerButton(() => void openPage(page)),
    box.onDidHide(() => answer.resolve(undefined)),
  ];
  box.show();
  try {
    return await answer.promise;
  } finally {
    vscode.Disposable.from(...subscriptions, box).dispose();
  }
}

function pageButton({ label }: HelpPage): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon("link-external"), tooltip: label };
}

async function openPage(page: HelpPage | undefined): Promise<void> {
  if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page.url, true));
}

interface ChoiceItem<Value> extends vscode.QuickPickItem {
  choice?: Choice<Value>;
}

function grouped<Value>(choices: readonly Choice<Value>[]): ChoiceItem<Value>[] {
  let group: string | undefined;
  return choices.flatMap((choice) => {
    const { label, description, detail, page } = choice;
    const item: ChoiceItem<Value> = {
      label,
      ...(description === undefined ? {} : { description }),
      ...(detail === undefined ? {} : { detail }),
      ...(page !== undefined && { buttons: [pageButton(page)] }),
      choice,
    };
    if (choice.group === group) return [item];
    group = choice.group;
    return [{ label: group ?? "", kind: vscode.QuickPickItemKind.Separator }, item];
  });
}
