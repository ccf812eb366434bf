import { type ReadonlySignal, signal } from "@preact/signals";
import type { Timing } from "../timing.ts";
import { announcements } from "./announcements.ts";
import type { Announcer } from "./announcer.ts";
import { type ChatState, emptyChatState } from "./chatState.ts";

const calmMs = 200;

/** Shows the state: the text that is read once a frame, what stands around it a few times a second. */
export interface Publisher {
  readonly chat: ReadonlySignal<ChatState>;
  /** As `chat`, later by a moment, unless agents started or ended or an answer is needed. */
  readonly calm: ReadonlySignal<ChatState>;
  /** What arrived; folded already, shown with the next frame. */
  publish(state: ChatState): void;
}

export function createPublisher(timing: Timing, announcer: Announcer): Publisher {
  const chat = signal(emptyChatState());
  const calm = signal(chat.peek());
  let latest = chat.peek();
  let isFrameDue = false;
  let cancelCalm: (() => void) | undefined;

  function showFrame(): void {
    isFrameDue = false;
    const before = chat.peek();
    chat.value = latest;
    const spoken = announcements(before, latest);
    announcer.say(spoken);
    if (spoken.length > 0 || before.chatId !== latest.chatId) showCalm();
    else cancelCalm ??= timing.later(showCalm, calmMs);
  }

  function showCalm(): void {
    cancelCalm?.();
    cancelCalm = undefined;
    calm.value = chat.peek();
  }

  return {
    chat,
    calm,
    publish(state) {
      latest = state;
      if (isFrameDue) return;
      isFrameDue = true;
      timing.frame(showFrame);
    },
  };
}
