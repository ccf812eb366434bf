import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import type { ModelItem, Picked } from "./modelItems.ts";
import type { ModelQuestion } from "./prompts.ts";

interface PickItem extends vscode.QuickPickItem {
  result?: Picked;
  /** Of a model: its name. */
  model?: string;
}

const star = new vscode.ThemeIcon("star-empty");
const starred = new vscode.ThemeIcon("star-full");

/** A searchable list of all models, whose own text can be chosen too, so that any model of a provider can be named. */
export async function pickModel(question: ModelQuestion): Promise<Picked | undefined> {
  const pick = vscode.window.createQuickPick<PickItem>();
  const refreshButton: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("refresh"),
    tooltip: vscode.l10n.t("Ask the providers again"),
  };
  pick.title = question.title;
  pick.placeholder = vscode.l10n.t("Search, or write any other as provider/model-id");
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = [refreshButton];
  let listed: readonly ModelItem[] = [];
  let known: PickItem[] = [];
  let isOpen = true;

  const show = () => {
    pick.items = withTyped(pick.value, known);
  };
  const update = async () => {
    const items = await question.items();
    // A list that is set again moves under the pointer, also when nothing in it is new.
    if (!isOpen || isDeepStrictEqual(items, listed)) return;
    [listed, known] = [items, items.map(pickItem)];
    const [active] = pick.activeItems;
    show();
    // The user's place in the list outlives what comes in meanwhile.
    const same = active === undefined ? undefined : pick.items.find((item) => sameItem(item, active));
    if (same !== undefined) pick.activeItems = [same];
  };
  const refresh = async (force: boolean) => {
    pick.busy = true;
    const faults = await question.refresh(force);
    pick.busy = false;
    for (const fault of faults) void vscode.window.showWarningMessage(fault);
    await update();
  };
  const picked = Promise.withResolvers<Picked | undefined>();
  const failed = (error: unknown) => picked.reject(error);
  const subscriptions = [
    pick.onDidChangeValue(show),
    pick.onDidTriggerButton(() => void refresh(true).catch(failed)),
    pick.onDidTriggerItemButton(({ item: { model = "" } }) => {
      question.toggleFavourite(model).then(update).catch(failed);
    }),
    pick.onDidAccept(() => picked.resolve(pick.selectedItems[0]?.result)),
    pick.onDidHide(() => picked.resolve(undefined)),
  ];
  try {
    await update();
    pick.show();
    void refresh(false).catch(failed);
    return await picked.promise;
  } finally {
    isOpen = false;
    for (const subscription of [...subscriptions, pick]) subscription.dispose();
  }
}

function pickItem(item: ModelItem): PickItem {
  if (item.type === "group") return { label: item.label, kind: vscode.QuickPickItemKind.Separator };
  const inUse = item.isCurrent ? vscode.l10n.t("in use") : "";
  if (item.type === "action") {
    return { label: item.label, description: inUse, ...(item.detail && { detail: item.detail }), result: item.picked };
  }
  const { name, label, detail, isFavourite } = item;
  const tooltip = isFavourite ? vscode.l10n.t("Remove from favorites") : vscode.l10n.t("Add to favorites");
  return {
    label,
    description: item.isCurrent ? `${name} (${inUse})` : name,
    detail,
    buttons: [{ iconPath: isFavourite ? starred : star, tooltip }],
    result: { type: "model", name },
    model: name,
  };
}

function sameItem(a: PickItem, b: PickItem): boolean {
  return a.kind === b.kind && a.label === b.label && a.model === b.model;
}

/** What is typed can be chosen too: last while it may become one of the list, else first, where nothing moves it. */
function withTyped(text: string, known: readonly PickItem[]): readonly PickItem[] {
  if (!isModelName(text, known)) return known;
  const isPart = known.some(({ model }) => model?.includes(text.trim()));
  return isPart ? [...known, typedItem(text)] : [typedItem(text), ...known];
}

function isModelName(text: string, known: readonly PickItem[]): boolean {
  return /^\s*[\w.-]+\/\S+\s*$/.test(text) && !known.some((item) => item.model === text.trim());
}

function typedItem(text: string): PickItem {
  const name = text.trim();
  return { label: vscode.l10n.t("Use {0}", name), result: { type: "model", name }, alwaysShow: true };
}
