import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/attachments.ts";
import type { Conversation } from "../conversation.ts";
import { parseAskArguments, wordsFor } from "./askCommand.ts";
import { selectionAttachment } from "./editorContext.ts";

export interface AskAnswer {
  sessionId: string;
  text: string;
}

/**
 * `arbor.ask`: asks for the words unless they are given, attaches the selection, and resolves when the run has ended.
 * Undefined when the user left.
 */
export function createAsk(
  conversationOf: () => Conversation,
  pathOf: (uri: vscode.Uri) => string | undefined,
  reveal: () => Promise<void>,
) {
  return async (input: unknown): Promise<AskAnswer | undefined> => {
    const given = parseAskArguments(input);
    const selection = selectionAttachment(pathOf);
    const attachments = given.attachments ?? (selection === undefined ? [] : [selection]);
    const prompt = given.prompt ?? (await askWords(attachments));
    if (prompt === undefined) return undefined;
    await reveal();
    const conversation = conversationOf();
    const { id } = conversation.current;
    const summary = await conversation.send(wordsFor({ ...given, prompt }), attachments, "queue");
    return { sessionId: id, text: summary?.text ?? "" };
  };
}

function askWords(attachments: readonly Attachment[]): Thenable<string | undefined> {
  const names = attachments.map(
    (each) => ("path" in each ? each.path : "name" in each ? each.name : undefined) ?? each.kind,
  );
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Arbor: Ask Agent"),
    placeHolder: vscode.l10n.t("What should we work on?"),
    ...(names.length > 0 && { prompt: vscode.l10n.t("Attached: {0}", names.join(", ")) }),
  });
}
