/** Something that code declares. Lines count from 1. */
export interface Declaration {
  name: string;
  kind: "function" | "class" | "type" | "variable";
  line: number;
  /** The last line of its body; `line` itself where it has none. */
  endLine: number;
  /** How far it is indented, in characters. */
  indent: number;
}

/** A line of a file as a tool showed it. */
export interface SourceLine {
  line: number;
  text: string;
}

const modifiers = String.raw`(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|override|readonly|final|virtual|inline|open|sealed|pub(?:\([^)]*\))?|unsafe|const|get|set)\s+)*`;

const patterns: readonly { kind: Declaration["kind"]; pattern: RegExp }[] = [
  {
    kind: "function",
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:function\*?|def|fn|fun|func|sub|proc)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)`,
      "u",
    ),
  },
  {
    kind: "class",
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:class|struct|trait|object|actor|module|namespace|impl)\s+([\p{L}_$][\p{L}\p{N}_$]*)`,
      "u",
    ),
  },
  {
    kind: "type",
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:interface|type|enum|record|protocol|typedef)\s+([\p{L}_$][\p{L}\p{N}_$]*)`,
      "u",
    ),
  },
  // A function in a variable is a function.
  {
    kind: "function",
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:(?:const|let|var|val)\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]+)?[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)`,
      "u",
    ),
  },
  {
    kind: "variable",
    pattern: new RegExp(
      String.raw`^\s*${modifiers}(?:const|let|var|val|static)\s+(?:mut\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]+)?=?`,
      "u",
    ),
  },
  // name = value in languages without a keyword, at the outermost level only.
  { kind: "variable", pattern: /^([\p{Lu}][\p{Lu}\p{N}_]+)\s*[:=]/u },
  // A method, or a function with its type ahead of its name: what follows the parameters opens a body.
  {
    kind: "function",
    pattern:
      /^\s*(?:[\p{L}_$][\p{L}\p{N}_$<>[\],.&*?]*\s+)*[*#]?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?:const\s*)?(?::[^;={]+|->[^;={]+|throws [^;={]+)?\{\s*(?:\/\/.*|\}?)$/u,
  },
];

const longHead = new RegExp(String.raw`^\s*${modifiers}([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\(\s*$`, "u");

const noNames = new Set(
  "if for foreach while switch catch with return function await new typeof do else elif except throw super import in of not unless until match when".split(
    " ",
  ),
);

/** Longer lines are generated or data. Patterns with several open ends would be slow on them. */
const longestHead = 400;

/** What the given lines declare, outer declarations before those inside them. Lines may come with gaps. */
export function findDeclarations(lines: readonly SourceLine[]): Declaration[] {
  const found: Declaration[] = [];
  for (const [index, { line, text }] of lines.entries()) {
    if (text.length > longestHead || isComment(text)) continue;
    const head = readHead(text) ?? readLongHead(lines, index);
    if (head !== undefined) found.push({ ...head, line, endLine: endOf(lines, index), indent: indentOf(text) });
  }
  return found;
}

/** Whether a line holds nothing but a comment. */
export function isComment(text: string): boolean {
  return /^\s*(\/\/|\/\*|\*|#(?!\[|include|define|if|endif|pragma|!\[)|--(?!-?>)|<!--|;;|%|"""|''')/.test(text);
}

export function isImport(text: string): boolean {
  return /^\s*(import\b|from\s+\S+\s+import\b|export\s+(\*|\{[^}]*\})\s+from\b|use\s+[\w:]+|using\s+[\w.]+;|#include\b|require\(|(const|let|var)\s+.*=\s*require\()/.test(
    text.slice(0, longestHead),
  );
}

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function readHead(text: string): { name: string; kind: Declaration["kind"] } | undefined {
  if (isImport(text)) return undefined;
  for (const { kind, pattern } of patterns) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && !noNames.has(name) && !startsWithKeyword(text)) return { name, kind };
  }
  return undefined;
}

/** A method whose parameters stand on lines of their own: a call looks the same until the line that closes it. */
function readLongHead(lines: readonly SourceLine[], index: number): { name: string; kind: "function" } | undefined {
  const text = lines[index]?.text ?? "";
  const name = longHead.exec(text)?.[1];
  if (name === undefined || noNames.has(name) || startsWithKeyword(text)) return undefined;
  const closing = lines
    .slice(index + 1)
    .find((line) => line.text.trim() !== "" && indentOf(line.text) <= indentOf(text));
  return /^\s*\)\s*(:[^;=]+)?\{\s*$/.test(closing?.text ?? "") ? { name, kind: "function" } : undefined;
}

/** `return f(x) {`, `else if (x) {` and their like begin with a word that no declaration begins with. */
function startsWithKeyword(text: string): boolean {
  const first = /^\s*\}?\s*([\p{L}]+)/u.exec(text)?.[1];
  return first !== undefined && noNames.has(first) && !/^\s*function\b/.test(text);
}

/** A body is what is indented deeper, up to the line that closes it. Works without knowing the language. */
function endOf(lines: readonly SourceLine[], start: number): number {
  const head = lines[start];
  if (head === undefined) return 0;
  const indent = indentOf(head.text);
  let end = head.line;
  for (const { line, text } of lines.slice(start + 1)) {
    if (text.trim() === "") continue;
    const isDeeper = indentOf(text) > indent;
    const isClosing = indentOf(text) === indent && /^\s*[)\]}]|^\s*end\b/.test(text);
    if (!isDeeper && !isClosing && !/^\s*\{\s*$/.test(text)) break;
    end = line;
    if (isClosing && !/[{(:]\s*$/.test(text)) break;
  }
  return end;
}
