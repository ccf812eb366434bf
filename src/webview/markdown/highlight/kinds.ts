import type { TokenKind } from "./tokens.ts";

/** The colours of what the languages name; what is not here is plain. */
const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: "keyword",
  name: "keyword",
  "selector-tag": "keyword",
  section: "keyword",
  doctag: "keyword",
  literal: "literal",
  symbol: "literal",
  bullet: "literal",
  string: "string",
  regexp: "string",
  char: "string",
  link: "string",
  code: "string",
  number: "number",
  type: "type",
  class: "type",
  built_in: "type",
  "title.class": "type",
  "selector-class": "type",
  "selector-id": "type",
  title: "function",
  attr: "variable",
  attribute: "variable",
  property: "variable",
  variable: "variable",
  "template-variable": "variable",
  "selector-attr": "variable",
  "selector-pseudo": "variable",
  comment: "comment",
  quote: "comment",
  meta: "meta",
  addition: "added",
  deletion: "removed",
};

/** `title.class.inherited` is what `title.class` is, unless it is listed itself. */
export function kindOf(scope: string): TokenKind | undefined {
  for (let name = scope; ; name = name.slice(0, name.lastIndexOf("."))) {
    if (Object.hasOwn(kinds, name)) return kinds[name];
    if (!name.includes(".")) return undefined;
  }
}
