import * as z from "zod";
import type { ArborModel } from "../../../api/arbor.d.ts";
import { estimateTokens, userMessage } from "../../agent/vocabulary/messages.ts";
import { unlessAborted } from "../common/abort.ts";
import type { EditorAnswerPart, EditorModel, EditorPart, EditorShownPart } from "../models/editor/editorModel.ts";

// A function of another extension: what it gives is checked where it is used.
const isFunction = (value: unknown) => typeof value === "function";

export const extensionModelSchema = z.object({
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  name: z.string().min(1).max(100),
  maxInputTokens: z.int().min(1_000).max(100_000_000),
  images: z.boolean().exactOptional(),
  respond: z.custom<ArborModel["respond"]>(isFunction),
});

const answerPart = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("call"), id: z.string().min(1), name: z.string().min(1), input: z.unknown() }),
]);

/** A model of an extension, like those that the editor has of it; its counts are estimates. */
export function extensionModel(extensionId: string, model: z.infer<typeof extensionModelSchema>): EditorModel {
  const { id, name, maxInputTokens, images = false, respond } = model;
  return {
    ...{ vendor: extensionId, id, family: id, name, maxInputTokens, images, tools: true },
    async send({ messages, tools }, signal) {
      const request = {
        messages: messages.map(({ role, content }) => ({ role, content })),
        tools: tools.map(({ name: tool, description, parameters }) => ({ name: tool, description, parameters })),
      };
      return answered(respond(structuredClone(request), signal), signal);
    },
    async countTokens(what) {
      const text = typeof what === "string" ? what : what.content.map(textOf).join("\n");
      return estimateTokens([userMessage(text)]);
    },
  };
}

/** An extension that never answers is left when the request is aborted. */
async function* answered(parts: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<EditorAnswerPart> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(iterator.next(), signal);
      if (done === true) return;
      yield answerPart.safeParse(value).data ?? { type: "other" };
    }
  } finally {
    // Not waited for: it may be what never settles. What it throws takes the place of no failure.
    const close = async () => iterator.return?.();
    void close().catch(() => {});
  }
}

function textOf(part: EditorPart): string {
  switch (part.type) {
    case "call":
      return JSON.stringify(part.input);
    case "result":
      return part.content.map(shownText).join("\n");
    default:
      return shownText(part);
  }
}

function shownText(part: EditorShownPart): string {
  return part.type === "text" ? part.text : "";
}
