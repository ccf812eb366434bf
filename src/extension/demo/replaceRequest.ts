/** "Replace `from` with `to`", read from a sentence. */
export interface ReplaceRequest {
  from: string;
  to: string;
  /** A file or folder to keep to. */
  within?: string;
  /** Also where it is part of a longer word. */
  insideWords: boolean;
}

const operand = String.raw`(\x60[^\x60]+\x60|"[^"]+"|“[^”]+”|‘[^’]+’|'[^']+'|.+?)`;
const kind =
  String.raw`(?:(?:all|every|each|any)\s+)?(?:(?:occurrences?|uses?|usages?|instances?|mentions?)\s+of\s+)?` +
  String.raw`(?:(?:the|a)\s+)?(?:(?:function|method|variable|constant|class|type|interface|parameter|property|field|symbol|identifier|name|word|text|string)\s+)?`;
const tail = String.raw`(?:\s+(?:everywhere|globally|throughout)\b.*?|\s+(?:in|across|throughout)\s+(?:the\s+)?(?:whole\s+|entire\s+)?(?:workspace|project|codebase|repo|repository|code|all files|every file)\b.*?|\s+(?:in|within|inside|under)\s+(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?(?<within>[\x60"']?[\w./@-]*[./][\w./@*-]*[\x60"']?))?\s*[.!?]?`;
const insideWords =
  /[\s,;(]*\b(?:also|even|including|and)\s+(?:where\s+it\s+is\s+)?(?:inside|within|in|as|when)?\s*(?:part\s+of\s+)?(?:longer|other|larger)\s+(?:words|names|identifiers)\)?\.?\s*$/i;

const forms: readonly { pattern: RegExp; order: "from-to" | "to-from"; needsNames?: true }[] = [
  {
    pattern: form(
      String.raw`(?:replace|swap|exchange)\s+${kind}${operand}\s+(?:with|by|for|through)\s+${kind}${operand}`,
    ),
    order: "from-to",
  },
  { pattern: form(String.raw`rename\s+${kind}${operand}\s+(?:to|into|as)\s+${kind}${operand}`), order: "from-to" },
  { pattern: form(String.raw`substitute\s+${kind}${operand}\s+for\s+${kind}${operand}`), order: "to-from" },
  {
    pattern: form(String.raw`use\s+${kind}${operand}\s+(?:instead of|in place of|rather than)\s+${kind}${operand}`),
    order: "to-from",
    needsNames: true,
  },
  // "Change the button to be blue" is no replacement: here both sides have to look like code or be quoted.
  {
    pattern: form(String.raw`(?:change|turn|convert)\s+${kind}${operand}\s+(?:to|into)\s+${kind}${operand}`),
    order: "from-to",
    needsNames: true,
  },
];

/** Nobody asks for a replacement in more words, and the patterns would be slow on a pasted page. */
const longestSentence = 400;

export function readReplacement(text: string): ReplaceRequest | undefined {
  const sentence = text.trim().replace(/\s+/g, " ");
  if (sentence.length > longestSentence) return undefined;
  const spoken = sentence.replace(insideWords, "");
  for (const { pattern, order, needsNames } of forms) {
    const match = pattern.exec(spoken);
    const [, first = "", second = ""] = match ?? [];
    if (match === null || (needsNames && !(isNamed(first) && isNamed(second)))) continue;
    const [from, to] = order === "from-to" ? [unquote(first), unquote(second)] : [unquote(second), unquote(first)];
    if (from === "") continue;
    const within = match.groups?.within;
    return { from, to, ...(within === undefined ? {} : { within: unquote(within) }), insideWords: spoken !== sentence };
  }
  return undefined;
}

function form(body: string): RegExp {
  return new RegExp(String.raw`^\W*(?:please\s+|can you\s+|could you\s+|now\s+|then\s+)*${body}${tail}$`, "iu");
}

function isNamed(text: string): boolean {
  return /^[`"“‘']/.test(text) || !/\s/.test(text);
}

function unquote(text: string): string {
  const quoted = /^(?:`(.+)`|"(.+)"|“(.+)”|‘(.+)’|'(.+)')$/.exec(text.trim());
  return quoted?.slice(1).find((inner) => inner !== undefined) ?? text.trim();
}
