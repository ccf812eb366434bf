import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Model, StreamFn } from "../../agent/index.ts";
import { UserError } from "../common/userError.ts";
import { statOf } from "../workspace/fileStat.ts";
import type { Customization } from "./customization.ts";

const folder = ".agents/agents";

export interface NewAgentDependencies {
  customization: Pick<Customization, "current">;
  streamFn: StreamFn;
  /** Throws where no model is set up. */
  model(): Model;
  warn(message: string): void;
}

/**
 * `arbor.newAgent`: asks for a name and a folder, and opens a new agent file there. In place of a name, a sentence may say
 * what the agent is to do: a model then writes the file.
 */
export async function createNewAgent({ customization, model, streamFn, warn }: NewAgentDependencies): Promise<void> {
  const { agentTemplate } = await import("./customHelp.ts");
  const { namePattern } = await import("./agentFile.ts");
  const { draftAgent, isSentence } = await import("./draftAgent.ts");
  const taken = new Set(customization.current.agents.map(({ name }) => name.toLowerCase()));
  const title = vscode.l10n.t("Arbor: New Agent");
  const given = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("The agent's name, for example reviewer, or a sentence that says what it should do"),
    validateInput(value) {
      if (isSentence(value)) return undefined;
      if (!namePattern.test(value)) {
        return vscode.l10n.t("A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.");
      }
      return taken.has(value.toLowerCase()) ? vscode.l10n.t("There is an agent of this name already.") : undefined;
    },
  });
  if (given === undefined) return;
  const target = await chooseFolder(title);
  if (target === undefined) return;
  const written = isSentence(given)
    ? await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: vscode.l10n.t("Writing the agent…"),
          cancellable: true,
        },
        (_progress, token) => {
          const abort = new AbortController();
          token.onCancellationRequested(() => abort.abort());
          return draftAgent(given, { model: model(), streamFn, taken, warn }, abort.signal);
        },
      )
    : { name: given, text: agentTemplate(given) };
  const { name, text } = written;
  const file = vscode.Uri.joinPath(target, `${name}.md`);
  if ((await statOf(file)) !== undefined) throw new UserError(vscode.l10n.t("{0} exists already.", file.fsPath));
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  const editor = await vscode.window.showTextDocument(file);
  const line = editor.document.lineAt(2).range;
  editor.selection = new vscode.Selection(line.start.translate(0, "description: ".length), line.end);
}

async function chooseFolder(title: string): Promise<vscode.Uri | undefined> {
  const roots = vscode.workspace.workspaceFolders ?? [];
  const choices = [
    ...roots.map(({ uri, name }) => ({
      label: vscode.l10n.t("In {0}, for everybody who works on it", name),
      description: folder,
      uri: vscode.Uri.joinPath(uri, folder),
    })),
    {
      label: vscode.l10n.t("For you, in all workspaces"),
      description: `~/${folder}`,
      uri: vscode.Uri.file(join(homedir(), folder)),
    },
  ];
  return (await vscode.window.showQuickPick(choices, { title }))?.uri;
}
