import * as z from "zod";

const id = z.string().min(1).max(200);

/** What the panel asks about chats beside the one on show. Without a chat's id the one on show is meant. */
export const historyIntents = [
  /** Answered by `history`, and again with each change, until `closeHistory`. */
  z.object({ type: z.literal("listHistory"), query: z.string().max(1_000), limit: z.int().positive().max(10_000) }),
  z.object({ type: z.literal("closeHistory") }),
  z.object({ type: z.literal("openChat"), chatId: id }),
  z.object({ type: z.literal("openInEditor"), chatId: id.exactOptional() }),
  z.object({ type: z.literal("renameChat"), chatId: id, title: z.string().min(1).max(200) }),
  z.object({ type: z.literal("deleteChat"), chatId: id }),
  /** Takes back a `deleteChat`. */
  z.object({ type: z.literal("restoreChat"), chatId: id }),
  z.object({ type: z.literal("exportChat"), chatId: id.exactOptional() }),
  z.object({ type: z.literal("importChat") }),
  /** Shows where the chat's file is. */
  z.object({ type: z.literal("showChatFile"), chatId: id }),
  /** A new chat with all of the chat, or with what stands before a message of the user's, whose words are composed. */
  z.object({ type: z.literal("forkChat"), chatId: id.exactOptional(), messageId: id.exactOptional() }),
  /** What lies before the oldest message that the panel has. */
  z.object({ type: z.literal("showEarlier") }),
] as const;

export type HistoryIntent = z.infer<(typeof historyIntents)[number]>;
