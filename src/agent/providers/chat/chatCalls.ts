import type { Chat } from "openai/resources/chat/chat";
import type { CallInput, MessageDraft, OpenCall } from "../shared/draft.ts";

/** One piece of a tool call as servers really send it. */
type CallDelta = Partial<Chat.ChatCompletionChunk.Choice.Delta.ToolCall> & {
  /** A tool with free text instead of arguments. */
  custom?: { name?: string; input?: string };
  /** Google's: holds the signature without which its models refuse the call when it goes back. */
  extra_content?: unknown;
};

/** The tool calls of one answer while they grow. */
export interface ChatCalls {
  grow(delta: CallDelta): void;
  end(): void;
}

/** A call begins when its name is known; what came before waits. */
interface Growing {
  id: string | undefined;
  name: string;
  waiting: string;
  input: CallInput;
  extra: unknown;
  call: OpenCall | undefined;
}

export function createChatCalls(draft: MessageDraft): ChatCalls {
  // Pieces belong together by their index; servers that leave it out send whole calls, one after the other.
  const byIndex = new Map<number | undefined, Growing>();
  const all: Growing[] = [];

  function begin(growing: Growing): OpenCall {
    growing.call = draft.openCall(growing.id, growing.name, growing.input);
    draft.appendCall(growing.call, growing.waiting);
    return growing.call;
  }
  function growingAt(delta: CallDelta): Growing {
    const known = byIndex.get(delta.index);
    // Some servers number every call 0: another id with another name is another call.
    const isOther = known !== undefined && Boolean(delta.id) && Boolean(known.id) && delta.id !== known.id;
    if (known !== undefined && !(isOther && delta.function?.name)) return known;
    const growing: Growing = {
      id: delta.id,
      name: "",
      waiting: "",
      input: delta.custom === undefined ? "json" : "text",
      extra: undefined,
      call: undefined,
    };
    byIndex.set(delta.index, growing);
    all.push(growing);
    return growing;
  }

  return {
    grow: (delta) => {
      const growing = growingAt(delta);
      growing.id ||= delta.id;
      growing.extra ??= delta.extra_content;
      growing.name ||= delta.function?.name ?? delta.custom?.name ?? "";
      const text = delta.function?.arguments ?? delta.custom?.input ?? "";
      if (growing.call !== undefined) draft.appendCall(growing.call, text);
      else growing.waiting += text;
      if (growing.call === undefined && growing.name !== "") begin(growing);
    },
    end: () => {
      for (const growing of all) {
        const open = growing.call ?? begin(growing);
        if (typeof growing.extra === "object" && growing.extra !== null) {
          open.call.signature = JSON.stringify(growing.extra);
        }
        draft.closeCall(open);
      }
    },
  };
}
