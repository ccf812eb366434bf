import { Lexer, type TokensList } from "marked";

/** Longer runs of text are not searched for emphasis and links: that costs more than anyone would read. */
export const longestInline = 10_000;

/** The top-level tokens of a text, or undefined when the text defeats the lexer (it recurses on nesting). */
export function lex(text: string): TokensList | undefined {
  const lexer = new Lexer({ gfm: true });
  try {
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length <= longestInline) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: "escape", raw: src, text: src });
    }
    return lexer.tokens;
  } catch {
    return undefined;
  }
}
