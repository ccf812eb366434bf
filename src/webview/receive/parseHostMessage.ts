import type { HostMessage } from "../../protocol/messages.ts";
import {
  type Check,
  isFlag,
  isId,
  isNumber,
  isRecord,
  isText,
  listOf,
  oneOf,
  optional,
  shape,
  variant,
} from "./check.ts";
import { isAttachment, isEntry, isHistoryItem, isMessage, isStatus, isSuggestion } from "./shapes.ts";

const isHostMessage: Check = variant(
  "type",
  {
    chat: shape({
      chatId: isText,
      reset: isFlag,
      upToSeq: isNumber,
      entries: Array.isArray,
      draft: isText,
      draftAttachments: optional(listOf(isAttachment)),
      status: isStatus,
    }),
    entries: shape({ chatId: isText, afterSeq: isNumber, upToSeq: isNumber, entries: Array.isArray }),
    agentTranscript: shape({ chatId: isText, agentId: isId, messages: listOf(isMessage), upToSeq: isNumber }),
    status: shape({ status: isStatus }),
    compose: shape({ text: isText, attachments: listOf(isAttachment) }),
    chatKept: shape({ chatId: isText }),
    focus: shape({ target: oneOf("composer", "tree", "waiting", "history") }),
    showConversation: shape({}),
    history: shape({ query: isText, items: listOf(isHistoryItem), hasMore: isFlag }),
    earlier: shape({ chatId: isText, entries: Array.isArray, hasEarlier: isFlag }),
    suggestions: shape({ requestId: isText, items: listOf(isSuggestion) }),
    answer: shape({ decision: oneOf("accepted", "rejected") }),
  },
  () => false,
);

/**
 * A message from the host, or undefined when it is not one. A log entry that is damaged is left out of its message:
 * one bad line must not cost the conversation.
 */
export function parseHostMessage(data: unknown): HostMessage | undefined {
  if (typeof data !== "string") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (!isHostMessage(value) || !isRecord(value)) return undefined;
  const message = Array.isArray(value.entries) ? { ...value, entries: value.entries.filter(isEntry) } : value;
  // The shapes above are those of the union.
  return message as unknown as HostMessage;
}
