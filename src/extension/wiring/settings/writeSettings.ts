import * as vscode from "vscode";
import type { ProviderSettings } from "../../models/providerSettings.ts";

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

async function write(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
}
