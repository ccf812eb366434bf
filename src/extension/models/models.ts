import * as vscode from "vscode";
import { LiveSettings } from "../settings/liveSettings.ts";
import { pacedBy } from "./demo/demoStream.ts";
import { createKeys } from "./keys.ts";
import { ModelLists } from "./lists/modelLists.ts";
import { createModelAccess } from "./modelAccess.ts";
import { createModelCommands } from "./modelCommands.ts";
import { createModelPreferences } from "./preferences.ts";

/** Quick enough not to bore, slow enough to be watched. */
const demoPaceMs = 12;

export interface ModelsHost {
  context: vscode.ExtensionContext;
  own<Owned extends vscode.Disposable>(disposable: Owned): Owned;
  warn(message: string): void;
}

/** Settings, keys and the way to a model. */
export function createModels({ context, own, warn }: ModelsHost) {
  const changed = own(new vscode.EventEmitter<void>());
  const tellChange = () => changed.fire();
  const tellProblem = (problem: string) => {
    warn(problem);
    void vscode.window.showWarningMessage(problem);
  };
  const live = own(new LiveSettings(tellProblem, tellChange));
  const settings = () => live.current;
  const keys = createKeys(context.secrets, process.env);
  const storage = context.globalState;
  const lists = own(new ModelLists({ storage, keys, now: Date.now, onChange: tellChange }));
  const preferences = createModelPreferences(storage);
  const { reported } = lists;
  return {
    settings,
    keys,
    reported,
    preferred: () => [...preferences.favourites(), ...preferences.recent()],
    access: createModelAccess({ settings, keys, reported, pace: pacedBy(demoPaceMs) }),
    commands: createModelCommands(settings, keys, tellChange),
    onDidChange: changed.event,
  };
}
export type Models = ReturnType<typeof createModels>;
