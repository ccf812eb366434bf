import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TimedEntry } from "../../../protocol/messages.ts";
import type { ChatState } from "../../model/chat.ts";
import type { PanelTiming } from "../../timing.ts";
import { createReplayLog, type ReplayLog, type StepKind } from "./replayLog.ts";

/** How many times as fast as it was. */
export const speeds = [1, 2, 5, 10, 20, 50] as const;
type Speed = (typeof speeds)[number];

/** Where nothing happened for longer, the replay goes on. */
const maxWaitMs = 2_000;
/** By then a moment is drawn. */
const drawnMs = 50;
/** Between two events of a log without times. */
const untimedMs = 250;

/** Where a replay is, and how it goes on. */
export interface Player {
  readonly log: ReplayLog;
  /** How many entries are shown. */
  readonly position: ReadonlySignal<number>;
  readonly count: ReadonlySignal<number>;
  readonly isPlaying: ReadonlySignal<boolean>;
  readonly speed: Signal<Speed>;
  readonly stepKind: Signal<StepKind>;
  /** The clock of the moment: what runs has run so long. What waits for time to pass is called when the moment changes. */
  readonly timing: PanelTiming;
  add(entries: readonly TimedEntry[]): void;
  seek(position: number): void;
  step(direction: 1 | -1): void;
  toggle(): void;
  faster(by: 1 | -1): void;
}

interface PlayerOptions {
  timing: PanelTiming;
  show(state: ChatState): void;
}

export function createPlayer({ timing: clock, show }: PlayerOptions): Player {
  const log = createReplayLog();
  const position = signal(0);
  const count = signal(0);
  const isPlaying = signal(false);
  const speed = signal<Speed>(1);
  const stepKind = signal<StepKind>("event");
  const waiting = new Set<() => void>();
  let cancelTick = () => {};
  /** Another one with each start: a frame of one that was paused ends it. */
  let playing: object = {};

  function seek(to: number): void {
    const next = Math.max(0, Math.min(Math.round(to), log.count));
    position.value = next;
    show(log.stateAt(next));
    tick();
    // What begins to follow the clock with this moment does so once it is drawn.
    cancelTick();
    cancelTick = clock.later(tick, drawnMs);
  }

  function tick(): void {
    for (const run of [...waiting]) run();
  }

  function delayTo(next: number): number {
    const gap = log.start === undefined ? untimedMs : log.timeAt(next + 1) - log.timeAt(Math.max(1, next));
    return Math.min(gap / speed.peek(), maxWaitMs);
  }

  function play(): void {
    if (position.peek() >= log.count) seek(0);
    isPlaying.value = log.count > 0;
    const own = {};
    playing = own;
    let last = clock.now();
    let passedMs = 0;
    const frame = () => {
      if (!isPlaying.peek() || playing !== own) return;
      const now = clock.now();
      passedMs += Math.max(0, now - last);
      last = now;
      const from = position.peek();
      let next = from;
      while (next < log.count && passedMs >= delayTo(next)) passedMs -= delayTo(next++);
      if (next !== from) seek(next);
      if (next >= log.count) isPlaying.value = false;
      else clock.frame(frame);
    };
    clock.frame(frame);
  }

  function pause(): void {
    isPlaying.value = false;
  }

  return {
    log,
    position,
    count,
    isPlaying,
    speed,
    stepKind,
    timing: {
      now: () => (log.start === undefined ? clock.now() : log.timeAt(position.peek())),
      frame: clock.frame,
      later(run, delayMs) {
        const cancelTimer = clock.later(once, delayMs);
        function cancel(): void {
          cancelTimer();
          waiting.delete(once);
        }
        function once(): void {
          cancel();
          run();
        }
        waiting.add(once);
        return cancel;
      },
    },
    add(entries) {
      const isAtEnd = position.peek() === log.count;
      log.add(entries);
      count.value = log.count;
      // Who looks at the end sees what is added.
      if (isAtEnd && !isPlaying.peek()) seek(log.count);
    },
    seek(to) {
      pause();
      seek(to);
    },
    step(direction) {
      pause();
      const next = log.step(position.peek(), stepKind.peek(), direction);
      if (next !== undefined) seek(next);
    },
    toggle() {
      if (isPlaying.peek()) pause();
      else play();
    },
    faster(by) {
      speed.value = speeds[speeds.indexOf(speed.peek()) + by] ?? speed.peek();
    },
  };
}
