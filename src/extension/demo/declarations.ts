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
const identifier = (kind: Declaration["kind"]) => String.raw`(?<${kind}>[\p{L}_$][\p{L}\p{N}_$]*)`;
const patterns: readonly RegExp[] = [
  String.raw`${modifiers}(?:function\*?|def|fn|fun|func|sub)\s+(?:\([^)]*\)\s*)?${identifier("function")}`,
  // A function in a variable is a function.
  String.raw`${modifiers}(?:(?:const|let|var|val)\s+)?${identifier("function")}\s*(?::[^=]+)?[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)`,
  String.raw`${modifiers}(?:class|struct|trait|object|module|namespace|impl|interface|type|enum|record|protocol|const|let|var|val|static)\s+(?:mut\s+)?${identifier("other")}`,
  // A method, or a function with its type ahead of its name: what follows the parameters opens a body.
  String.raw`(?:[\p{L}_$][\p{L}\p{N}_$<>[\],.&*?]*\s+)*[*#]?${identifier("function")}\s*(?:<[^>]*>)?\([^;]*\)\s*(?:const\s*)?(?::[^;={]+|->[^;={]+|throws [^;={]+)?\{\s*(?:\/\/.*|\}?)$`,
].map((pattern) => new RegExp(String.raw`^\s*${pattern}`, "u"));

/** Words before a parenthesis that declare nothing. */
const keywords =
  /^(?:if|for|foreach|while|switch|catch|with|return|function|await|new|typeof|do|else|elif|except|throw|super|import|in|of|not|unless|until|match|when)$/;

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

/** The lines of the comment that ends just above a line, decorators included. */
export function commentAbove(lines: readonly SourceLine[], line: number): string[] {
  const texts: string[] = [];
  for (let above = line - 1; ; above--) {
    const text = lines.find((other) => other.line === above)?.text;
    if (text === undefined || !(isComment(text) || /^\s*@/.test(text))) return texts;
    texts.unshift(text);
  }
}

const importing =
  /^\s*(import\b|from\s+\S+\s+import\b|export\s+(\*|\{[^}]*\})\s+from\b|use\s+[\w:]+|using\s+[\w.]+;|#include\b|require\(|(const|let|var)\s+.*=\s*require\()/;
export const isImport = (text: string) => importing.test(text.slice(0, maxHeadLength));
const indentOf = (text: string) => text.length - text.trimStart().length;

function parseHead(text: string): { name: string; kind: Declaration["kind"] } | undefined {
  // `return f(x) {`, `else if (x) {` and their like begin with a word that no declaration begins with.
  const first = /^\s*\}?\s*(\p{L}+)/u.exec(text)?.[1] ?? "";
  if (first !== "function" && keywords.test(first)) return undefined;
  for (const pattern of patterns) {
    const { function: callable, other } = pattern.exec(text)?.groups ?? {};
    const name = callable ?? other;
    if (name !== undefined && !keywords.test(name)) return { name, kind: other === undefined ? "function" : "other" };
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
