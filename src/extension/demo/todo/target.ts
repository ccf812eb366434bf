import { type Declaration, findDeclarations, indentOf } from "../declarations.ts";
import type { TodoComment } from "./todoComments.ts";

/** A function that a TODO is about. Lines count from 1. */
export interface Target {
  name: string;
  line: number;
  endLine: number;
  /** The line whose end opens the body. */
  openLine: number;
  parameters: Parameter[];
  /** As written; "" when it is not. */
  returnType: string;
  /** The white space ahead of a statement of its body. */
  bodyIndent: string;
}

export interface Parameter {
  name: string;
  /** As written; "" when it is not. */
  type: string;
}

/** The function around a TODO, else the one right below it. */
export function findTarget(lines: readonly string[], todo: TodoComment): Target | undefined {
  const declarations = findDeclarations(lines.map((text, index) => ({ line: index + 1, text })));
  const functions = declarations.filter(({ kind }) => kind === "function");
  const around = functions.findLast(({ line, endLine }) => line <= todo.start && endLine >= todo.end && endLine > line);
  const below = functions.find(({ line }) => line > todo.end && isNext(lines, todo.end, line));
  const found = around ?? below;
  return found === undefined ? undefined : describe(lines, found);
}

/** What the declaration block of a line is called, for names that a TODO gives. */
export function findDeclared(lines: readonly string[], name: string): Declaration | undefined {
  return findDeclarations(lines.map((text, index) => ({ line: index + 1, text }))).find(
    (declaration) => declaration.name === name,
  );
}

/** Only comments, decorators and empty lines stand between. */
function isNext(lines: readonly string[], after: number, line: number): boolean {
  return lines.slice(after, line - 1).every((text) => /^\s*($|\/\/|\/?\*|@|#)/.test(text));
}

function describe(lines: readonly string[], { name, line, endLine }: Declaration): Target | undefined {
  const offset = lines.slice(line - 1, endLine).findIndex((text) => /\{\s*(\/\/.*)?$/.test(text));
  if (offset < 0) return undefined;
  const head = lines.slice(line - 1, line + offset).join(" ");
  const list = parameterList(head.slice(head.indexOf(name) + name.length));
  if (list === undefined) return undefined;
  const unit = lines.find((text) => /^\s+\S/.test(text) && !/^\s+\*/.test(text))?.match(/^\t|^ +/)?.[0] ?? "  ";
  const headIndent = (lines[line - 1] ?? "").slice(0, indentOf(lines[line - 1] ?? ""));
  return {
    name,
    line,
    endLine,
    openLine: line + offset,
    parameters: splitTopLevel(list.inside).flatMap(readParameter),
    returnType: /^\s*:\s*(.+?)\s*(?:=>\s*)?\{/.exec(list.after)?.[1]?.trim() ?? "",
    bodyIndent: headIndent + (unit.startsWith("\t") ? "\t" : unit.slice(0, 4)),
  };
}

function parameterList(text: string): { inside: string; after: string } | undefined {
  const start = text.indexOf("(");
  let depth = 0;
  for (let index = start; index >= 0 && index < text.length; index++) {
    if ("([{".includes(text[index] ?? "")) depth++;
    if (")]}".includes(text[index] ?? "")) depth--;
    if (depth === 0) return { inside: text.slice(start + 1, index), after: text.slice(index + 1) };
  }
  return undefined;
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const character of text) {
    if ("([{<".includes(character)) depth++;
    if (")]}>".includes(character)) depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function readParameter(text: string): Parameter[] {
  const match =
    /^\s*(?:(?:public|private|protected|readonly)\s+)*(?:\.\.\.)?([\p{L}_$][\p{L}\p{N}_$]*)\??\s*(?::\s*([^=]+?))?\s*(?:=.*)?$/u.exec(
      text,
    );
  return match === null ? [] : [{ name: match[1] ?? "", type: match[2]?.trim() ?? "" }];
}
