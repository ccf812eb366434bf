import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { type CodeToken, createTokenPieces, highlightSlices, type Languages } from "./tokens.ts";

export interface HighlightingSource {
  /** The block that shows the code. */
  element: RefObject<Element | null>;
  language: string;
  /** The code, in the pieces that it is shown in. */
  texts: readonly string[];
  /** More code is to come, or it is not wanted. */
  isWaiting: boolean;
}

type Pieces = readonly (readonly CodeToken[] | undefined)[];

const noPieces: Pieces = [];

/** The tokens of code once it has been seen, found while the browser has nothing else to do. By piece. */
export function useHighlighting({ element, language, texts, isWaiting }: HighlightingSource): Pieces {
  const found = useSignal<{ of: readonly string[]; pieces: Pieces }>({ of: texts, pieces: noPieces });

  useEffect(() => {
    if (isWaiting || language === "" || element.current === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (pieces: Pieces) => {
      found.value = { of: texts, pieces };
    };
    void highlightWhenSeen(element.current, { texts, language, signal, show });
    return () => controller.abort();
  }, [texts, language, isWaiting]);

  return found.value.of === texts ? found.value.pieces : noPieces;
}

interface Work {
  texts: readonly string[];
  language: string;
  signal: AbortSignal;
  show(pieces: Pieces): void;
}

/** One slice of the code, or one piece of the page, in each idle moment. */
async function highlightWhenSeen(element: Element, { texts, language, signal, show }: Work): Promise<void> {
  await seen(element, signal);
  const languages = signal.aborted ? undefined : await loadLanguages();
  if (languages === undefined) return;
  const dealt = createTokenPieces(texts);
  let shown = 0;
  await idle();
  for (const tokens of highlightSlices(texts.join("\n"), (slice) => languages.highlight(slice, language))) {
    dealt.add(tokens);
    for (; dealt.pieces[shown] !== undefined; shown++) {
      await idle();
      if (signal.aborted) return;
      show(dealt.pieces.slice(0, shown + 1));
    }
    await idle();
    if (signal.aborted) return;
  }
}

/** What a slice of code may take; shorter idle moments are left alone. */
const neededMs = 5;
/** A browser that is never idle, or that draws nothing and so counts no idle time, delays the colors at most so long. */
const maxIdleWaitMs = 1_000;

/** Resolves in an idle moment, which what follows the wait then uses. */
function idle(): Promise<void> {
  const latest = performance.now() + maxIdleWaitMs;
  return new Promise((resolve) => {
    const wait = (): void => {
      const timeout = Math.max(1, latest - performance.now());
      requestIdleCallback(
        (deadline) => {
          if (deadline.didTimeout || deadline.timeRemaining() >= neededMs) resolve();
          else wait();
        },
        { timeout },
      );
    };
    wait();
  });
}

const waiting = new WeakMap<Element, () => void>();
let nearView: IntersectionObserver | undefined;

/** One for all blocks: each one more has its own turn in every frame, and a long chat has a thousand blocks. */
function observer(): IntersectionObserver {
  nearView ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.();
    },
    { scrollMargin: "300px 0px" },
  );
  return nearView;
}

/** Resolves when the element is in view or nearly, or the wait was aborted. */
function seen(element: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      // A newer wait for the same element goes on.
      if (waiting.get(element) === end) {
        waiting.delete(element);
        observer().unobserve(element);
      }
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    waiting.set(element, end);
    // What is observed already says nothing new of itself.
    observer().unobserve(element);
    observer().observe(element);
  });
}

let loading: Promise<Languages | undefined> | undefined;

/** The chunk with the languages; undefined where it can't be had, and code stays plain. */
function loadLanguages(): Promise<Languages | undefined> {
  loading ??= import("./languages.ts").catch(() => {
    // The next code that is shown tries again.
    loading = undefined;
    return undefined;
  });
  return loading;
}
