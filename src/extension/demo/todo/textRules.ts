import { isComment, isImport } from "../declarations.ts";
import { readReplacement } from "../replaceRequest.ts";
import { findWords, replaceWords } from "../wordEdits.ts";
import { findDeclared } from "./target.ts";
import type { TodoFix, TodoRule, TodoSite } from "./todoRule.ts";

/** "rename a to b", "use X instead of Y", "replace 0.2 with taxRate": in this file, or in the function it is about. */
export const replaceRule: TodoRule = ({ lines, todo, target }) => {
  const request = readReplacement(todo.text);
  if (request === undefined) return undefined;
  const isRename = /^\W*rename\b/i.test(todo.text);
  const nearby = target === undefined ? [todo.start, nextCodeLine(lines, todo.end)] : [target.line, target.endLine];
  const [first = 1, last = lines.length] = isRename ? [] : nearby;
  const changes = lines.flatMap((text, index) => {
    const line = index + 1;
    const isTodo = line >= todo.start && line <= todo.end && todo.codeBefore === "";
    if (line < first || line > last || isTodo || findWords(text, request.from).starts.length === 0) return [];
    return [{ start: line, end: line, lines: [replaceWords(text, request)] }];
  });
  if (changes.length === 0) return undefined;
  const where = isRename
    ? `in this file alone; for all files say “rename ${request.from} to ${request.to}”`
    : "next to the TODO alone";
  return { changes, note: `replaced ${where}` };
};

/** The first line after `line` that is code; `line` itself where there is none. */
function nextCodeLine(lines: readonly string[], line: number): number {
  const offset = lines.slice(line).findIndex((text) => text.trim() !== "" && !isComment(text));
  return offset < 0 ? line : line + offset + 1;
}

/** "remove this line", "remove the debug output", "remove the unused function x". */
export const removeRule: TodoRule = (site) => {
  const match = /^\W*(?:remove|delete|drop|get rid of)\s+(.+?)[.!]?$/i.exec(site.todo.text);
  const what = match?.[1] ?? "";
  // "Remove this once the server is updated": whether that is so can't be seen here.
  if (match === null || /\b(once|after|when|if|until|as soon as|unless|before)\b/i.test(what)) return undefined;
  if (/\b(console|log(ging|s)?|debug|print)\b/i.test(what)) return removeLogging(site);
  if (/^(?:this|the|next)(?: (?:next|following))? (?:line|statement|call)$|^this$/i.test(what))
    return removeNextLine(site);
  const name = /`?([\p{L}_$][\p{L}\p{N}_$]*)`?$/u.exec(what)?.[1];
  return name === undefined ? undefined : removeDeclared(site, name);
};

function removeLogging({ lines, todo, target }: TodoSite): TodoFix | undefined {
  const [first, last] = target === undefined ? [1, lines.length] : [target.line, target.endLine];
  const changes = lines.flatMap((text, index) => {
    const line = index + 1;
    const isLogging = line >= first && line <= last && /^\s*(console\.\w+\(.*\);?|print\(.*\))\s*(\/\/.*)?$/.test(text);
    return isLogging ? [{ start: line, end: line, lines: [] }] : [];
  });
  const coversTodo = changes.some(({ start }) => start === todo.start);
  return changes.length === 0
    ? undefined
    : { changes, removesTodo: coversTodo, note: "removed the lines that only log" };
}

function removeNextLine({ lines, todo }: TodoSite): TodoFix | undefined {
  const line = todo.codeBefore === "" ? todo.end + 1 : todo.start;
  const text = lines[line - 1] ?? "";
  const isWhole = text.trim() !== "" && !/[{([,]\s*$/.test(text) && !isComment(text);
  if (!isWhole) return undefined;
  return {
    changes: [{ start: line, end: line, lines: [] }],
    removesTodo: line === todo.start,
    note: "removed that line",
  };
}

function removeDeclared({ lines, todo }: TodoSite, name: string): TodoFix | undefined {
  const uses = lines.flatMap((text, index) => (findWords(text, name).starts.length > 0 ? [index + 1] : []));
  const isTodo = (line: number) => line >= todo.start && line <= todo.end;
  const declaration = findDeclared(lines, name);
  const [start, end] = declaration === undefined ? importOf(lines, name) : [declaration.line, declaration.endLine];
  const isUsed = uses.some((line) => !isTodo(line) && (line < start || line > end));
  // Where it is still used, taking it away breaks the file.
  if (start === 0 || isUsed) return undefined;
  const text = lines[start - 1] ?? "";
  const remaining = declaration === undefined ? withoutImported(text, name) : undefined;
  return {
    changes: [{ start, end, lines: remaining === undefined ? [] : [remaining] }],
    note: `removed ${name}, which nothing else here uses`,
  };
}

function importOf(lines: readonly string[], name: string): [number, number] {
  const line = lines.findIndex((text) => isImport(text) && findWords(text, name).starts.length > 0) + 1;
  return [line, line];
}

/** The import without one name; undefined when it was the only one. */
function withoutImported(text: string, name: string): string | undefined {
  const match = /^(.*\{)([^}]*)(\}.*)$/.exec(text);
  const names =
    match?.[2]
      ?.split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "") ?? [];
  const others = names.filter(
    (entry) =>
      entry
        .replace(/^type /, "")
        .split(/\s+as\s+/)
        .at(-1) !== name,
  );
  return match === null || others.length === 0 ? undefined : `${match[1]} ${others.join(", ")} ${match[3]}`;
}
