import { isDeepStrictEqual } from "node:util";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { PermissionMode } from "../../protocol/modes.ts";
import { isRecord, ownValue } from "../../protocol/records.ts";
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
    const { raw, ignored } = readSettings();
    const { settings, problems } = parseSettings(raw);
    const sentences = [...problems.map(describeSettingProblem), ...ignored];
    for (const sentence of sentences) if (!this.#reported.has(sentence)) this.#report(sentence);
    this.#reported = new Set(sentences);
    return settings;
  }
}

/**
 * What is set, by full name: a setting that is not set is absent, so that its default differs from a choice. A workspace
 * comes from anywhere: what it sets of some does not count, and the user is informed.
 */
function readSettings(): { raw: Record<string, unknown>; ignored: string[] } {
  // All at once: the editor puts together what is asked for from all places where it may be set.
  const found = vscode.workspace.getConfiguration().inspect<unknown>(section);
  const raw: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const key of Object.keys(settingDefaults)) {
    const user = valueIn(found?.globalValue, key);
    const workspace = valueIn(found?.workspaceFolderValue, key) ?? valueIn(found?.workspaceValue, key);
    const value = effectiveValue(key, { user, workspace });
    if (value !== undefined) raw[key] = value;
    const isLeftOut = workspace !== undefined && userOnlySettings.includes(key);
    if (isLeftOut && !isDeepStrictEqual(workspace, user ?? valueIn(found?.defaultValue, key)))
      ignored.push(t("{0} in this workspace's settings is ignored: only your user settings count for it.", key));
  }
  return { raw, ignored };
}

const section = "arbor";

/** Of the section's values in one place, a tree by the parts of their names. */
function valueIn(tree: unknown, key: string): unknown {
  const parts = key.split(".").slice(1);
  return parts.reduce((value, part) => (isRecord(value) ? ownValue(value, part) : undefined), tree);
}

/** Calls back after each change of an Arbor setting. */
function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
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
