import { isDeepStrictEqual } from "node:util";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { PermissionMode } from "../../protocol/modes.ts";
import type { ProviderSettings } from "../models/providerSettings.ts";
import {
  type ArborSettings,
  describeSettingProblem,
  effectiveValue,
  parseSettings,
  settingDefaults,
  userOnlySettings,
} from "./settings.ts";

/** The settings as they are now. A value that makes no sense is reported once, not with every change of another one. */
export class LiveSettings {
  readonly #report: (problem: string) => void;
  readonly #subscription: vscode.Disposable;
  #current: ArborSettings;
  #reported = new Set<string>();

  constructor(report: (problem: string) => void, onChange: () => void) {
    this.#report = report;
    this.#current = this.#read();
    this.#subscription = onDidChangeSettings(() => {
      this.#current = this.#read();
      onChange();
    });
  }

  get current(): ArborSettings {
    return this.#current;
  }

  /** What is wrong with them now, as sentences. */
  get problems(): readonly string[] {
    return [...this.#reported];
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #read(): ArborSettings {
    const { settings, problems } = parseSettings(readSettings());
    const sentences = [...problems.map(describeSettingProblem), ...ignoredSettings()];
    for (const sentence of sentences) if (!this.#reported.has(sentence)) this.#report(sentence);
    this.#reported = new Set(sentences);
    return settings;
  }
}

/** What is set, by full name. A setting that is not set is absent, so that its default differs from a choice. */
function readSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const raw: Record<string, unknown> = {};
  for (const key of Object.keys(settingDefaults)) {
    const found = configuration.inspect(key);
    if (found === undefined) continue;
    const workspace = found.workspaceFolderValue ?? found.workspaceValue;
    const value = effectiveValue(key, { user: found.globalValue, workspace });
    if (value !== undefined) raw[key] = value;
  }
  return raw;
}

/** A workspace comes from anywhere: what it sets of these does not count, and the user is informed. */
function ignoredSettings(): string[] {
  const configuration = vscode.workspace.getConfiguration();
  return userOnlySettings.flatMap((key) => {
    const found = configuration.inspect<unknown>(key);
    const theirs = found?.workspaceFolderValue ?? found?.workspaceValue;
    const isOwn = isDeepStrictEqual(theirs, found?.globalValue ?? found?.defaultValue);
    if (theirs === undefined || isOwn) return [];
    return [t("{0} in this workspace's settings is ignored: only your user settings count for it.", key)];
  });
}

/** Calls back after each change of an Arbor setting. */
function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("arbor")) listener();
  });
}

/** Writes the mode to the user's settings. A workspace that is stricter keeps it so. */
export function writePermissionMode(mode: PermissionMode): Promise<void> {
  return write("arbor.permissions.mode", mode);
}

const allowKey = "arbor.permissions.allow";

/** Adds rules to what the user allows. */
export async function writeAllowRules(rules: readonly string[]): Promise<void> {
  const written: unknown = vscode.workspace.getConfiguration().inspect(allowKey)?.globalValue;
  const known: unknown[] = Array.isArray(written) ? written : [];
  await write(allowKey, [...known, ...rules.filter((rule) => !known.includes(rule))]);
}

/** Writes what a run may cost to the user's settings, in USD. */
export function writeMaxCost(maxCost: number): Promise<void> {
  return write("arbor.limits.maxCost", maxCost);
}

/** Writes the main model to the user's settings. */
export function writeModel(model: string): Promise<void> {
  return write("arbor.model", model);
}

/** Writes the model of sub-agents to the user's settings; "" is that of the agent that delegates. */
export function writeSubAgentModel(model: string): Promise<void> {
  return write("arbor.subAgentModel", model === "" ? undefined : model);
}

/** Adds or replaces one provider in the user's settings. */
export async function writeProvider(id: string, entry: ProviderSettings): Promise<void> {
  const written: unknown = vscode.workspace.getConfiguration().inspect("arbor.providers")?.globalValue;
  const others = typeof written === "object" && written !== null ? written : {};
  await write("arbor.providers", { ...others, [id]: entry });
}

const writes = new Set<Promise<void>>();

async function write(key: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  const written = Promise.resolve(vscode.workspace.getConfiguration().update(key, value, target));
  writes.add(written);
  try {
    await written;
  } finally {
    writes.delete(written);
  }
}

/** Until the settings have what Arbor is writing to them, which takes the editor a moment; undefined where it writes nothing. */
export function settingsWrites(): Promise<unknown> | undefined {
  return writes.size === 0 ? undefined : Promise.allSettled(writes);
}
