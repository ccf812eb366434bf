import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { type Attachment, type Draft, isSameAttachment, mostImages } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { mentionOf } from "../../model/userMessage.ts";
import type { Timing } from "../../timing.ts";
import { withoutMention } from "./completion.ts";

const draftDelayMs = 300;
/** A long text is written down when the typing rests, not with each key. */
const longText = 20_000;
const longDraftDelayMs = 1_500;
const mostAttachments = 50;

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
  /** The text as the page keeps it for itself; follows a long one with a delay. */
  readonly keptText: ReadonlySignal<string>;
  readonly isEmpty: boolean;
  type(text: string): void;
  attach(attachment: Attachment): void;
  /** Also takes its mention out of the text. */
  detach(attachment: Attachment): void;
  /** Puts a text in front of what was typed, which is never lost. */
  compose(text: string, attachments: readonly Attachment[]): void;
  /** A chat is shown, with its own draft. What is written goes along into a new one. */
  turnTo(chatId: string, draft: Draft, isNew: boolean): void;
  /** False when there is nothing to send. */
  send(whenBusy: "queue" | "steer"): boolean;
  /** Tells the host at once what it does not know yet. */
  flush(): void;
  /** One message further back (1) or forward (-1) in what was sent; false when there is none. */
  recall(step: 1 | -1, sent: readonly string[]): boolean;
}

export interface ComposerOptions {
  post(intent: Intent): void;
  timing: Pick<Timing, "later">;
  /** What the page kept, and of which chat. */
  saved: { chatId?: string; draft?: string };
  command?: Command;
}

export function createComposer({ post, timing, saved, command }: ComposerOptions): Composer {
  const text = signal(saved.draft ?? "");
  const keptText = signal(text.peek());
  const attachments = signal<readonly Attachment[]>([]);
  let chatId = saved.chatId;
  let hasChat = false;
  let cancelDraft: (() => void) | undefined;
  /** The host knows other attachments. */
  let areAttachmentsNew = false;
  let recalled = 0;
  let typedBefore = "";

  function postDraft(): void {
    cancelDraft?.();
    cancelDraft = undefined;
    keptText.value = text.peek();
    post({
      type: "draft",
      ...(chatId !== undefined && { chatId }),
      text: text.peek(),
      ...(areAttachmentsNew && { attachments: [...attachments.peek()] }),
    });
    areAttachmentsNew = false;
  }

  function changed(): void {
    const isLong = text.peek().length > longText;
    if (!isLong) keptText.value = text.peek();
    cancelDraft?.();
    cancelDraft = timing.later(postDraft, isLong ? longDraftDelayMs : draftDelayMs);
  }

  function set(next: string): void {
    text.value = next;
    changed();
  }

  function setAttachments(next: readonly Attachment[]): void {
    attachments.value = next;
    areAttachmentsNew = true;
    changed();
  }

  function replace(next: Draft): void {
    recalled = 0;
    text.value = next.text;
    keptText.value = next.text;
    attachments.value = next.attachments;
    areAttachmentsNew = false;
  }

  function isBlank(): boolean {
    return text.peek().trim() === "" && attachments.peek().length === 0;
  }

  return {
    text,
    keptText,
    attachments,
    get isEmpty() {
      return isBlank();
    },
    type(next) {
      recalled = 0;
      set(next);
    },
    attach(attachment) {
      const known = attachments.peek();
      // One agent does the work: another one takes its place.
      const others = attachment.kind === "agent" ? known.filter(({ kind }) => kind !== "agent") : known;
      const isPicture = (other: Attachment) => other.kind === "image";
      const isFull = isPicture(attachment) && others.filter(isPicture).length >= mostImages;
      if (isFull || others.length >= mostAttachments) return;
      if (others.some((other) => isSameAttachment(other, attachment))) return;
      setAttachments([...others, attachment]);
    },
    detach(attachment) {
      batch(() => {
        const mention = mentionOf(attachment);
        const rest = mention === undefined ? text.peek() : withoutMention(text.peek(), mention);
        setAttachments(attachments.peek().filter((known) => known !== attachment));
        if (rest !== text.peek()) set(rest);
      });
    },
    compose(next, added) {
      batch(() => {
        const typed = text.peek().trim();
        if (next !== "") set(typed === "" || typed === next ? next : `${next}\n${text.peek()}`);
        for (const attachment of added) this.attach(attachment);
      });
    },
    turnTo(shown, draft, isNew) {
      const before = chatId;
      if (cancelDraft !== undefined) postDraft();
      const isFirst = !hasChat;
      chatId = shown;
      hasChat = true;
      batch(() => {
        if (before === shown) {
          // The page is new: it kept the text, the host all the rest.
          if (isFirst) replace({ text: text.peek() === "" ? draft.text : text.peek(), attachments: draft.attachments });
        } else if (isNew && draft.text === "" && draft.attachments.length === 0) {
          if (isBlank()) return;
          if (before !== undefined) post({ type: "draft", chatId: before, text: "", attachments: [] });
          areAttachmentsNew = true;
          postDraft();
        } else {
          if (isFirst && before !== undefined && text.peek() !== "") {
            post({ type: "draft", chatId: before, text: text.peek() });
          }
          replace(draft);
        }
      });
    },
    send(whenBusy) {
      if (isBlank()) return false;
      const words = text.peek().trim();
      const carried = attachments.peek();
      const action = command?.(words, carried, whenBusy);
      const intents: Intent[] = action?.intents ?? [{ type: "send", text: words, attachments: [...carried], whenBusy }];
      for (const intent of intents) post(intent);
      recalled = 0;
      batch(() => {
        text.value = "";
        if (action?.takesAttachments !== false) {
          attachments.value = [];
          areAttachmentsNew = true;
        }
      });
      postDraft();
      return true;
    },
    flush() {
      if (cancelDraft !== undefined) postDraft();
    },
    recall(step, sent) {
      const next = recalled + step;
      if (next < 0 || next > sent.length) return false;
      if (recalled === 0) typedBefore = text.peek();
      set(next === 0 ? typedBefore : (sent.at(-next) ?? ""));
      recalled = next;
      return true;
    },
  };
}
