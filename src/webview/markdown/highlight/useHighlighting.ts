import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { loadLanguages } from "./loadLanguages.ts";
import { type CodeToken, createTokenPieces, highlightSlices } from "./tokens.ts";
import { idle, seen } from "./waiting.ts";

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

const none: Pieces = [];

/** The tokens of code once it has been seen, found while the browser has nothing else to do. By piece. */
export function useHighlighting({ element, language, texts, isWaiting }: HighlightingSource): Pieces {
  const found = useSignal<{ of: readonly string[]; pieces: Pieces }>({ of: texts, pieces: none });

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

  return found.value.of === texts ? found.value.pieces : none;
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
