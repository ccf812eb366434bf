import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";

/** This close to the end counts as at the end. */
const slackPx = 32;

export interface StickyScroll {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** The reader went up to read something else. */
  isAway: Signal<boolean>;
  onScroll(): void;
  toEnd(): void;
}

/** Keeps the end of a growing text in view until the reader scrolls up. Another `subject` starts at its end. */
export function useStickyScroll(subject: string | undefined): StickyScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAway = useSignal(false);
  const lastTop = useRef(0);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    isAway.value = false;
    // Both are asked for before the write: to read the position after it would lay the page out once more.
    const end = element.scrollHeight - element.clientHeight;
    element.scrollTop = end;
    lastTop.current = end;
  }, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const top = element.scrollTop;
    // Where it was put already: with each delta the other figures would be asked for again.
    if (top === lastTop.current) return;
    const distance = element.scrollHeight - top - element.clientHeight;
    // Text that arrives makes the distance grow as well; only the reader makes the position fall.
    if (distance <= slackPx) isAway.value = false;
    else if (top < lastTop.current) isAway.value = true;
    lastTop.current = top;
  }, []);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      if (!isAway.peek()) toEnd();
    });
    if (scroller.current !== null) observer.observe(scroller.current);
    if (content.current !== null) observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(toEnd, [subject]);
  return { scroller, content, isAway, onScroll, toEnd };
}

/** Draws parts of a long page when they come near the view, and the rest while the browser has nothing else to do. */
export interface Drawing {
  /** Calls `draw`, which returns whether rows are left, until none is or the returned function is called. */
  request(element: Element, draw: (maxRows: number) => boolean): () => void;
  dispose(): void;
}

const nearby = "1200px 0px";
/** So few that the browser stays at hand: a slow machine takes some milliseconds for them. */
const rowsAtOnce = 5;
const minIdleMs = 4;

export function createDrawing(scroller: Element): Drawing {
  const waiting = new Map<Element, (maxRows: number) => boolean>();
  let idleHandle: number | undefined;

  function draw(element: Element | undefined, maxRows: number): void {
    if (element === undefined || waiting.get(element)?.(maxRows) === true) return;
    waiting.delete(element);
    observer.unobserve(element);
  }

  function scheduleIdle(): void {
    if (waiting.size === 0 || idleHandle !== undefined) return;
    idleHandle = requestIdleCallback(async (deadline) => {
      do {
        // From the newest to the oldest: that is the way people scroll.
        draw([...waiting.keys()].at(-1), rowsAtOnce);
        // Components are drawn in a microtask, which belongs to this idle time.
        await null;
        await null;
      } while (waiting.size > 0 && deadline.timeRemaining() > minIdleMs);
      idleHandle = undefined;
      scheduleIdle();
    });
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) draw(entry.target, Number.POSITIVE_INFINITY);
    },
    { root: scroller, rootMargin: nearby },
  );

  return {
    request(element, drawRows) {
      waiting.set(element, drawRows);
      observer.observe(element);
      scheduleIdle();
      return () => {
        waiting.delete(element);
        observer.unobserve(element);
      };
    },
    dispose() {
      observer.disconnect();
      waiting.clear();
      if (idleHandle !== undefined) cancelIdleCallback(idleHandle);
    },
  };
}
