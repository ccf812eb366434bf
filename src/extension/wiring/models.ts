import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { pacedBy } from "../demo/demoModel.ts";
import { ModelLists } from "../models/catalog/modelLists.ts";
import { createCostLimitQuestion } from "../models/costLimit.ts";
import type { EditorModel } from "../models/editor/editorModel.ts";
import { EditorModelList } from "../models/editor/editorModelList.ts";
import { editorStream } from "../models/editor/editorStream.ts";
import { listVscodeModels } from "../models/editor/vscodeModels.ts";
import type { ReportedModels } from "../models/facts.ts";
import { createKeys } from "../models/keys.ts";
import { createModelAccess } from "../models/modelAccess.ts";
import { createModelCommands } from "../models/modelCommands.ts";
import { createModelPreferences } from "../models/preferences.ts";
import { editorProviderId } from "../models/providers.ts";
import { editorPrompts } from "../models/setup/editorPrompts.ts";
import { createModelSetUp } from "../models/setup/modelSetUp.ts";
import type { ModelRole } from "../models/setup/selectModel.ts";
import { LiveSettings, writeMaxCost, writeModel, writeProvider, writeSubAgentModel } from "../settings/liveSettings.ts";

/** Quick enough not to bore, slow enough to be watched. */
const demoPaceMs = 12;

export interface ModelsHost {
  context: vscode.ExtensionContext;
  own<Owned extends vscode.Disposable>(disposable: Owned): Owned;
  warn(message: string): void;
  reportFailure(error: unknown): void;
}

/** Settings, keys and the way to a model. */
export function createModels({ context, own, warn, reportFailure }: ModelsHost) {
  const changed = own(new vscode.EventEmitter<void>());
  const notifyChange = () => changed.fire();
  const reportProblem = (problem: string) => {
    warn(problem);
    void vscode.window.showWarningMessage(problem);
  };
  const inBackground = (work: Promise<unknown>) => void work.catch(reportFailure);
  const live = own(new LiveSettings(reportProblem, notifyChange));
  const settings = () => live.current;
  const keys = createKeys(context.secrets, process.env);
  const storage = context.globalState;
  const lists = own(new ModelLists({ storage, keys, now: Date.now, onChange: notifyChange }));
  let ofExtensions = (): readonly EditorModel[] => [];
  const listModels = async () => [...(await listVscodeModels()), ...ofExtensions()];
  const editorModels = new EditorModelList(listModels, notifyChange);
  own(vscode.lm.onDidChangeChatModels(() => inBackground(editorModels.changed())));
  // Only who chose one wants to see its size: asking for all of them may start other extensions.
  const chosen = [settings().model, settings().subAgentModel];
  if (chosen.some((name) => name.startsWith(`${editorProviderId}/`))) inBackground(editorModels.refresh());
  const reported: ReportedModels = (provider) =>
    provider.wire === "vscode" ? editorModels.facts : lists.reported(provider);
  const preferences = createModelPreferences(storage);
  const setUp = createModelSetUp({
    ...{ settings, keys, reported, lists, editorModels, preferences, inBackground },
    prompts: editorPrompts,
    saveProvider: writeProvider,
  });
  const main: ModelRole = {
    command: "arbor.selectModel",
    title: t("Arbor: Select Model"),
    current: () => settings().model,
    mayInherit: false,
    mayBeForeign: true,
    save: writeModel,
  };
  const subAgents: ModelRole = {
    command: "arbor.selectSubAgentModel",
    title: t("Arbor: Select Sub-Agent Model"),
    current: () => settings().subAgentModel,
    mayInherit: true,
    mayBeForeign: false,
    save: writeSubAgentModel,
  };
  return {
    ...{ settings, keys, reported, lists, editorModels },
    settingProblems: () => live.problems,
    preferred: () => [...preferences.favourites(), ...preferences.recent()],
    access: createModelAccess({
      ...{ settings, keys, reported },
      // Half an hour or five minutes is soon over while a person reads a diff.
      mayWait: () => settings().permissionMode === "ask",
      pace: pacedBy(demoPaceMs),
      editor: (limiter) => editorStream({ listModels, limiter }),
    }),
    commands: createModelCommands({
      context: setUp,
      roles: { main, subAgents },
      onChange: notifyChange,
      mention: (text) => void vscode.window.setStatusBarMessage(text, 5_000),
    }),
    costLimit: createCostLimitQuestion({
      storage,
      maxCost: () => settings().limits.maxCost,
      write: writeMaxCost,
    }),
    onDidChange: changed.event,
    /** Models that other extensions have registered here. */
    addEditorModels(models: () => readonly EditorModel[], onDidChange: vscode.Event<void>): void {
      ofExtensions = models;
      own(onDidChange(() => inBackground(editorModels.changed())));
    },
    /** Deletes the lists of models, favourites and recent ones, which all windows share. */
    forget: async () => {
      for (const key of storage.keys()) if (key.startsWith("arbor.models.")) await storage.update(key, undefined);
      lists.forget();
    },
  };
}
export type Models = ReturnType<typeof createModels>;
