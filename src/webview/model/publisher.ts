import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { PanelTiming } from "../timing.ts";
import { type Announcer, announcements } from "./announcer.ts";
import { type ChatState, emptyChatState, type TextDelta } from "./chat.ts";

const calmMs = 200;

/** Called with a text that was appended to: all of it, and what is new. */
export type TextListener = (text: string, added: string) => void;

/** Brings text deltas to the part of the page that shows them, and to nothing else. */
export interface TextFeed {
  subscribe(messageId: string, index: number, listener: TextListener): () => void;
}

/** Shows the state: the text that is read once a frame, what surrounds it a few times a second. */
export interface Publisher {
  readonly chat: ReadonlySignal<ChatState>;
  /** As `chat`, later by a moment, unless agents started or ended or an answer is needed. */
  readonly calm: ReadonlySignal<ChatState>;
  /** Text deltas of what is shown, once a frame; `chat` has them a moment later. */
  readonly textFeed: TextFeed;
  /** What arrived; folded already, shown with the next frame. With `deltas`, they are all that is new in it. */
  publish(state: ChatState, deltas?: readonly TextDelta[]): void;
}

export interface PublisherOptions {
  timing: PanelTiming;
  announcer: Announcer;
  /** Whether this is the agent whose transcript is on the page. */
  isShown(agentId: string): boolean;
}

export function createPublisher({ timing, announcer, isShown }: PublisherOptions): Publisher {
  const chat = signal(emptyChatState());
  const calm = signal(chat.peek());
  const feed = createTextFeed();
  let latest = chat.peek();
  /** What the page shows: `chat`, and the deltas that came since. */
  let shown = latest;
  /** The deltas of the next frame, merged by the part of a message that they belong to. */
  let pending = new Map<string, TextDelta>();
  let isMoreDue = false;
  let isFrameDue = false;
  let cancelCalm: (() => void) | undefined;

  function showFrame(): void {
    isFrameDue = false;
    const deltas = pending;
    pending = new Map();
    const isWhole = isMoreDue;
    isMoreDue = false;
    if (isWhole || !deliver(deltas.values())) showAll();
    else shown = latest;
    cancelCalm ??= timing.later(showCalm, calmMs);
  }

  /** False when text that belongs on the page has no element there yet. */
  function deliver(deltas: Iterable<TextDelta>): boolean {
    let isShowing = true;
    for (const delta of deltas) {
      if (!feed.deliver(delta, latest) && isShown(delta.agentId)) isShowing = false;
    }
    return isShowing;
  }

  function showAll(): void {
    const before = shown;
    shown = latest;
    chat.value = shown;
    const news = announcements(before, shown);
    announcer.announce(news);
    // One run may end and the next begin within a frame: the root agent then seems to go on.
    if (news.length > 0 || before.chatId !== shown.chatId || before.runs !== shown.runs) showCalm();
  }

  function showCalm(): void {
    cancelCalm?.();
    cancelCalm = undefined;
    batch(() => {
      chat.value = shown;
      calm.value = shown;
    });
  }

  function addPending(delta: TextDelta): void {
    const key = partKey(delta.messageId, delta.index);
    const known = pending.get(key);
    pending.set(key, known === undefined ? delta : { ...known, text: known.text + delta.text });
  }

  return {
    chat,
    calm,
    textFeed: feed,
    publish(state, deltas) {
      latest = state;
      if (deltas === undefined) isMoreDue = true;
      else deltas.forEach(addPending);
      if (isFrameDue) return;
      isFrameDue = true;
      timing.frame(showFrame);
    },
  };
}

const partKey = (messageId: string, index: number) => `${index} ${messageId}`;

function createTextFeed() {
  const listeners = new Map<string, TextListener>();
  return {
    subscribe(messageId: string, index: number, listener: TextListener) {
      const key = partKey(messageId, index);
      listeners.set(key, listener);
      return () => {
        if (listeners.get(key) === listener) listeners.delete(key);
      };
    },
    /** False when the text belongs on the page and nothing there shows it yet. */
    deliver({ agentId, messageId, index, text }: TextDelta, state: ChatState): boolean {
      const listener = listeners.get(partKey(messageId, index));
      const message = state.tree.nodes[agentId]?.messages.findLast(({ id }) => id === messageId);
      const part = message?.role === "assistant" ? message.content[index] : undefined;
      if (part === undefined || part.type === "toolCall") return false;
      // Thoughts are folded, but their first text makes the fold appear.
      if (listener === undefined) return part.type === "thinking" && part.text.length > text.length;
      listener(part.text, text);
      return true;
    },
  };
}
