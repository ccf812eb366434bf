import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { Timing } from "../timing.ts";
import { announcements } from "./announcements.ts";
import type { Announcer } from "./announcer.ts";
import { type ChatState, emptyChatState } from "./chatState.ts";
import { createGrowthRoutes, type Growth, type GrowthFeed } from "./growth.ts";

const calmMs = 200;

/** Shows the state: the text that is read once a frame, what stands around it a few times a second. */
export interface Publisher {
  readonly chat: ReadonlySignal<ChatState>;
  /** As `chat`, later by a moment, unless agents started or ended or an answer is needed. */
  readonly calm: ReadonlySignal<ChatState>;
  /** Words that a shown text gains, once a frame; `chat` has them a moment later. */
  readonly growth: GrowthFeed;
  /** What arrived; folded already, shown with the next frame. With `growths`, they are all that is new in it. */
  publish(state: ChatState, growths?: readonly Growth[]): void;
}

export interface PublisherSurroundings {
  timing: Timing;
  announcer: Announcer;
  /** Whether this is the agent whose transcript is on the page. */
  isShown(agentId: string): boolean;
}

export function createPublisher({ timing, announcer, isShown }: PublisherSurroundings): Publisher {
  const chat = signal(emptyChatState());
  const calm = signal(chat.peek());
  const growth = createGrowthRoutes();
  let latest = chat.peek();
  /** What the page shows: `chat`, and the words that came since. */
  let shown = latest;
  let waiting = new Map<string, Growth>();
  let isMoreDue = false;
  let isFrameDue = false;
  let cancelCalm: (() => void) | undefined;

  function showFrame(): void {
    isFrameDue = false;
    const growths = waiting;
    waiting = new Map();
    const isWhole = isMoreDue;
    isMoreDue = false;
    if (isWhole || !growPage(growths)) showAll();
    else shown = latest;
    cancelCalm ??= timing.later(showCalm, calmMs);
  }

  /** False when the page has no place yet for words that belong on it. */
  function growPage(growths: ReadonlyMap<string, Growth>): boolean {
    let isShowing = true;
    for (const words of growths.values()) {
      if (!growth.tell(words, latest) && isShown(words.agentId)) isShowing = false;
    }
    return isShowing;
  }

  function showAll(): void {
    const before = shown;
    shown = latest;
    chat.value = shown;
    const spoken = announcements(before, shown);
    announcer.say(spoken);
    if (spoken.length > 0 || before.chatId !== shown.chatId) showCalm();
  }

  function showCalm(): void {
    cancelCalm?.();
    cancelCalm = undefined;
    batch(() => {
      chat.value = shown;
      calm.value = shown;
    });
  }

  function wait(words: Growth): void {
    const key = `${words.index} ${words.messageId}`;
    const known = waiting.get(key);
    waiting.set(key, known === undefined ? words : { ...known, more: known.more + words.more });
  }

  return {
    chat,
    calm,
    growth,
    publish(state, growths) {
      latest = state;
      if (growths === undefined) isMoreDue = true;
      else growths.forEach(wait);
      if (isFrameDue) return;
      isFrameDue = true;
      timing.frame(showFrame);
    },
  };
}
