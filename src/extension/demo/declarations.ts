import type { SourceLine } from "./toolResults.ts";

/** Something that code declares. Lines count from 1. */
export interface Declaration {
  name: string;
  kind: "function" | "other";
  line: number;
  /** The last line of its body; `line` itself where it has none. */
  endLine: number;
  /** How far it is indented, in characters. */
  indent: number;
}

const modifiers = String.raw`(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|override|readonly|final|virtual|inline|pub(?:\([^)]*\))?|const|get|set)\s+)*`;
const identifier = String.raw`([\p{L}_$][\p{L}\p{N}_$]*)`;
const declaring = (body: string) => new RegExp(String.raw`^\s*${modifiers}${body}`, "u");

const patterns: readonly { kind: Declaration["kind"]; pattern: RegExp }[] = [
  {
    kind: "function",
    pattern: declaring(String.raw`(?:function\*?|def|fn|fun|func|sub)\s+(?:\([^)]*\)\s*)?${identifier}`),
  },
  // A function in a variable is a function.
  {
    kind: "function",
    pattern: declaring(
      String.raw`(?:(?:const|let|var|val)\s+)?${identifier}\s*(?::[^=]+)?[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)`,
    ),
  },
  {
    kind: "other",
    pattern: declaring(
      String.raw`(?:class|struct|trait|object|module|namespace|impl|interface|type|enum|record|protocol|const|let|var|val|static)\s+(?:mut\s+)?${identifier}`,
    ),
  },
  // A method, or a function with its type ahead of its name: what follows the parameters opens a body.
  {
    kind: "function",
    pattern:
      /^\s*(?:[\p{L}_$][\p{L}\p{N}_$<>[\],.&*?]*\s+)*[*#]?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\([^;]*\)\s*(?:const\s*)?(?::[^;={]+|->[^;={]+|throws [^;={]+)?\{\s*(?:\/\/.*|\}?)$/u,
  },
];

/** Words before a parenthesis that declare nothing. */
const keywords = new Set(
  "if for foreach while switch catch with return function await new typeof do else elif except throw super import in of not unless until match when".split(
    " ",
  ),
);

/** Longer lines are generated or data. Patterns with several open ends would be slow on them. */
const maxHeadLength = 400;

/** What the given lines declare, outer declarations before those inside them. Lines may come with gaps. */
export function findDeclarations(lines: readonly SourceLine[]): Declaration[] {
  return lines.flatMap(({ line, text }, index) => {
    if (text.length > maxHeadLength || isComment(text) || isImport(text)) return [];
    const head = parseHead(text);
    return head === undefined ? [] : [{ ...head, line, endLine: endOf(lines, index), indent: indentOf(text) }];
  });
}

/** Whether a line holds nothing but a comment. */
export function isComment(text: string): boolean {
  return /^\s*(\/\/|\/\*|\*|#(?!\[|include|define|if|endif|pragma|!\[)|--(?!-?>)|<!--|;;|%|"""|''')/.test(text);
}

export function isImport(text: string): boolean {
  return /^\s*(import\b|from\s+\S+\s+import\b|export\s+(\*|\{[^}]*\})\s+from\b|use\s+[\w:]+|using\s+[\w.]+;|#include\b|require\(|(const|let|var)\s+.*=\s*require\()/.test(
    text.slice(0, maxHeadLength),
  );
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function parseHead(text: string): { name: string; kind: Declaration["kind"] } | undefined {
  // `return f(x) {`, `else if (x) {` and their like begin with a word that no declaration begins with.
  const first = /^\s*\}?\s*(\p{L}+)/u.exec(text)?.[1] ?? "";
  if (first !== "function" && keywords.has(first)) return undefined;
  for (const { kind, pattern } of patterns) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && !keywords.has(name)) return { name, kind };
  }
  return undefined;
}

/** A body is what is indented deeper, with the lines that close it. Works without knowing the language. */
function endOf(lines: readonly SourceLine[], start: number): number {
  const head = lines[start] ?? { line: 0, text: "" };
  const indent = indentOf(head.text);
  const isBeyond = ({ text }: SourceLine) =>
    indentOf(text) < indent || (indentOf(text) === indent && !/^\s*([{)\]}]|end\b)/.test(text));
  const body = lines.slice(start + 1).filter(({ text }) => text.trim() !== "");
  const next = body.findIndex(isBeyond);
  return (next < 0 ? body : body.slice(0, next)).at(-1)?.line ?? head.line;
}
