import type { ToolDefinition } from "../../../agent/vocabulary/toolShapes.ts";

/** What a message to a model of the editor holds. */
export type EditorPart =
  | EditorShownPart
  | { type: "call"; id: string; name: string; input: object }
  | { type: "result"; callId: string; content: EditorShownPart[] };

export type EditorShownPart = { type: "text"; text: string } | { type: "image"; mimeType: string; data: Uint8Array };

/** The editor knows two roles: what the system says is said by the user, too. */
export interface EditorMessage {
  role: "user" | "assistant";
  content: EditorPart[];
}

/** What a model of the editor sends; `other` is whatever Arbor does not show. */
export type EditorAnswerPart =
  | { type: "text"; text: string }
  | { type: "call"; id: string; name: string; input: unknown }
  | { type: "other" };

/** A language model that another extension offers through the editor. */
export interface EditorModel {
  vendor: string;
  id: string;
  family: string;
  name: string;
  /** Tokens of one request. */
  maxInputTokens: number;
  images?: boolean;
  tools?: boolean;
  /**
   * Asks it, which may first ask the user whether Arbor may. Rejects, or the answer throws, with the editor's own errors.
   */
  send(request: EditorRequest, signal: AbortSignal): Promise<AsyncIterable<EditorAnswerPart>>;
  countTokens(what: string | EditorMessage, signal: AbortSignal): Promise<number>;
}

export interface EditorRequest {
  messages: EditorMessage[];
  tools: readonly ToolDefinition[];
}

/** The models that the editor has now. Listing them asks the user nothing. */
export type ListEditorModels = () => Promise<EditorModel[]>;
