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
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
    // Text that arrives makes the distance grow as well; only the reader makes the position fall.
    if (distance <= slackPx) isAway.value = false;
    else if (element.scrollTop < lastTop.current) isAway.value = true;
    lastTop.current = element.scrollTop;
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
