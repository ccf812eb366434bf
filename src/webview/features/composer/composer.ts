import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type Attachment, type Draft, isSameAttachment, maxImages } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { PanelTiming } from "../../timing.ts";
import { mentionOf, withoutMention } from "./completion.ts";

const draftDelayMs = 300;
/** A long text is posted when the typing rests, not with each key. */
const longTextLength = 20_000;
const longDraftDelayMs = 1_500;
const maxAttachments = 50;

/** What a text becomes when it is sent: intents instead of a message, for one that begins with a command. */
export type Command = (
  text: string,
  attachments: readonly Attachment[],
  whenBusy: "queue" | "steer",
) => { intents: Intent[]; takesAttachments: boolean } | undefined;

/** What is being written, and what goes with it. */
export interface Composer {
  readonly text: ReadonlySignal<string>;
  readonly attachments: ReadonlySignal<readonly Attachment[]>;
  /** The text as the page saves it for itself; follows a long one with a delay. */
  readonly savedText: ReadonlySignal<string>;
  /** The agent that messages are for which address none; undefined: main answers. */
  readonly answerer: Signal<string | undefined>;
  /** When the text was typed or sent, in ms since the epoch. */
  typedAt(): number;
  readonly isEmpty: boolean;
  type(text: string): void;
  attach(attachment: Attachment): void;
  /** Also removes its mention from the text. */
  detach(attachment: Attachment): void;
  /** Puts a text in front of what was typed, which is never lost. */
  compose(text: string, attachments: readonly Attachment[]): void;
  /** Puts this in the place of what is written and attached. */
  put(written: Written): void;
  /** A chat is shown, with its own draft. What is written goes along into a new one. */
  showChat(chatId: string, draft: Draft, isNew: boolean): void;
  /** False when there is nothing to send. */
  send(whenBusy: "queue" | "steer"): boolean;
  /** Posts what the host does not know yet, at once. */
  flush(): void;
  /** One message further back (1) or forward (-1) in what was sent; false when there is none. */
  recall(step: 1 | -1, sent: readonly string[]): boolean;
}

interface DraftOptions {
  post(intent: Intent): void;
  timing: Pick<PanelTiming, "later" | "now">;
  /** What the page saved, and of which chat. */
  saved: { chatId?: string; draft?: string; draftTypedAt?: number };
}

export interface ComposerOptions extends DraftOptions {
  command?: Command;
}

/** What is in the composer. */
export type Written = Pick<Draft, "text" | "attachments">;

/** The text and the attachments of one chat's next message, which the host persists a moment after each change. */
function createDraft({ post, timing, saved }: DraftOptions) {
  const text = signal(saved.draft ?? "");
  const savedText = signal(text.peek());
  const attachments = signal<readonly Attachment[]>([]);
  let chatId = saved.chatId;
  let typedAt = saved.draftTypedAt ?? 0;
  let cancelPost: (() => void) | undefined;
  /** A text was begun of which nothing is posted yet. */
  let isBeginning = false;
  /** The host knows other attachments. */
  let areAttachmentsNew = false;

  function postNow(): void {
    cancelPost?.();
    cancelPost = undefined;
    isBeginning = false;
    savedText.value = text.peek();
    post({
      type: "draft",
      ...(chatId !== undefined && { chatId }),
      text: text.peek(),
      typedAt,
      ...(areAttachmentsNew && { attachments: [...attachments.peek()] }),
    });
    areAttachmentsNew = false;
  }

  function postSoon(): void {
    typedAt = timing.now();
    const isLong = text.peek().length > longTextLength;
    if (!isLong) savedText.value = text.peek();
    if (isBeginning && !isLong && cancelPost !== undefined) return;
    cancelPost?.();
    cancelPost = timing.later(postNow, isLong ? longDraftDelayMs : draftDelayMs);
  }

  return {
    text,
    savedText,
    attachments,
    get chatId() {
      return chatId;
    },
    get typedAt() {
      return typedAt;
    },
    get isBlank() {
      return text.peek().trim() === "" && attachments.peek().length === 0;
    },
    setText(next: string): void {
      // By the first post the host loads what the message will need: it comes while the typing goes on.
      isBeginning ||= text.peek() === "" && cancelPost === undefined;
      text.value = next;
      postSoon();
    },
    setAttachments(next: readonly Attachment[]): void {
      attachments.value = next;
      areAttachmentsNew = true;
      postSoon();
    },
    /** With what the host has: there is nothing to post. */
    replace(next: Draft): void {
      text.value = next.text;
      savedText.value = next.text;
      attachments.value = next.attachments;
      areAttachmentsNew = false;
      typedAt = next.typedAt ?? 0;
    },
    /** After it was sent. */
    clear(withAttachments: boolean): void {
      typedAt = timing.now();
      batch(() => {
        text.value = "";
        if (!withAttachments) return;
        attachments.value = [];
        areAttachmentsNew = true;
      });
      postNow();
    },
    flush(): void {
      if (cancelPost !== undefined) postNow();
    },
    switchTo(next: string): void {
      chatId = next;
    },
    /** Takes it from the chat `from` into the present one. */
    moveFrom(from: string | undefined): void {
      if (from !== undefined) post({ type: "draft", chatId: from, text: "", attachments: [] });
      areAttachmentsNew = true;
      postNow();
    },
  };
}

export function createComposer({ post, timing, saved, command }: ComposerOptions): Composer {
  const draft = createDraft({ post, timing, saved });
  const { text, attachments } = draft;
  const answerer = signal<string>();
  let hasChat = false;
  let recalled = 0;
  let typedBefore = "";

  function replace(next: Draft): void {
    recalled = 0;
    draft.replace(next);
  }

  return {
    text,
    answerer,
    savedText: draft.savedText,
    typedAt: () => draft.typedAt,
    attachments,
    flush: draft.flush,
    get isEmpty() {
      return draft.isBlank;
    },
    type(next) {
      recalled = 0;
      draft.setText(next);
    },
    attach(attachment) {
      const next = withAttachment(attachments.peek(), attachment);
      if (next !== undefined) draft.setAttachments(next);
    },
    detach(attachment) {
      batch(() => {
        const mention = mentionOf(attachment);
        const rest = mention === undefined ? text.peek() : withoutMention(text.peek(), mention);
        draft.setAttachments(attachments.peek().filter((known) => known !== attachment));
        if (rest !== text.peek()) draft.setText(rest);
      });
    },
    compose(next, added) {
      batch(() => {
        const typed = text.peek().trim();
        if (next !== "") draft.setText(typed === "" || typed === next ? next : `${next}\n${text.peek()}`);
        for (const attachment of added) this.attach(attachment);
      });
    },
    put({ text, attachments }) {
      draft.setAttachments(attachments);
      this.type(text);
    },
    showChat(shown, known, isNew) {
      const before = draft.chatId;
      draft.flush();
      const isFirst = !hasChat;
      draft.switchTo(shown);
      hasChat = true;
      batch(() => {
        if (before === shown) {
          // The page is new: it saved the text, the host all the rest, and either may have the newer text.
          const isOwn = text.peek() !== "" && draft.typedAt >= (known.typedAt ?? 0);
          if (isFirst) replace(isOwn ? { ...known, text: text.peek(), typedAt: draft.typedAt } : known);
        } else if (isNew && known.text === "" && known.attachments.length === 0) {
          if (!draft.isBlank) draft.moveFrom(before);
        } else {
          if (isFirst && before !== undefined && text.peek() !== "") {
            post({ type: "draft", chatId: before, text: text.peek(), typedAt: draft.typedAt });
          }
          replace(known);
        }
      });
    },
    send(whenBusy) {
      if (draft.isBlank) return false;
      const typed = text.peek().trim();
      const attached = addressed(attachments.peek(), typed, answerer.peek());
      const action = command?.(typed, attached, whenBusy);
      const intents: Intent[] = action?.intents ?? [
        { type: "send", text: typed, attachments: [...attached], whenBusy },
      ];
      for (const intent of intents) post(intent);
      recalled = 0;
      draft.clear(action?.takesAttachments !== false);
      return true;
    },
    recall(step, sent) {
      const next = recalled + step;
      if (next < 0 || next > sent.length) return false;
      if (recalled === 0) typedBefore = text.peek();
      draft.setText(next === 0 ? typedBefore : (sent.at(-next) ?? ""));
      recalled = next;
      return true;
    },
  };
}

/** With the agent that answers, unless the message says itself who does. */
function addressed(known: readonly Attachment[], typed: string, name: string | undefined): readonly Attachment[] {
  const isNamed = typed.startsWith("@") || /^\/team\b/.test(typed) || known.some(({ kind }) => kind === "agent");
  return name === undefined || isNamed ? known : [...known, { kind: "agent", name }];
}

/** Undefined when it is among them already, or there is no room for another one. */
function withAttachment(known: readonly Attachment[], added: Attachment): Attachment[] | undefined {
  // One agent does the work: another one replaces it.
  const others = added.kind === "agent" ? known.filter(({ kind }) => kind !== "agent") : known;
  const isPicture = (other: Attachment) => other.kind === "image";
  const isFull = isPicture(added) && others.filter(isPicture).length >= maxImages;
  if (isFull || others.length >= maxAttachments) return undefined;
  return others.some((other) => isSameAttachment(other, added)) ? undefined : [...others, added];
}

export type ComposerAction = "send" | "steer" | "older" | "newer";

export interface ComposerState {
  isRunning: boolean;
  isEmpty: boolean;
  /** Where the caret is, with nothing selected. */
  isAtStart: boolean;
  isAtEnd: boolean;
}

/** What a key does in the composer; undefined leaves it to the text. */
export function composerKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "isComposing">,
  state: ComposerState,
): ComposerAction | undefined {
  if (event.isComposing || event.altKey || event.shiftKey) return undefined;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === "Enter") {
    if (!isCommand) return "send";
    // With nothing written, Ctrl+Enter belongs to an approval that waits.
    if (state.isEmpty) return undefined;
    return state.isRunning ? "steer" : "send";
  }
  if (isCommand) return undefined;
  if (event.key === "ArrowUp" && state.isAtStart) return "older";
  return event.key === "ArrowDown" && state.isAtEnd ? "newer" : undefined;
}
