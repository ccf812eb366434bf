/** The panel's clock, given to it so that tests own it. */
export interface PanelTiming {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs before the next picture is drawn, or soon when the page is hidden and draws none. */
  frame(run: () => void): void;
  /** Runs once after the delay unless the returned function is called before. */
  later(run: () => void, delayMs: number): () => void;
}

const hiddenFrameMs = 100;

export function browserTiming(): PanelTiming {
  return {
    now: () => Date.now(),
    frame(run) {
      if (document.visibilityState === "hidden") setTimeout(run, hiddenFrameMs);
      else requestAnimationFrame(() => run());
    },
    later(run, delayMs) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
