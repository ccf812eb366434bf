export const tokenKinds = [
  ...["keyword", "literal", "string", "number", "type", "function", "variable", "comment", "meta"],
  ...["added", "removed"],
] as const;

export type TokenKind = (typeof tokenKinds)[number];

/** A stretch of code of one colour; without a kind, that of plain code. */
export interface CodeToken {
  text: string;
  kind?: TokenKind;
}

export interface Highlighted {
  tokens: CodeToken[];
  /** The code ends within something that goes on after it, like a comment of several lines. */
  isOpen: boolean;
}

/** What the chunk with the languages gives. */
export interface Languages {
  /** Undefined for a language that it does not know. */
  highlight(code: string, language: string): Highlighted | undefined;
}

/** More of one block is left plain: nobody reads all of it, and each token is an element of the page. */
export const mostHighlighted = 60_000;
const usualSlice = 3_000;
const longestSlice = 12_000;

/**
 * Where a slice of the code may end that begins at `start`: before a line that stands at the margin after a blank one,
 * where declarations begin, or else at any line. At least `length` characters, if there are as many.
 */
export function sliceEnd(code: string, start: number, length: number): number {
  const from = start + length;
  if (from >= code.length) return code.length;
  const margin = /\n\n(?=[^\s)\]}])/g;
  margin.lastIndex = from;
  const atMargin = margin.exec(code)?.index ?? code.length;
  if (atMargin - start <= longestSlice) return Math.min(code.length, atMargin + 2);
  const atLine = code.indexOf("\n", from);
  return atLine < 0 || atLine - start > longestSlice ? Math.min(code.length, start + longestSlice) : atLine + 1;
}

/** The tokens of the code, a slice at a time. Where a slice ends within a comment or a string, it is made longer. */
export function* highlightSlices(
  code: string,
  highlight: (slice: string) => Highlighted | undefined,
): Generator<CodeToken[]> {
  const whole = code.slice(0, mostHighlighted);
  for (let start = 0, length = usualSlice; start < whole.length; ) {
    const end = sliceEnd(whole, start, length);
    const slice = highlight(whole.slice(start, end));
    if (slice === undefined) return;
    if (slice.isOpen && end < whole.length && end - start < longestSlice) {
      length = end - start + usualSlice;
      yield [];
      continue;
    }
    yield slice.tokens;
    start = end;
    length = usualSlice;
  }
}

/** Tokens of a text, dealt out to the pieces of whole lines that the text is shown in. */
export interface TokenPieces {
  add(tokens: readonly CodeToken[]): void;
  /** By piece; undefined for those that are not complete yet. */
  readonly pieces: readonly (readonly CodeToken[] | undefined)[];
}

export function createTokenPieces(texts: readonly string[]): TokenPieces {
  const pieces: (readonly CodeToken[] | undefined)[] = texts.map(() => undefined);
  let index = 0;
  let current: CodeToken[] = [];
  let left = texts[0]?.length ?? 0;

  function take({ text, ...kind }: CodeToken): void {
    for (let at = 0; at < text.length; ) {
      const part = text.slice(at, at + left);
      if (part !== "") current.push({ text: part, ...kind });
      at += part.length;
      left -= part.length;
      if (left > 0 || at >= text.length) return;
      complete();
      // The line break between two pieces belongs to neither.
      at += 1;
    }
  }

  function complete(): void {
    pieces[index++] = current;
    current = [];
    left = texts[index]?.length ?? 0;
  }

  return {
    get pieces() {
      return pieces;
    },
    add(tokens) {
      tokens.forEach(take);
      // The last piece has no line break after it.
      if (left === 0 && index === texts.length - 1) complete();
    },
  };
}
