import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { attachmentSchema } from "../../../protocol/attachmentSchema.ts";
import { type Attachment, type Draft, emptyDraft, isSameAttachment } from "../../../protocol/attachments.ts";
import { setAside, writeWhole } from "../../common/atomicFile.ts";
import { coalescedRuns } from "../../common/coalescedRuns.ts";
import { isFileSystemError } from "../../common/files.ts";

/** Where they are kept, in the storage folder of the workspace. */
export const draftsFile = "drafts.json";
/** Chats whose drafts are kept, those written last. */
const maxKept = 30;
/** Longer texts and pictures live as long as the window does. */
const maxWrittenLength = 200_000;

const storedSchema = z.array(
  z.object({
    chatId: z.string(),
    text: z.string(),
    attachments: z.array(attachmentSchema),
    typedAt: z.number().exactOptional(),
  }),
);
type Stored = z.infer<typeof storedSchema>;

/** What is in the composer of each chat: it outlives the panel, and but for what is large, the window. */
export interface Drafts {
  /** Reads what an earlier window kept. */
  load(): Promise<void>;
  of(chatId: string): Draft | undefined;
  /**
   * Without attachments: those it has stay. An empty text with a time is saved too: the page of the panel may still have
   * the text that was sent. One with an earlier time than the present one's is ignored.
   */
  keep(chatId: string, text: string, attachments?: readonly Attachment[], typedAt?: number): void;
  /** A message that was sent, and that no agent has yet: the next window has it in the composer, before what is written there. */
  hold(chatId: string, messageId: string, message: Draft): { dispose(): void };
  forgetAll(): void;
  /**
   * Takes up what a window left in its folder that is gone, of chats that have no draft here and may be taken. It is saved
   * here before it is removed there; what is in both places because a step between failed is taken up once.
   */
  adopt(left: string, mayTake: (chatId: string) => boolean): Promise<void>;
}

/** Drafts in a file of that folder. A write that fails is reported, and tried again with the next change. */
export function draftsIn(folder: string, onFailure: (error: unknown) => void): Drafts {
  const file = join(folder, draftsFile);
  const drafts = new Map<string, Draft>();
  /** By message. */
  const held = new Map<string, HeldMessage>();
  /** What was taken up in this window: what became of it since is for this window to say. */
  const seen = new Set<string>();
  let lastWritten = "[]";

  /** Resolves when what there is now is written. */
  const save = coalescedRuns(async () => {
    const json = textOf(withHeld(drafts, held));
    if (json === lastWritten) return;
    await mkdir(folder, { recursive: true });
    await writeWhole(file, json);
    lastWritten = json;
  });

  function write(): void {
    void save().catch(onFailure);
  }

  return {
    async load() {
      for (const stored of await readStored(file)) {
        seen.add(JSON.stringify(stored));
        const { chatId, ...draft } = stored;
        // What was written in this window is newer.
        if (!drafts.has(chatId)) drafts.set(chatId, draft);
      }
      lastWritten = textOf(drafts);
    },
    of: (chatId) => drafts.get(chatId),
    keep(chatId, text, attachments = drafts.get(chatId)?.attachments ?? [], typedAt) {
      // The page of a window that ended at once begins with an older text.
      if (typedAt !== undefined && (drafts.get(chatId)?.typedAt ?? 0) > typedAt) return;
      // Last in the map is what was written last.
      drafts.delete(chatId);
      if (text !== "" || attachments.length > 0 || typedAt !== undefined) {
        drafts.set(chatId, { text, attachments, ...(typedAt !== undefined && { typedAt }) });
      }
      for (const oldest of [...drafts.keys()].slice(0, Math.max(0, drafts.size - maxKept))) drafts.delete(oldest);
      write();
    },
    hold(chatId, messageId, message) {
      held.set(messageId, { ...message, chatId });
      write();
      return {
        dispose() {
          if (held.delete(messageId)) write();
        },
      };
    },
    forgetAll() {
      drafts.clear();
      held.clear();
      write();
    },
    async adopt(left, mayTake) {
      const leftFile = join(left, draftsFile);
      const stored = await readStored(leftFile);
      const fresh = stored.filter((each) => !seen.has(JSON.stringify(each)));
      const taken = fresh.filter(({ chatId }) => !drafts.has(chatId) && mayTake(chatId));
      const rest = fresh.filter((each) => !taken.includes(each));
      if (stored.length > 0 && rest.length === stored.length) return;
      for (const each of taken) seen.add(JSON.stringify(each));
      // What was written here is newer.
      const own = [...drafts];
      drafts.clear();
      for (const { chatId, ...draft } of taken) drafts.set(chatId, draft);
      for (const [chatId, draft] of own) drafts.set(chatId, draft);
      await save();
      if (rest.length > 0) await writeWhole(leftFile, JSON.stringify(rest));
      else await rm(leftFile, { force: true });
    },
  };
}

interface HeldMessage extends Draft {
  chatId: string;
}

function withHeld(drafts: ReadonlyMap<string, Draft>, held: ReadonlyMap<string, HeldMessage>): Map<string, Draft> {
  const all = new Map(drafts);
  for (const [chatId, messages] of Map.groupBy(held.values(), (message) => message.chatId)) {
    const draft = drafts.get(chatId) ?? emptyDraft;
    const parts = [...messages, draft];
    const text = parts.map((part) => part.text.trim()).filter((words) => words !== "");
    const attachments = parts.flatMap((part) => part.attachments);
    // Newer than what the page has, which lacks the messages.
    all.set(chatId, {
      text: text.join("\n"),
      attachments: attachments.filter(isFirst),
      typedAt: (draft.typedAt ?? 0) + 1,
    });
  }
  return all;
}

function isFirst(attachment: Attachment, index: number, all: readonly Attachment[]): boolean {
  return all.findIndex((other) => isSameAttachment(other, attachment)) === index;
}

/** What can't be read is kept beside its place, so that no other drafts are written over it. */
async function readStored(file: string): Promise<Stored> {
  try {
    return storedSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return [];
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    await setAside(file);
    return [];
  }
}

function textOf(drafts: ReadonlyMap<string, Draft>): string {
  const stored: Stored = [...drafts].map(([chatId, { text, attachments, typedAt }]) => {
    const isLong = text.length > maxWrittenLength;
    return {
      chatId,
      text: isLong ? "" : text,
      attachments: attachments.filter(isSmall),
      // The page has the text that is too long for this file.
      ...(typedAt !== undefined && !isLong && { typedAt }),
    };
  });
  return JSON.stringify(stored);
}

function isSmall(attachment: Attachment): boolean {
  if (attachment.kind === "image") return false;
  return attachment.kind !== "text" || attachment.text.length <= maxWrittenLength;
}
