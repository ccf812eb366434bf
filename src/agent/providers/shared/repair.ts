import type { AssistantMessage, LlmMessage } from "../../vocabulary/messages.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { repairTranscript } from "../../vocabulary/projection.ts";

/** Makes another history of one that a provider rejected, and remembers what had to go. */
export interface Repairs {
  /** The request without what was rejected before. */
  known(request: ModelRequest): ModelRequest;
  /** A history that asks less of the provider; undefined where there is nothing to leave out. */
  repaired(request: ModelRequest): ModelRequest | undefined;
  /** The repaired history was accepted: from now on it is sent at once. */
  keep(request: ModelRequest): void;
}

/**
 * What providers reject in a history that they have written themselves is thinking whose signature they do not know any
 * more, and calls or results that lack the other half, as a hook of the host's may leave them.
 */
export function createRepairs(): Repairs {
  // The same object for the same message, so that its JSON stays cached.
  const withoutThinking = new WeakMap<AssistantMessage, AssistantMessage>();
  const rejected = new WeakSet<LlmMessage>();
  // Nearly always nothing was, and looking would cost a walk through the whole history for each request.
  let hasRejected = false;

  function bare(message: LlmMessage): LlmMessage[] {
    if (message.role !== "assistant" || !hasThinking(message)) return [message];
    const content = message.content.filter((part) => part.type !== "thinking");
    if (content.length === 0) return [];
    const written = withoutThinking.get(message) ?? { ...message, content };
    withoutThinking.set(message, written);
    return [written];
  }

  return {
    known: (request) =>
      hasRejected && request.messages.some((message) => rejected.has(message))
        ? { ...request, messages: request.messages.flatMap((m) => (rejected.has(m) ? bare(m) : [m])) }
        : request,
    repaired: (request) => {
      const messages = repairTranscript(request.messages.flatMap(bare));
      const first = messages.findIndex((message) => message.role === "user");
      const repaired = first > 0 ? messages.slice(first) : messages;
      const isSame =
        repaired.length === request.messages.length && repaired.every((m, at) => m === request.messages[at]);
      return isSame || first < 0 ? undefined : { ...request, messages: repaired };
    },
    keep: (request) => {
      hasRejected = true;
      for (const message of request.messages) if (hasThinking(message)) rejected.add(message);
    },
  };
}

function hasThinking(message: LlmMessage): boolean {
  return message.role === "assistant" && message.content.some((part) => part.type === "thinking");
}
