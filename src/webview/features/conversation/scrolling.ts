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
  /** Draws the rows of an element until none is left and it was near the view, or the returned function is called. */
  request(element: Element, rows: DrawnLater): () => void;
  dispose(): void;
}

interface DrawnLater {
  /** Returns whether rows are left. */
  draw(maxRows: number): boolean;
  /** Called once, when the element comes near the view: what only serves there is drawn then. */
  onNear(): void;
}

const nearby = "1200px 0px";
/** So few that the browser stays at hand: a slow machine takes some milliseconds for them. */
const rowsAtOnce = 5;
const minIdleMs = 4;

export function createDrawing(scroller: Element): Drawing {
  /** Not yet near the view, and of these, those that have rows left. */
  const distant = new Map<Element, DrawnLater>();
  const undrawn = new Map<Element, DrawnLater>();
  let idleHandle: number | undefined;

  function drawSome(): void {
    // From the newest to the oldest: that is the way people scroll.
    const [element, rows] = [...undrawn].at(-1) ?? [];
    if (element !== undefined && rows?.draw(rowsAtOnce) === false) undrawn.delete(element);
  }

  function forget(element: Element): void {
    undrawn.delete(element);
    distant.delete(element);
    observer.unobserve(element);
  }

  function scheduleIdle(): void {
    if (undrawn.size === 0 || idleHandle !== undefined) return;
    idleHandle = requestIdleCallback(async (deadline) => {
      do {
        drawSome();
        // Components are drawn in a microtask, which belongs to this idle time.
        await null;
        await null;
      } while (undrawn.size > 0 && deadline.timeRemaining() > minIdleMs);
      idleHandle = undefined;
      scheduleIdle();
    });
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const rows = isIntersecting ? distant.get(target) : undefined;
        if (rows === undefined) continue;
        rows.draw(Number.POSITIVE_INFINITY);
        rows.onNear();
        forget(target);
      }
    },
    { root: scroller, rootMargin: nearby },
  );

  return {
    request(element, rows) {
      distant.set(element, rows);
      undrawn.set(element, rows);
      observer.observe(element);
      scheduleIdle();
      return () => forget(element);
    },
    dispose() {
      observer.disconnect();
      distant.clear();
      undrawn.clear();
      if (idleHandle !== undefined) cancelIdleCallback(idleHandle);
    },
  };
}
