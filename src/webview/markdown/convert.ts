import { t } from "@vscode/l10n";
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "../text/entities.ts";
import { linkTarget, pathInCode } from "../text/links.ts";
import { fenceInfo } from "./fenceInfo.ts";
import type { Block, Inline, ListItem } from "./structure.ts";

/** Deeper than anyone nests; a text of ten thousand ">" must not exhaust the stack. */
const deepest = 24;

/** Undefined for a token that shows nothing. */
export function toBlock(token: Token, depth = 0): Block | undefined {
  if (depth > deepest) return { type: "plain", text: token.raw };
  const known = asMarked(token);
  switch (known.type) {
    case "space":
    case "def":
      return undefined;
    case "heading":
      return { type: "heading", depth: known.depth, children: toInlines(known.tokens, depth) };
    case "paragraph":
      return { type: "paragraph", children: withoutFinalSpaces(toInlines(known.tokens, depth)) };
    case "text":
      return { type: "paragraph", children: withoutFinalSpaces(textInlines(known, depth)) };
    case "code":
      return { type: "code", ...fenceInfo(known.lang), text: withoutFinalBreaks(known.text) };
    case "blockquote":
      return { type: "quote", blocks: toBlocks(known.tokens, depth + 1) };
    case "list":
      return {
        type: "list",
        isOrdered: known.ordered,
        start: known.start === "" ? 1 : known.start,
        items: known.items.map((item) => toItem(item, depth + 1)),
      };
    case "table":
      return {
        type: "table",
        alignments: known.align.map((alignment) => alignment ?? undefined),
        header: known.header.map((cell) => toInlines(cell.tokens, depth)),
        rows: known.rows.map((row) => row.map((cell) => toInlines(cell.tokens, depth))),
      };
    case "hr":
      return { type: "rule" };
    default:
      return { type: "plain", text: known.raw.trimEnd() };
  }
}

function toBlocks(tokens: readonly Token[], depth: number): Block[] {
  return tokens.flatMap((token) => toBlock(token, depth) ?? []);
}

function toItem(item: Tokens.ListItem, depth: number): ListItem {
  // The checkbox is a token of its own, inside the first paragraph or before it.
  const blocks = toBlocks(
    item.tokens.filter((token) => token.type !== "checkbox"),
    depth,
  );
  return item.task ? { isChecked: item.checked === true, blocks } : { blocks };
}

function toInlines(tokens: readonly Token[], depth: number): Inline[] {
  const inlines: Inline[] = [];
  for (const token of tokens) for (const inline of toInline(token, depth + 1)) addInline(inlines, inline);
  return inlines;
}

/** Text after text, as around an escaped mark, is one text. */
function addInline(inlines: Inline[], inline: Inline): void {
  const last = inlines.at(-1);
  if (last?.type !== "text" || inline.type !== "text") inlines.push(inline);
  else inlines[inlines.length - 1] = { type: "text", text: last.text + inline.text };
}

function toInline(token: Token, depth: number): Inline[] {
  if (depth > deepest) return [{ type: "text", text: token.raw }];
  const known = asMarked(token);
  switch (known.type) {
    case "strong":
      return [{ type: "strong", children: toInlines(known.tokens, depth) }];
    case "em":
      return [{ type: "emphasis", children: toInlines(known.tokens, depth) }];
    case "del":
      return [{ type: "strike", children: toInlines(known.tokens, depth) }];
    case "codespan":
      return [codeInline(known.text)];
    case "br":
      return [{ type: "break" }];
    case "link":
      return linkInlines(known, depth);
    case "image":
      // Never loaded: the request alone would carry data out.
      return linkInlines(
        { ...known, tokens: [{ type: "text", raw: imageText(known), text: imageText(known) }] },
        depth,
      );
    case "text":
      return textInlines(known, depth);
    case "escape":
      return [{ type: "text", text: known.text }];
    case "checkbox":
      return [];
    default:
      return [{ type: "text", text: known.raw }];
  }
}

function textInlines(token: Tokens.Text, depth: number): Inline[] {
  if (token.tokens !== undefined && token.tokens.length > 0) return toInlines(token.tokens, depth);
  return [{ type: "text", text: decodeEntities(token.text) }];
}

/** Spaces between two words that are yet to come: shown with the second one. */
function withoutFinalSpaces(inlines: Inline[]): Inline[] {
  const last = inlines.at(-1);
  if (last?.type !== "text") return inlines;
  const text = last.text.trimEnd();
  if (text === last.text) return inlines;
  return text === "" ? inlines.slice(0, -1) : inlines.with(-1, { type: "text", text });
}

function codeInline(text: string): Inline {
  const target = pathInCode(text);
  return target === undefined ? { type: "code", text } : { type: "code", text, target };
}

/** A link that leads nowhere safe keeps its words and shows its address, so that nothing is hidden. */
function linkInlines(token: Pick<Tokens.Link, "href" | "tokens">, depth: number): Inline[] {
  const href = decodeEntities(token.href);
  const children = toInlines(token.tokens, depth);
  const target = linkTarget(href);
  if (target !== undefined) return [{ type: "link", target, children }];
  return href === "" ? children : [...children, { type: "text", text: ` (${href})` }];
}

function imageText(image: Tokens.Image): string {
  return image.text === "" ? t("image") : t("image: {0}", image.text);
}

/** Blank lines at the end of code come and go while it is written. */
export function withoutFinalBreaks(code: string): string {
  let end = code.length;
  while (code.charAt(end - 1) === "\n") end--;
  return code.slice(0, end);
}

/** Without extensions the lexer yields its own tokens only; its open token type is for extensions. */
function asMarked(token: Token): MarkedToken {
  return token as MarkedToken;
}
