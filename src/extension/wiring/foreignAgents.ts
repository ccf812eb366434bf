import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { parseForeignAgents } from "../foreignAgents/definitions.ts";
import { ForeignOffers } from "../foreignAgents/foreignOffers.ts";
import type { TerminalLogin } from "../foreignAgents/login.ts";
import type { ProgramCatalog } from "../foreignAgents/programOffers.ts";
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
  const definitions = parseForeignAgents(foreignAgents).agents;
  const [{ chooseProgramOption }, { commandText, logIn, terminalLogin }] = await Promise.all([
    import("../foreignAgents/chooseOption.ts"),
    import("../foreignAgents/login.ts"),
  ]);
  await chooseProgramOption({
    ...{ prompts: editorPrompts, catalog, programs: definitions.map(({ name }) => name), current },
    commandOf(program, login) {
      const definition = definitions.find(({ name }) => name === program);
      const run = definition && terminalLogin(definition, login);
      return run && commandText(run).split("\n").join("  ");
    },
    async logIn(program, login) {
      const definition = definitions.find(({ name }) => name === program);
      if (definition === undefined || !vscode.workspace.isTrusted) return;
      await logIn(login, {
        ...{ prompts: editorPrompts, catalog, definition, environment: process.env, confirm, runInTerminal },
        cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir(),
      });
    },
  });
}

async function confirm({ message, detail }: { message: string; detail: string }): Promise<boolean> {
  const run = t("Run");
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, run)) === run;
}

/** In a terminal of the editor, which is the user's: what is typed there is seen by the program alone. */
function runInTerminal({ name, command, args, env }: TerminalLogin): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const terminal = vscode.window.createTerminal({
    ...{ name, shellPath: command, shellArgs: [...args], env, isTransient: true },
    cwd: homedir(),
  });
  const closing = vscode.window.onDidCloseTerminal((closed) => {
    if (closed !== terminal) return;
    closing.dispose();
    resolve(closed.exitStatus?.code);
  });
  terminal.show();
  return promise;
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
    async adoptWrites(author, changes, known) {
      const { directWrites } = await import("../changes/directWrites.ts");
      const adopt = directWrites({
        ...{ store: review.store, workspace, newId: () => `edit-${randomUUID()}` },
        adopt: (files) => review.proposals.inTurn(() => review.written.adopt(files)),
      });
      return adopt(author, changes, known);
    },
  });
}
