import { t } from "@vscode/l10n";
import type { MarkedToken, Token, Tokens } from "marked";
import { parseLink, pathInCode } from "../text/links.ts";
import type { Block, Inline, ListItem } from "./structure.ts";

/** Deeper than anyone nests; a text of ten thousand ">" must not exhaust the stack. */
const maxDepth = 24;

/** Undefined for a token that shows nothing. */
export function toBlock(token: Token, depth = 0): Block | undefined {
  if (depth > maxDepth) return { type: "plain", text: token.raw };
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
  if (depth > maxDepth) return [{ type: "text", text: token.raw }];
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

/** A link that leads nowhere safe keeps its text and shows its address, so that nothing is hidden. */
function linkInlines(token: Pick<Tokens.Link, "href" | "tokens">, depth: number): Inline[] {
  const href = decodeEntities(token.href);
  const children = toInlines(token.tokens, depth);
  const target = parseLink(href);
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

const maxLanguageLength = 30;
const maxPathLength = 500;
const keys: ReadonlySet<string> = new Set(["path", "file", "filename", "title"]);

/** What follows the opening of a fence: the language, and perhaps the file that the code is for. */
export function fenceInfo(line: string | undefined): { language: string; path?: string } {
  // Some write ```{.ts file=src/a.ts}```.
  const info = line?.trim().replace(/^\{\s*\.?/, "") ?? "";
  if (/^[\w+#-]*$/.test(info)) return { language: info.slice(0, maxLanguageLength) };
  const path = pathIn(info);
  const first = info.split(/[\s,{:=]/)[0] ?? "";
  if (path === undefined) return { language: first.slice(0, maxLanguageLength) };
  // A path alone names no language but its ending.
  const isNamed = !info.startsWith(path) && !keys.has(first);
  return { language: (isNamed ? first : endingOf(path)).slice(0, maxLanguageLength), path };
}

/** ```ts src/a.ts```, ```ts:src/a.ts```, ```src/a.ts```, ```ts path=src/a.ts``` or ```ts title="src/a.ts"```. */
function pathIn(info: string): string | undefined {
  const named = /(?:^|[\s,{])(?:path|file|filename|title)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s,}]+))/.exec(info);
  const candidates = named === null ? info.split(/[\s,]+/).map(afterLanguage) : named.slice(1);
  const path = candidates.find((candidate) => candidate !== undefined && isPath(candidate));
  return path === undefined || path.length > maxPathLength ? undefined : path;
}

/** `ts:src/a.ts` is a language and a path; `C:\a.ts` is none of ours. */
function afterLanguage(word: string): string {
  const colon = word.indexOf(":");
  return colon > 1 ? word.slice(colon + 1) : word;
}

function isPath(word: string): boolean {
  return /^[^<>:"|?*{}=]+$/.test(word) && (/\.[a-z][\w-]*$/i.test(word) || /^[^/\s]+\/\S*[^/\s]$/.test(word));
}

function endingOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? "" : path.slice(dot + 1);
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  times: "×",
  larr: "←",
  rarr: "→",
};

/** Markdown knows HTML's character references. What they mean is shown as text, so decoding them is safe. */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hex, name) => {
    if (typeof name === "string") return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}
