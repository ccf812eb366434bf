import type { PanelTiming } from "../../../src/webview/timing.ts";

/** A clock that only a test moves. */
export interface ManualTiming extends PanelTiming {
  runFrame(): void;
  /** Runs what waits now, not what that starts. */
  runLater(): void;
  /** Of all that `later` was given, the numbers of what waits. */
  waiting(): number[];
}

export function manualTiming(): ManualTiming {
  let frames: (() => void)[] = [];
  let waiting = new Map<number, () => void>();
  let count = 0;
  return {
    now: () => 0,
    frame: (run) => frames.push(run),
    later(run) {
      const number = count++;
      waiting.set(number, run);
      return () => waiting.delete(number);
    },
    runFrame() {
      const due = frames;
      frames = [];
      for (const run of due) run();
    },
    runLater() {
      const due = waiting;
      waiting = new Map();
      for (const run of due.values()) run();
    },
    waiting: () => [...waiting.keys()],
  };
}
