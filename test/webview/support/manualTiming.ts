import type { PanelTiming } from "../../../src/webview/timing.ts";

/** A clock that only a test moves. */
export interface ManualTiming extends PanelTiming {
  runFrame(): void;
  /** Runs what waits now, not what that starts. */
  runLater(): void;
}

export function manualTiming(): ManualTiming {
  let frames: (() => void)[] = [];
  let waiting = new Set<() => void>();
  return {
    now: () => 0,
    frame: (run) => frames.push(run),
    later(run) {
      waiting.add(run);
      return () => waiting.delete(run);
    },
    runFrame() {
      const due = frames;
      frames = [];
      for (const run of due) run();
    },
    runLater() {
      const due = waiting;
      waiting = new Set();
      for (const run of due) run();
    },
  };
}
