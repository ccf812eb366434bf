import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { AgentMessage } from "../../../agent/index.ts";
import type { Chat } from "../../chat/chat.ts";
import { wordsOf } from "../../chat/messageQueue.ts";
import { writeWhole } from "../../common/atomicFile.ts";
import { isFileSystemError } from "../../common/files.ts";
import { SerialQueue } from "../../common/serialQueue.ts";

/** Of a message; what comes after is seldom searched for, or sent again. */
const maxOfMessage = 4_000;
const extension = ".txt";
const readAtOnce = 16;
const retainedDays = 30;
const dayMs = 24 * 60 * 60 * 1_000;
/** Of the messages that are recalled. */
const maxRecalled = 100;
const maxRecalledLength = 100_000;
const maxRecalledChats = 50;

/** What the user said at a time, in ms since the epoch. */
const userTextSchema = z.object({ at: z.number(), text: z.string() });
export type UserText = z.infer<typeof userTextSchema>;

interface ReadText {
  said: readonly UserText[];
  /** As it is searched: one line for each message, so that what is found never spans two. */
  folded: string;
  /** Of the file, just before it was read. */
  size: number;
  mtimeMs: number;
}

/**
 * What the user said in each chat, in small files beside the sessions: a session may have hundreds of megabytes, and
 * the text that is searched is a few kilobytes of it. Each chat has a file of its own, so that windows which write
 * at once do not get in each other's way.
 */
export class MessageSearch {
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  /** What was read; another window may have written since. */
  readonly #texts = new Map<string, ReadText>();
  readonly #writes = new SerialQueue();

  constructor(folder: string, onFailure: (error: unknown) => void) {
    this.#folder = folder;
    this.#onFailure = onFailure;
  }

  /** Replaces what is stored of a chat by all that was said in it so far. */
  begin(chatId: string, messages: readonly UserText[]): void {
    this.#write(chatId, async (file) => {
      await writeWhole(file, messages.map(lineOf).join(""));
    });
  }

  add(chatId: string, message: UserText): void {
    this.#write(chatId, async (file) => {
      await appendFile(file, lineOf(message), { mode: 0o600 });
    });
  }

  /** The chats among these in which the words were said. */
  async find(query: string, chatIds: readonly string[]): Promise<Set<string>> {
    await this.#writes.settled();
    const wanted = foldedLine(query);
    const found = new Set<string>();
    for await (const [id, text] of this.#textsOf(chatIds)) if (text?.folded.includes(wanted) === true) found.add(id);
    return found;
  }

  /** What was said last in these chats, the latest first, each text once; the chats newest first. */
  async latest(chatIds: readonly string[]): Promise<UserText[]> {
    await this.#writes.settled();
    const all: UserText[] = [];
    for await (const [, text] of this.#textsOf(chatIds.slice(0, maxRecalledChats))) {
      all.push(...(text?.said ?? []).slice(-maxRecalled));
    }
    const byText = new Map<string, UserText>();
    let length = 0;
    for (const said of all.sort((a, b) => b.at - a.at)) {
      if (byText.size === maxRecalled || length + said.text.length > maxRecalledLength) break;
      // One that was cut off is not what the user said.
      if (said.at === 0 || said.text.length >= maxOfMessage || byText.has(said.text)) continue;
      byText.set(said.text, said);
      length += said.text.length;
    }
    return [...byText.values()];
  }

  async *#textsOf(chatIds: readonly string[]): AsyncGenerator<[string, ReadText | undefined]> {
    for (let start = 0; start < chatIds.length; start += readAtOnce) {
      const ids = chatIds.slice(start, start + readAtOnce);
      const texts = await Promise.all(ids.map((id) => this.#textOf(id)));
      for (const [index, id] of ids.entries()) yield [id, texts[index]];
    }
  }

  /** Removes what was said in other chats, some time after they were deleted. */
  async removeOthers(chatIds: readonly string[], now: number): Promise<void> {
    const listed = new Set(chatIds);
    for (const name of await unlessAbsent(readdir(this.#folder), [])) {
      const file = join(this.#folder, name);
      if (listed.has(name.slice(0, -extension.length))) continue;
      // A text that is being written has a file beside it for a moment.
      const found = await unlessAbsent(stat(file), undefined);
      if (found !== undefined && now - found.mtimeMs > retainedDays * dayMs) await rm(file, { force: true });
    }
  }

  async #textOf(chatId: string): Promise<ReadText | undefined> {
    const file = this.#fileOf(chatId);
    const found = await unlessAbsent(stat(file), undefined);
    if (found === undefined) return undefined;
    const { size, mtimeMs } = found;
    const known = this.#texts.get(chatId);
    if (known?.size === size && known.mtimeMs === mtimeMs) return known;
    const lines = (await unlessAbsent(readFile(file, "utf8"), "")).split("\n").filter((line) => line !== "");
    const said = lines.map(readLine);
    const text = { said, folded: said.map((each) => foldedLine(each.text)).join("\n"), size, mtimeMs };
    this.#texts.set(chatId, text);
    return text;
  }

  #write(chatId: string, write: (file: string) => Promise<void>): void {
    this.#writes
      .run(async () => {
        await mkdir(this.#folder, { recursive: true });
        await write(this.#fileOf(chatId));
      })
      .catch(this.#onFailure);
  }

  #fileOf(chatId: string): string {
    return join(this.#folder, `${chatId}${extension}`);
  }
}

function lineOf({ at, text }: UserText): string {
  return `${JSON.stringify({ at, text: text.slice(0, maxOfMessage) })}\n`;
}

/** An earlier version wrote the bare words, in small letters and without the time: they are searched and not recalled. */
function readLine(line: string): UserText {
  try {
    return userTextSchema.parse(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return { at: 0, text: line };
    throw error;
  }
}

function foldedLine(text: string): string {
  return text.slice(0, maxOfMessage).replace(/\s+/g, " ").trim().toLowerCase();
}

async function unlessAbsent<T>(reading: Promise<T>, absent: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isFileSystemError(error) && error.code === "ENOENT") return absent;
    throw error;
  }
}

/** Notes what the user said in a chat that was opened from its session: it may come from elsewhere. */
export function noteWords(chat: Chat, words: MessageSearch): void {
  words.begin(chat.id, chat.earlier?.messages.flatMap(userTextsIn) ?? []);
}

/** Notes what the user says in a chat, until the result is disposed. */
export function listenToUser(chat: Chat, words: MessageSearch): { dispose(): void } {
  return chat.log.onAppend((entry) => {
    if (!("agent" in entry) || entry.agent.type !== "message_end" || entry.agent.agent.depth > 0) return;
    for (const said of userTextsIn(entry.agent.message)) words.add(chat.id, said);
  });
}

function userTextsIn(message: AgentMessage): UserText[] {
  return message.role === "user" ? [{ at: message.timestamp, text: wordsOf(message) }] : [];
}
