import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Timing } from "../../timing.ts";
import { markFound, unmarkFound } from "./findMarks.ts";
import { findRanges } from "./findRanges.ts";

/** While a conversation grows it is searched again a few times a second. */
const searchDelayMs = 150;

export interface Finding {
  readonly found: ReadonlySignal<readonly Range[]>;
  /** Which of them is shown; from 0. */
  readonly current: ReadonlySignal<number>;
  search(query: string): void;
  step(by: 1 | -1): void;
}

/** Searches what is drawn in `root`, now and whenever that changes. */
export function useFinding(root: RefObject<HTMLElement | null>, timing: Pick<Timing, "later">): Finding {
  const query = useSignal("");
  const found = useSignal<readonly Range[]>([]);
  const current = useSignal(0);

  function show(index: number): void {
    current.value = index;
    const range = found.peek()[index];
    markFound(found.peek(), range);
    range?.startContainer.parentElement?.scrollIntoView({ block: "center", inline: "nearest" });
  }

  function search(next: string): void {
    const shown = found.peek()[current.peek()];
    query.value = next;
    found.value = root.current === null ? [] : findRanges(root.current, next);
    const nearest = found.peek().findIndex((range) => isFrom(range, shown, root.current));
    show(Math.max(0, nearest));
  }

  useEffect(() => {
    let cancel: (() => void) | undefined;
    const observer = new MutationObserver(() => {
      cancel ??= timing.later(() => {
        cancel = undefined;
        if (root.current === null) return;
        found.value = findRanges(root.current, query.peek());
        current.value = Math.max(0, Math.min(current.peek(), found.peek().length - 1));
        markFound(found.peek(), found.peek()[current.peek()]);
      }, searchDelayMs);
    });
    if (root.current !== null) observer.observe(root.current, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancel?.();
      unmarkFound();
    };
  }, []);

  return {
    found,
    current,
    search,
    step(by) {
      const count = found.peek().length;
      if (count > 0) show((current.peek() + by + count) % count);
    },
  };
}

/** The reader goes on from what was found last while the query was shorter, or else from where they read. */
function isFrom(range: Range, shown: Range | undefined, root: HTMLElement | null): boolean {
  if (shown !== undefined) return range.compareBoundaryPoints(Range.START_TO_START, shown) >= 0;
  return range.getBoundingClientRect().bottom >= (root?.parentElement?.getBoundingClientRect().top ?? 0);
}
