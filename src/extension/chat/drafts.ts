import * as z from "zod";
import { attachmentSchema } from "../../protocol/attachmentSchema.ts";
import type { Attachment, Draft } from "../../protocol/attachments.ts";

const storeKey = "arbor.drafts";
/** Chats whose drafts are kept, those written last. */
const mostKept = 30;
/** Longer texts and pictures live as long as the window does: the editor's memory is for small things. */
const longestWritten = 200_000;

const storedSchema = z.array(
  z.object({ chatId: z.string(), text: z.string(), attachments: z.array(attachmentSchema) }),
);

/** What the editor keeps for a workspace. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What stands in the composer of each chat: it outlives the panel, and but for what is large, the window. */
export interface Drafts {
  of(chatId: string): Draft | undefined;
  /** Without attachments: those it has stay. */
  keep(chatId: string, text: string, attachments?: readonly Attachment[]): void;
}

export function createDrafts(memory: Memory, onFailure: (error: unknown) => void): Drafts {
  const drafts = new Map<string, Draft>(
    storedSchema
      .catch([])
      .parse(memory.get(storeKey))
      .map(({ chatId, text, attachments }) => [chatId, { text, attachments }]),
  );
  let lastWritten = JSON.stringify(written(drafts));

  function write(): void {
    const next = written(drafts);
    const json = JSON.stringify(next);
    if (json === lastWritten) return;
    lastWritten = json;
    memory.update(storeKey, next).then(undefined, onFailure);
  }

  return {
    of: (chatId) => drafts.get(chatId),
    keep(chatId, text, attachments = drafts.get(chatId)?.attachments ?? []) {
      // Last in the map is what was written last.
      drafts.delete(chatId);
      if (text !== "" || attachments.length > 0) drafts.set(chatId, { text, attachments });
      for (const oldest of [...drafts.keys()].slice(0, Math.max(0, drafts.size - mostKept))) drafts.delete(oldest);
      write();
    },
  };
}

function written(drafts: ReadonlyMap<string, Draft>): z.infer<typeof storedSchema> {
  return [...drafts].map(([chatId, { text, attachments }]) => ({
    chatId,
    text: text.length > longestWritten ? "" : text,
    attachments: attachments.filter((attachment) => isSmall(attachment)),
  }));
}

function isSmall(attachment: Attachment): boolean {
  if (attachment.kind === "image") return false;
  return attachment.kind !== "text" || attachment.text.length <= longestWritten;
}
