import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { attachmentSchema } from "../../../protocol/attachmentSchema.ts";
import type { Attachment, Draft } from "../../../protocol/attachments.ts";
import { writeWhole } from "../../review/writeWhole.ts";
import { isFileSystemError } from "../../workspace/fileSystemErrors.ts";

/** Where they are kept, in the storage folder of the workspace. */
export const draftsFile = "drafts.json";
/** Chats whose drafts are kept, those written last. */
const mostKept = 30;
/** Longer texts and pictures live as long as the window does. */
const longestWritten = 200_000;

const storedSchema = z.array(
  z.object({ chatId: z.string(), text: z.string(), attachments: z.array(attachmentSchema) }),
);
type Stored = z.infer<typeof storedSchema>;

/** What stands in the composer of each chat: it outlives the panel, and but for what is large, the window. */
export interface Drafts {
  /** Reads what an earlier window kept. */
  load(): Promise<void>;
  of(chatId: string): Draft | undefined;
  /** Without attachments: those it has stay. */
  keep(chatId: string, text: string, attachments?: readonly Attachment[]): void;
  forgetAll(): void;
}

/** Drafts in a file of that folder. A write that fails is told, and tried again with the next change. */
export function draftsIn(folder: string, onFailure: (error: unknown) => void): Drafts {
  const file = join(folder, draftsFile);
  const drafts = new Map<string, Draft>();
  let lastWritten = "[]";
  let isWriting = false;

  /** One write at a time; what changes meanwhile is in the next one. */
  async function writeUntilSame(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    try {
      for (let json = textOf(drafts); json !== lastWritten; json = textOf(drafts)) {
        await mkdir(folder, { recursive: true });
        await writeWhole(file, json);
        lastWritten = json;
      }
    } finally {
      isWriting = false;
    }
  }

  function write(): void {
    void writeUntilSame().catch(onFailure);
  }

  return {
    async load() {
      for (const { chatId, text, attachments } of await readStored(file)) {
        // What was written in this window is newer.
        if (!drafts.has(chatId)) drafts.set(chatId, { text, attachments });
      }
      lastWritten = textOf(drafts);
    },
    of: (chatId) => drafts.get(chatId),
    keep(chatId, text, attachments = drafts.get(chatId)?.attachments ?? []) {
      // Last in the map is what was written last.
      drafts.delete(chatId);
      if (text !== "" || attachments.length > 0) drafts.set(chatId, { text, attachments });
      for (const oldest of [...drafts.keys()].slice(0, Math.max(0, drafts.size - mostKept))) drafts.delete(oldest);
      write();
    },
    forgetAll() {
      drafts.clear();
      write();
    },
  };
}

async function readStored(file: string): Promise<Stored> {
  try {
    return storedSchema.catch([]).parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || (isFileSystemError(error) && error.code === "ENOENT")) return [];
    throw error;
  }
}

function textOf(drafts: ReadonlyMap<string, Draft>): string {
  const stored: Stored = [...drafts].map(([chatId, { text, attachments }]) => ({
    chatId,
    text: text.length > longestWritten ? "" : text,
    attachments: attachments.filter(isSmall),
  }));
  return JSON.stringify(stored);
}

function isSmall(attachment: Attachment): boolean {
  if (attachment.kind === "image") return false;
  return attachment.kind !== "text" || attachment.text.length <= longestWritten;
}
