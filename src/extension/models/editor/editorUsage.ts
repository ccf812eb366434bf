import type { AssistantMessage, LlmMessage } from "../../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../../agent/vocabulary/model.ts";
import { emptyUsage, type Usage } from "../../../agent/vocabulary/usage.ts";
import { editorMessage, systemMessage } from "./editorMessages.ts";
import type { EditorMessage, EditorModel } from "./editorModel.ts";

/** Texts are kept whole, so only as many as a few agents have. */
const maxTexts = 64;

/**
 * Counts tokens by the model's own counter, each message once. The editor reports no usage, so that this is the nearest
 * that can be known: what the extension adds to a request is not in it.
 */
export function createTokenCounter() {
  const messages = new Map<string, WeakMap<LlmMessage, Promise<number>>>();
  const texts = new Map<string, Promise<number>>();

  function ofMessage(model: EditorModel, message: LlmMessage, signal: AbortSignal): Promise<number> {
    const key = `${model.vendor}/${model.id}`;
    const counted = messages.get(key) ?? new WeakMap<LlmMessage, Promise<number>>();
    messages.set(key, counted);
    const known = counted.get(message);
    if (known !== undefined) return known;
    const counting = count(model, editorMessage(message), signal);
    counted.set(message, counting);
    // What failed is asked for again.
    counting.catch(() => counted.delete(message));
    return counting;
  }

  function ofText(model: EditorModel, text: string, signal: AbortSignal): Promise<number> {
    const key = `${model.vendor}/${model.id}\n${text}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const counting = count(model, systemMessage(text), signal);
    texts.set(key, counting);
    counting.catch(() => texts.delete(key));
    const [oldest] = texts.keys();
    if (texts.size > maxTexts && oldest !== undefined) texts.delete(oldest);
    return counting;
  }

  return {
    async input(model: EditorModel, request: ModelRequest, signal: AbortSignal): Promise<number> {
      const tools = request.tools.length === 0 ? "" : JSON.stringify(request.tools);
      const counts = [
        ...[request.systemPrompt, tools].filter((text) => text !== "").map((text) => ofText(model, text, signal)),
        ...request.messages.map((message) => ofMessage(model, message, signal)),
      ];
      return sum(await Promise.all(counts));
    },
    output: (model: EditorModel, message: AssistantMessage, signal: AbortSignal) =>
      count(model, editorMessage(message), signal),
  };
}

export type TokenCounter = ReturnType<typeof createTokenCounter>;

/** Marked as what it is. */
export function estimatedUsage(input: number, output: number): Usage {
  return { ...emptyUsage(), input, output, isEstimate: true };
}

async function count(model: EditorModel, message: EditorMessage, signal: AbortSignal): Promise<number> {
  if (message.content.length === 0) return 0;
  const tokens = await model.countTokens(message, signal);
  if (!Number.isFinite(tokens) || tokens < 0) throw new Error("The model's counter did not count.");
  return Math.round(tokens);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, one) => total + one, 0);
}
