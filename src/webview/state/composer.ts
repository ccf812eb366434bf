import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Attachment } from "../../protocol/hostEvents.ts";
import type { Intent } from "../../protocol/messages.ts";
import type { Timing } from "../timing.ts";
import { isSameAttachment } from "./userMessage.ts";

const draftDelayMs = 300;

/** What is being written, and what goes with it. */
export interface Composer {
  readonly text: ReadonlySignal<string>;
  readonly attachments: ReadonlySignal<readonly Attachment[]>;
  readonly isEmpty: boolean;
  type(text: string): void;
  attach(attachment: Attachment): void;
  detach(attachment: Attachment): void;
  /** Puts a text in front of what was typed, which is never lost. */
  compose(text: string, attachments: readonly Attachment[]): void;
  /** Another chat is shown: its own draft, or else what stands here stays. */
  turnTo(draft: string): void;
  send(whenBusy: "queue" | "steer"): void;
  /** One message further back (1) or forward (-1) in what was sent; false when there is none. */
  recall(step: 1 | -1, sent: readonly string[]): boolean;
}

export function createComposer(post: (intent: Intent) => void, timing: Pick<Timing, "later">, saved: string): Composer {
  const text = signal(saved);
  const attachments = signal<readonly Attachment[]>([]);
  let cancelDraft: (() => void) | undefined;
  let recalled = 0;
  let typedBefore = "";

  function set(next: string): void {
    text.value = next;
    cancelDraft?.();
    cancelDraft = timing.later(() => post({ type: "draft", text: text.peek() }), draftDelayMs);
  }

  return {
    text,
    attachments,
    get isEmpty() {
      return text.peek().trim() === "" && attachments.peek().length === 0;
    },
    type(next) {
      recalled = 0;
      set(next);
    },
    attach(attachment) {
      if (attachments.peek().some((known) => isSameAttachment(known, attachment))) return;
      attachments.value = [...attachments.peek(), attachment];
    },
    detach(attachment) {
      attachments.value = attachments.peek().filter((known) => known !== attachment);
    },
    compose(next, added) {
      batch(() => {
        const typed = text.peek().trim();
        if (next !== "") set(typed === "" || typed === next ? next : `${next}\n${text.peek()}`);
        for (const attachment of added) this.attach(attachment);
      });
    },
    turnTo(draft) {
      recalled = 0;
      if (draft !== "") text.value = draft;
    },
    send(whenBusy) {
      const words = text.peek().trim();
      if (words === "") return;
      post({ type: "send", text: words, attachments: [...attachments.peek()], whenBusy });
      cancelDraft?.();
      recalled = 0;
      batch(() => {
        text.value = "";
        attachments.value = [];
      });
      post({ type: "draft", text: "" });
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
