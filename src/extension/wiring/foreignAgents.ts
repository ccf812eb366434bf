import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { directWrites } from "../changes/directWrites.ts";
import { ForeignOffers } from "../foreignAgents/foreignOffers.ts";
import { chooseProgramOption, type ProgramCatalog } from "../foreignAgents/programOffers.ts";
import { foreignProviderId } from "../models/providers.ts";
import { editorPrompts } from "../models/setup/editorPrompts.ts";
import type { Editing } from "./editing.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** Shows the agents of other programs that are installed, and writes the chosen one to the user's settings. */
export async function addForeignAgent({ settings }: Pick<Models, "settings">): Promise<void> {
  const { chooseForeignAgent } = await import("../foreignAgents/addForeignAgent.ts");
  await chooseForeignAgent({
    prompts: editorPrompts,
    environment: process.env,
    known: settings().foreignAgents,
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    save: async (agents) =>
      vscode.workspace.getConfiguration().update("arbor.foreignAgents", agents, vscode.ConfigurationTarget.Global),
  });
}

/** The agent of another program that a model's name means. */
export function mainProgram(model: string): string | undefined {
  const prefix = `${foreignProviderId}/`;
  return model.startsWith(prefix) ? model.slice(prefix.length) : undefined;
}

/** Lets the user choose the model of such an agent. */
export async function chooseForeignOption(
  { settings }: Pick<Models, "settings">,
  catalog: ProgramCatalog,
): Promise<void> {
  const { foreignAgents, model } = settings();
  const current = mainProgram(model);
  await chooseProgramOption({ prompts: editorPrompts, catalog, programs: Object.keys(foreignAgents), current });
}

/** Agents of other programs, as the user's settings name them. */
export function createForeignAgents(
  { warn }: Pick<Host, "warn">,
  { settings }: Pick<Models, "settings">,
  { review, workspace }: Pick<Editing, "review" | "workspace">,
  catalog: ProgramCatalog,
): ForeignOffers {
  return new ForeignOffers({
    catalog,
    definitions: () => settings().foreignAgents,
    environment: process.env,
    warn,
    unsavedFiles: () =>
      vscode.workspace.textDocuments.flatMap(({ isDirty, uri }) =>
        isDirty && uri.scheme === "file" ? [uri.fsPath] : [],
      ),
    adoptWrites: directWrites({
      ...{ store: review.store, workspace, newId: () => `edit-${randomUUID()}` },
      adopt: (files) => review.proposals.inTurn(() => review.written.adopt(files)),
    }),
  });
}
