import { type ReadonlySignal, signal } from "@preact/signals";
import type { Timing } from "../timing.ts";
import { announcementText } from "./announcements.ts";

const quietMs = 2_000;

/** Speaks at most once every two seconds; what gathers meanwhile is told together. */
export interface Announcer {
  readonly text: ReadonlySignal<string>;
  say(words: readonly string[]): void;
}

export function createAnnouncer(timing: Pick<Timing, "later">): Announcer {
  const text = signal("");
  let waiting: string[] = [];
  let isQuiet = false;

  function speak(): void {
    isQuiet = false;
    if (waiting.length === 0) return;
    text.value = announcementText(waiting);
    waiting = [];
    isQuiet = true;
    timing.later(speak, quietMs);
  }

  return {
    text,
    say(words) {
      if (words.length === 0) return;
      waiting.push(...words);
      if (!isQuiet) speak();
    },
  };
}
