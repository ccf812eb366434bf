import * as vscode from "vscode";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import type { TextSource } from "../../../protocol/messageTexts.ts";
import { conflictMessage } from "../../changes/editor/questions.ts";
import type { Chat } from "../../chat/chat.ts";
import { activeFile, insertAtCursor, showFile } from "../../chat/compose/editorContext.ts";
import { demoModel } from "../../demo/demoModel.ts";
import { modelName } from "../../models/catalog.ts";
import type { ModelCommands } from "../../models/modelCommands.ts";
import { resolvePath, resolveUri } from "../../workspace/editorRoots.ts";
import type { EditorActions } from "./intentHandlers.ts";

export interface EditorActionDependencies {
  modelCommands: ModelCommands;
  showLog(): void;
  chats: { find(id: string): Chat | undefined };
  own<Part extends vscode.Disposable>(part: Part): Part;
}

/** What intents do in the editor. */
export function editorActions(dependencies: EditorActionDependencies): EditorActions {
  return {
    openExternal: async (url) => void (await vscode.env.openExternal(vscode.Uri.parse(url, true))),
    showFile: async (path, line) => showFile((await resolvePath(path)).uri, line),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    showWhole: registerWholeTexts(dependencies),
    insertAtCursor,
    execute: async (command) => void (await vscode.commands.executeCommand(command)),
    isTrusted: () => vscode.workspace.isTrusted,
    activeFile: () => activeFile((uri) => resolveUri(uri)?.path),
    conflictText: conflictMessage,
    actOnNotice: (action, keyOf) => actOnNotice(action, keyOf, dependencies),
    selectModel: dependencies.modelCommands.selectModel,
    pickModel: dependencies.modelCommands.pickModel,
  };
}

/** What the buttons of a notice do; retrying, resuming and forking are the chat's own. */
async function actOnNotice(
  action: NoticeAction,
  keyOf: string | undefined,
  { modelCommands, showLog }: EditorActionDependencies,
): Promise<void> {
  switch (action) {
    case "setUp":
      return modelCommands.setUp();
    case "useDemo":
      return modelCommands.selectModel(modelName(demoModel));
    case "selectModel":
      return modelCommands.selectModel();
    case "setApiKey":
      return modelCommands.setApiKey(keyOf === undefined ? undefined : { provider: keyOf });
    case "openSettings":
      await vscode.commands.executeCommand("workbench.action.openSettings", "@ext:arbor.arbor-agent");
      return;
    case "showLog":
      return showLog();
    case "openFolder":
      await vscode.commands.executeCommand("vscode.openFolder");
      return;
    case "retry":
    case "resume":
    case "fork":
    case "continueHere":
    case "compact":
    case "limitCost":
    case "noCostLimit":
      return;
    default:
      return assertNever(action);
  }
}

const textScheme = "arbor-text";

/**
 * Opens texts of chats that are too long for the panel, in editors that are only read. The editor draws what is in sight
 * alone, so that it stays usable with any length.
 */
function registerWholeTexts({
  chats,
  own,
}: Pick<EditorActionDependencies, "chats" | "own">): (chatId: string, source: TextSource) => Promise<void> {
  own(
    vscode.workspace.registerTextDocumentContentProvider(textScheme, {
      async provideTextDocumentContent({ query }) {
        // Written below. After a reload the editor asks for what its tabs showed before.
        const { chatId, source } = JSON.parse(query) as { chatId: string; source: TextSource };
        const chat = chats.find(chatId);
        const { wholeText } = await import("../wholeTexts.ts");
        const text = chat === undefined ? undefined : await wholeText(chat, source);
        return text ?? vscode.l10n.t("Open the chat again, then choose Show all at the text.");
      },
    }),
  );
  return async (chatId, source) => {
    const name = source.part === "arguments" ? vscode.l10n.t("Arguments") : nameOf(source);
    const query = JSON.stringify({ chatId, source });
    // The extension itself gets no document of this length: the editor opens it without.
    await vscode.commands.executeCommand(
      "vscode.open",
      vscode.Uri.from({ scheme: textScheme, path: `/${name}.md`, query }),
    );
  };
}

function nameOf({ part }: TextSource): string {
  return part === "result" ? vscode.l10n.t("Result") : vscode.l10n.t("Message");
}
