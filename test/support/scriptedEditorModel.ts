import type {
  EditorAnswerPart,
  EditorMessage,
  EditorModel,
  EditorRequest,
} from "../../src/extension/models/editor/editorModel.ts";

/** One answer of a model of the editor. */
export interface EditorReply {
  parts?: readonly EditorAnswerPart[];
  /** Thrown after the parts. */
  throws?: unknown;
  /** Thrown by the request itself. */
  refuses?: unknown;
  /** After the parts, nothing comes any more. */
  hangs?: boolean;
  /** The user is still asked whether Arbor may. */
  isAsking?: boolean;
  /** Runs once the parts are out. */
  after?(): void;
}

export interface ScriptedEditorModel extends EditorModel {
  requests: EditorRequest[];
  signals: AbortSignal[];
  /** What was counted. */
  counted: (string | EditorMessage)[];
}

/** A model of the editor that gives the replies in their order, and counts a token a character. */
export function editorModel(
  about: Partial<EditorModel> = {},
  replies: readonly EditorReply[] = [],
): ScriptedEditorModel {
  const model: ScriptedEditorModel = {
    ...{ vendor: "acme", id: "m1", family: "m", name: "Model One", maxInputTokens: 1_000 },
    ...{ requests: [], signals: [], counted: [] },
    send: async (request, signal) => {
      model.requests.push(request);
      model.signals.push(signal);
      const reply = replies[model.requests.length - 1] ?? {};
      if (reply.isAsking) await new Promise(() => {});
      if (reply.refuses !== undefined) throw reply.refuses;
      return answer(reply);
    },
    countTokens: async (what) => {
      model.counted.push(what);
      return typeof what === "string" ? what.length : lengthOf(what);
    },
    ...about,
  };
  return model;
}

async function* answer({ parts = [], throws, hangs, after }: EditorReply): AsyncGenerator<EditorAnswerPart> {
  yield* parts;
  after?.();
  if (hangs) await new Promise(() => {});
  if (throws !== undefined) throw throws;
}

function lengthOf({ content }: EditorMessage): number {
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 1), 0);
}

/** As the editor throws them: distinguished by their code. */
export function languageModelError(code: string, message: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { name: "LanguageModelError", code });
}
