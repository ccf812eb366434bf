import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import { UserError } from "../../common/userError.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import { chatMarkdown, fileNameOf } from "./historyActions.ts";

const largestImport = 600 * 1_024 * 1_024;

/** Writes a chat to a file that the user names: to read it as Markdown, or all of it as JSON. */
export async function exportToFile(chat: Chat, sessions: SessionStorage): Promise<void> {
  const format = await vscode.window.showQuickPick(
    [
      { label: "Markdown", description: vscode.l10n.t("to read and to share"), extension: "md" },
      { label: "JSON", description: vscode.l10n.t("all of it, to import again"), extension: "json" },
    ],
    { title: vscode.l10n.t("Export Chat"), placeHolder: chat.title },
  );
  if (format === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `${fileNameOf(chat.title)}.${format.extension}`),
    filters: { [format.label]: [format.extension] },
    title: vscode.l10n.t("Export Chat"),
  });
  if (file === undefined) return;
  const text = format.extension === "md" ? await chatMarkdown(chat) : await sessions.exportJson(chat.id);
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
}

/** The text of a file that the user chooses; undefined when they leave. */
export async function readImportedFile(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Import Chat"),
    openLabel: vscode.l10n.t("Import"),
    filters: { JSON: ["json", "jsonl"] },
  });
  const file = files?.[0];
  if (file === undefined) return undefined;
  const { size } = await vscode.workspace.fs.stat(file);
  if (size > largestImport)
    throw new UserError(vscode.l10n.t("This file is too large to be an Arbor chat. Choose one that Arbor exported."));
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
}

/** In the system's file manager; where the files are on another machine, in the editor. */
export async function showFileInFolder(path: string): Promise<void> {
  const file = vscode.Uri.file(path);
  const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  await vscode.commands.executeCommand(isHere ? "revealFileInOS" : "vscode.open", file);
}
