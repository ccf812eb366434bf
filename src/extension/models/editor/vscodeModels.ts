import * as vscode from "vscode";
import * as z from "zod";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { ToolDefinition } from "../../../agent/vocabulary/messages.ts";
import { onAbort } from "../../common/abort.ts";
import type {
  EditorAnswerPart,
  EditorMessage,
  EditorModel,
  EditorPart,
  EditorShownPart,
  ListEditorModels,
} from "./editorModel.ts";

/** Not in the interface of the oldest editor that Arbor runs in, but newer ones have it. */
const abilities = z.object({
  supportsImageToText: z.boolean().optional().catch(undefined),
  supportsToolCalling: z.boolean().optional().catch(undefined),
});

/** Asks the user nothing: that comes with the first request to a model. */
export const listVscodeModels: ListEditorModels = async () => (await vscode.lm.selectChatModels()).map(editorModel);

function editorModel(model: vscode.LanguageModelChat): EditorModel {
  const { vendor, id, family, name, maxInputTokens } = model;
  const known = abilities.safeParse("capabilities" in model ? model.capabilities : {}).data ?? {};
  return {
    ...{ vendor, id, family, name, maxInputTokens },
    ...(known.supportsImageToText === undefined ? {} : { images: known.supportsImageToText }),
    ...(known.supportsToolCalling === undefined ? {} : { tools: known.supportsToolCalling }),
    send: async ({ messages, tools }, signal) => {
      const { token, release } = tokenOf(signal);
      try {
        const options = {
          justification: justification(),
          // Said although it is the editor's own choice, too: some providers of models have another one.
          ...(tools.length > 0 && { tools: tools.map(chatTool), toolMode: vscode.LanguageModelChatToolMode.Auto }),
        };
        const response = await model.sendRequest(messages.map(chatMessage), options, token);
        return read(response.stream, release);
      } catch (error) {
        release();
        throw error;
      }
    },
    countTokens: async (what, signal) => {
      const { token, release } = tokenOf(signal);
      try {
        return await model.countTokens(typeof what === "string" ? what : chatMessage(what), token);
      } finally {
        release();
      }
    },
  };
}

function justification(): string {
  return vscode.l10n.t("Arbor's agents send your messages and what their tools find to the model that you chose.");
}

async function* read(stream: AsyncIterable<unknown>, release: () => void): AsyncGenerator<EditorAnswerPart> {
  try {
    for await (const part of stream) yield answerPart(part);
  } finally {
    release();
  }
}

function answerPart(part: unknown): EditorAnswerPart {
  if (part instanceof vscode.LanguageModelTextPart) return { type: "text", text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { type: "call", id: part.callId, name: part.name, input: part.input };
  }
  return { type: "other" };
}

function chatTool({ name, description, parameters }: ToolDefinition): vscode.LanguageModelChatTool {
  return { name, description, inputSchema: parameters };
}

function chatMessage({ role, content }: EditorMessage): vscode.LanguageModelChatMessage {
  const roles = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === "user" ? roles.User : roles.Assistant, content.map(chatPart));
}

function chatPart(part: EditorPart): vscode.LanguageModelInputPart {
  switch (part.type) {
    case "call":
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case "result":
      return new vscode.LanguageModelToolResultPart(part.callId, part.content.map(shownPart));
    case "text":
    case "image":
      return shownPart(part);
    default:
      return assertNever(part);
  }
}

function shownPart(part: EditorShownPart): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  if (part.type === "text") return new vscode.LanguageModelTextPart(part.text);
  return vscode.LanguageModelDataPart.image(part.data, part.mimeType);
}

function tokenOf(signal: AbortSignal): { token: vscode.CancellationToken; release(): void } {
  const source = new vscode.CancellationTokenSource();
  const listening = onAbort(signal, () => source.cancel());
  return {
    token: source.token,
    release: () => {
      listening.dispose();
      source.dispose();
    },
  };
}
