import type { HostMessage, LogEntry, PanelStatus } from "../../../protocol/messages.ts";
import type { AgentTranscript, MirroredChat } from "../../chat/log/chatRecording.ts";
import { cutMessage, WrittenTexts } from "./cutTexts.ts";
import { coalesce, EntryBatch } from "./entryBatch.ts";
import { LiveLines } from "./liveLines.ts";
import { messageInUsersWords, stripEntry } from "./stripEntry.ts";

/** A frame: at most 60 posts a second. */
const frameMs = 17;
/** Words that continue a text, and numbers alone, come with every second frame: it reads as smoothly at half the cost. */
const wordsMs = 2 * frameMs;
/** What agents write that are not opened is sent four times a second. */
const liveMs = 250;

/** A webview, as far as messages go. */
export interface MessageTarget {
  postMessage(json: string): unknown;
}

/**
 * One panel's end of a chat: batches the log's entries per frame, leaves out what the panel does not need, and after a
 * reload sends what it lacks. While the panel is hidden nothing is queued, since it asks for everything when it is back.
 */
export class Channel {
  readonly #page: MessageTarget;
  readonly #opened = new Set<string>();
  #chat: MirroredChat;
  #subscription: { dispose(): void } | undefined;
  readonly #batch = new EntryBatch();
  readonly #isOpened = (agentId: string) => this.#opened.has(agentId);
  #sentSeq = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = 0;
  readonly #written = new WrittenTexts();
  readonly #live = new LiveLines();
  #liveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(chat: MirroredChat, page: MessageTarget) {
    this.#chat = chat;
    this.#page = page;
  }

  /** Starts or resumes the mirroring for a panel that has `known` of the chat, if anything. */
  resume(known: { chatId: string; lastSeq: number } | undefined, status: PanelStatus): void {
    this.pause();
    const chat = this.#chat;
    const isSameChat = known?.chatId === chat.id && known.lastSeq <= chat.log.lastSeq;
    const missing = isSameChat && known.lastSeq > 0 ? chat.log.entriesAfter(known.lastSeq) : undefined;
    if (missing === undefined) {
      this.#opened.clear();
      this.#written.clear();
    }
    const entries = this.#prepare(missing ?? chat.log.entriesAfter(0) ?? []);
    this.#sentSeq = chat.log.lastSeq;
    chat.log.divide();
    const reset = missing === undefined;
    const more = chat.past?.hasEarlier === true ? { hasEarlier: true } : {};
    this.send({
      type: "chat",
      chatId: chat.id,
      reset,
      upToSeq: this.#sentSeq,
      entries,
      draft: chat.draft.text,
      ...(chat.draft.attachments.length > 0 && { draftAttachments: [...chat.draft.attachments] }),
      ...(chat.draft.typedAt !== undefined && { draftTypedAt: chat.draft.typedAt }),
      status,
      ...more,
    });
    this.#subscription = this.#follow(chat);
    this.#sendLiveSoon();
  }

  /** Mirrors another chat from the panel's next `ready` on. */
  turnTo(chat: MirroredChat): void {
    this.pause();
    this.#chat = chat;
  }

  show(chat: MirroredChat, status: PanelStatus): void {
    this.turnTo(chat);
    this.resume(undefined, status);
  }

  pause(): void {
    this.#subscription?.dispose();
    this.#subscription = undefined;
    this.#stopTimer();
    this.#batch.clear();
    clearTimeout(this.#liveTimer);
    this.#liveTimer = undefined;
    this.#live.clear();
  }

  /** From now on the agent's deltas and whole messages are sent; its transcript so far comes first. */
  async openAgent(agentId: string): Promise<void> {
    const transcript = this.#chat.transcriptOf(agentId);
    if (transcript === undefined) return this.#fetch(agentId);
    this.#flush();
    this.#opened.add(agentId);
    this.#live.forget(agentId);
    this.#sendTranscript(agentId, transcript);
  }

  /** An agent that ended before the editor was opened: nothing comes after what the session has of it. */
  async #fetch(agentId: string): Promise<void> {
    const chat = this.#chat;
    const stored = (await chat.past?.messagesOf(agentId)) ?? [];
    const ids = new Set(stored.map(({ id }) => id));
    // Of a session that is only read, what was cut off has its end here alone.
    const messages = [...stored, ...chat.log.messagesOf(agentId).filter(({ id }) => !ids.has(id))];
    if (messages.length === 0 || chat !== this.#chat) return;
    this.#flush();
    this.#opened.add(agentId);
    this.#sendTranscript(agentId, { messages, upToSeq: 0 });
  }

  #sendTranscript(agentId: string, { messages, upToSeq }: AgentTranscript): void {
    this.#batch.forget(agentId);
    this.#written.begin(messages.at(-1));
    const shown = messages.map((message) => cutMessage(messageInUsersWords(message), agentId));
    this.send({ type: "agentTranscript", chatId: this.#chat.id, agentId, messages: shown, upToSeq });
  }

  #follow(chat: MirroredChat): { dispose(): void } {
    const parts = [
      chat.log.onAppend((entry) => this.#queue(entry)),
      chat.past?.onEarlier((earlier) => {
        const hasEarlier = chat.past?.hasEarlier === true;
        this.send({ type: "earlier", chatId: chat.id, entries: this.#prepare(earlier), hasEarlier });
      }),
    ];
    return {
      dispose: () => {
        for (const part of parts) part?.dispose();
      },
    };
  }

  closeAgent(agentId: string): void {
    this.#flush();
    this.#opened.delete(agentId);
    this.#batch.forget(agentId);
  }

  send(message: HostMessage): void {
    void this.#page.postMessage(JSON.stringify(message));
  }

  dispose(): void {
    this.pause();
  }

  #queue(entry: LogEntry): void {
    const needed = this.#needed(entry);
    if (needed !== undefined) this.#batch.add(needed);
    this.#sendLiveSoon();
    this.#flushWithin(needed === undefined || this.#batch.continues(needed) ? wordsMs : frameMs);
  }

  /** What must not wait so long takes along what waits already. */
  #flushWithin(ms: number): void {
    if (this.#timer !== undefined && this.#waitMs <= ms) return;
    clearTimeout(this.#timer);
    this.#waitMs = ms;
    this.#timer = setTimeout(() => this.#flush(), ms);
  }

  #flush(): void {
    this.#stopTimer();
    const { log } = this.#chat;
    const afterSeq = this.#sentSeq;
    if (log.lastSeq === afterSeq) return;
    this.#sentSeq = log.lastSeq;
    log.divide();
    const posted = this.#batch.take();
    this.send({ type: "entries", chatId: this.#chat.id, afterSeq, upToSeq: this.#sentSeq, ...posted });
  }

  #prepare(entries: readonly LogEntry[]): LogEntry[] {
    return coalesce(entries.flatMap((entry) => this.#needed(entry) ?? []));
  }

  /** What of an entry is sent; of an agent that is not opened, its last line is followed instead of its deltas. */
  #needed(entry: LogEntry): LogEntry | undefined {
    if ("agent" in entry && entry.agent.agent.depth > 0 && !this.#isOpened(entry.agent.agent.id)) {
      this.#live.observe(entry);
    }
    const stripped = stripEntry(entry, this.#isOpened);
    if (stripped === undefined || "host" in stripped) return stripped;
    const agent = this.#written.limit(stripped.agent);
    return agent === stripped.agent || agent === undefined ? agent && stripped : { seq: stripped.seq, agent };
  }

  #sendLiveSoon(): void {
    if (!this.#live.hasNews) return;
    this.#liveTimer ??= setTimeout(() => {
      this.#liveTimer = undefined;
      if (this.#live.hasNews) this.send({ type: "activity", chatId: this.#chat.id, lines: this.#live.take() });
    }, liveMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
