import type { LogEntry } from "../../protocol/messages.ts";
import type { ChatState } from "./chatState.ts";

/** Words that one part of one message gained. */
export interface Growth {
  agentId: string;
  messageId: string;
  /** Of the part in the message. */
  index: number;
  more: string;
}

/** What the entries add to texts, when that is all they do; undefined when they do anything else. */
export function growthOf(entries: readonly LogEntry[]): Growth[] | undefined {
  const growths: Growth[] = [];
  for (const entry of entries) {
    if (!("agent" in entry) || entry.agent.type !== "message_update") return undefined;
    const { agent, messageId, delta } = entry.agent;
    if (delta.type !== "text_delta" && delta.type !== "thinking_delta") return undefined;
    const last = growths.at(-1);
    if (last !== undefined && last.messageId === messageId && last.index === delta.index) last.more += delta.delta;
    else growths.push({ agentId: agent.id, messageId, index: delta.index, more: delta.delta });
  }
  return growths;
}

/** Told of a text that grew: all of it, and what is new. */
export type GrowthListener = (text: string, more: string) => void;

/** Brings words to the part of the page that shows them, and to nothing else. */
export interface GrowthFeed {
  listen(messageId: string, index: number, listener: GrowthListener): () => void;
}

export interface GrowthRoutes extends GrowthFeed {
  /** False when the words belong on the page and have no place there yet. */
  tell(growth: Growth, state: ChatState): boolean;
}

export function createGrowthRoutes(): GrowthRoutes {
  const listeners = new Map<string, GrowthListener>();
  const keyOf = (messageId: string, index: number) => `${index} ${messageId}`;
  return {
    listen(messageId, index, listener) {
      const key = keyOf(messageId, index);
      listeners.set(key, listener);
      return () => {
        if (listeners.get(key) === listener) listeners.delete(key);
      };
    },
    tell({ agentId, messageId, index, more }, state) {
      const listener = listeners.get(keyOf(messageId, index));
      const message = state.tree.nodes[agentId]?.messages.findLast(({ id }) => id === messageId);
      const part = message?.role === "assistant" ? message.content[index] : undefined;
      if (part === undefined || part.type === "toolCall") return false;
      // Thoughts are folded, but their first words make the fold appear.
      if (listener === undefined) return part.type === "thinking" && part.text.length > more.length;
      listener(part.text, more);
      return true;
    },
  };
}
