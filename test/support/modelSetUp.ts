import { type ListStorage, ModelLists } from "../../src/extension/models/catalog/modelLists.ts";
import type { EditorModel } from "../../src/extension/models/editor/editorModel.ts";
import { EditorModelList } from "../../src/extension/models/editor/editorModelList.ts";
import type { ReportedModels } from "../../src/extension/models/facts.ts";
import type { Keys } from "../../src/extension/models/keys.ts";
import { createModelPreferences } from "../../src/extension/models/preferences.ts";
import { createModelSetUp, type ModelSetUp } from "../../src/extension/models/setup/modelSetUp.ts";
import type { ModelRole } from "../../src/extension/models/setup/selectModel.ts";
import { type ScriptedPrompts, scriptedPrompts } from "./scriptedPrompts.ts";
import { memoryKeys, settingsFrom } from "./settings.ts";

/** Everything that models are set up with, in memory, and what came of it. */
export interface SetUpWorld {
  context: ModelSetUp;
  prompts: ScriptedPrompts;
  keys: Keys;
  /** User settings by full name. */
  raw: Record<string, unknown>;
  role: ModelRole;
  settle(): Promise<void>;
}

export interface SetUpOptions {
  script?: readonly (string | undefined)[];
  settings?: Record<string, unknown>;
  keys?: Record<string, string>;
  editorModels?: readonly EditorModel[];
}

export function setUpWorld(options: SetUpOptions = {}): SetUpWorld {
  const raw: Record<string, unknown> = { ...options.settings };
  const keys = memoryKeys(options.keys);
  const prompts = scriptedPrompts(...(options.script ?? []));
  const storage = memoryStorage();
  const settings = () => settingsFrom(raw);
  const lists = new ModelLists({ storage, keys, now: () => 0, onChange: () => {} });
  const editorModels = new EditorModelList(
    async () => [...(options.editorModels ?? [])],
    () => {},
  );
  const reported: ReportedModels = (provider) =>
    provider.wire === "vscode" ? editorModels.facts : lists.reported(provider);
  const background: Promise<unknown>[] = [];
  const context = createModelSetUp({
    ...{ settings, keys, reported, lists, editorModels, prompts },
    preferences: createModelPreferences(storage),
    saveProvider: async (id, entry) => {
      raw["arbor.providers"] = { ...settings().providers, [id]: entry };
    },
    inBackground: (work) => background.push(work),
  });
  const role: ModelRole = {
    command: "arbor.selectModel",
    title: "Select",
    current: () => settings().model,
    mayInherit: false,
    mayBeForeign: true,
    save: async (model) => {
      raw["arbor.model"] = model;
    },
  };
  const settle = async () => {
    // What goes on in the background may start more of it.
    for (let work = background.shift(); work !== undefined; work = background.shift()) await work;
  };
  return { context, prompts, keys, raw, role, settle };
}

/** Storage as the editor's, kept in memory. */
export function memoryStorage(): ListStorage & { entries: Map<string, unknown> } {
  const entries = new Map<string, unknown>();
  return {
    entries,
    get: (key) => entries.get(key),
    update: async (key, value) => {
      // What the editor keeps went through JSON.
      entries.set(key, JSON.parse(JSON.stringify(value)));
    },
  };
}
