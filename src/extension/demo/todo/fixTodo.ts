import { delegateEdit } from "../delegateEdit.ts";
import { describeEdits } from "../editReport.ts";
import type { TodoRequest } from "../intent.ts";
import { editsFor, type LineChange } from "../lineChanges.ts";
import { locateFile } from "../locateFile.ts";
import { readFiles } from "../readFiles.ts";
import { inlineCode } from "../report.ts";
import { type Call, gather, type Step, type Work } from "../step.ts";
import { guardRule } from "./guards.ts";
import { listTodos } from "./listTodos.ts";
import { findTarget } from "./target.ts";
import { removeRule, replaceRule } from "./textRules.ts";
import { findTodos, type TodoComment } from "./todoComments.ts";
import { removalOf } from "./todoRemoval.ts";
import type { TodoFix, TodoRule } from "./todoRule.ts";
import { defaultRule, roundRule } from "./valueRules.ts";

const rules: readonly TodoRule[] = [replaceRule, removeRule, roundRule, defaultRule, guardRule];

/** Fixes a TODO where a rule understands it, else shows it: read, propose, tell what became of it. */
export function fixTodo(request: TodoRequest, sentence: string, work: Work): Step {
  if (request.file === undefined) return listTodos(work);
  if (work.agents.has("edit")) return delegateEdit(sentence, work);
  const located = locateFile(request.file, work);
  if ("step" in located) return located.step;
  const { path } = located;
  const { files, missing } = readFiles([path], work);
  if (missing.length > 0) return { type: "calls", text: `Reading \`${path}\`.`, calls: missing };
  const lines = files.get(path) ?? [];
  const todos = findTodos(lines).filter(
    ({ start, end }) => request.line === undefined || (start <= request.line && end >= request.line),
  );
  if (todos.length === 0)
    return {
      type: "answer",
      text: `There is no TODO in \`${path}\`${request.line === undefined ? "" : ` at line ${request.line}`}.`,
    };
  const fixes = todos.flatMap((todo) => fixOf(path, lines, todo) ?? []);
  const chosen = request.all ? withoutOverlaps(fixes) : fixes.slice(0, 1);
  if (chosen.length === 0) return { type: "answer", text: beyondRules(path, todos) };
  const edits = editsFor(
    lines,
    chosen.flatMap(({ changes }) => changes),
  );
  const editing: Call = { name: "edit_file", arguments: { path, edits } };
  const edited = gather(work, [editing]);
  if (edited.missing.length > 0) {
    return {
      type: "calls",
      text: chosen.map(({ todo }) => `The TODO at \`${path}:${todo.start}\` says: “${todo.text}”.`).join("\n"),
      calls: [editing],
    };
  }
  const others = todos.filter((todo) => !chosen.some((fix) => fix.todo === todo));
  const notes = chosen.map(({ todo, note }) => `For “${todo.text}” (line ${todo.start}): ${note}.`);
  const rest =
    others.length === 0 ? [] : [`Not touched in this file:\n${others.map((todo) => listed(path, todo)).join("\n")}`];
  return { type: "answer", text: [describeEdits([editing], edited.outcomes), ...notes, ...rest].join("\n\n") };
}

interface Fix extends TodoFix {
  todo: TodoComment;
}

function fixOf(path: string, lines: readonly string[], todo: TodoComment): Fix | undefined {
  const target = findTarget(lines, todo);
  for (const rule of rules) {
    const fix = rule({ path, lines, todo, target });
    if (fix === undefined) continue;
    const changes = fix.removesTodo === true ? fix.changes : joinRemoval(fix.changes, removalOf(lines, todo));
    return { ...fix, todo, changes };
  }
  return undefined;
}

/** Where a change covers the TODO's own line, the comment goes from the changed line. */
function joinRemoval(changes: readonly LineChange[], removal: LineChange): LineChange[] {
  const shared = changes.find(({ start, end }) => start <= removal.start && end >= removal.end);
  return shared === undefined
    ? [...changes, removal]
    : changes.map((change) => (change === shared ? withoutComment(change) : change));
}

function withoutComment(change: LineChange): LineChange {
  return {
    ...change,
    lines: change.lines.map((line) => line.replace(/\s*(\/\/|#|\/\*|--)\s*@?(TODO|FIXME)\b.*$/i, "")),
  };
}

function withoutOverlaps(fixes: readonly Fix[]): Fix[] {
  const taken = new Set<number>();
  return fixes.filter(({ changes }) => {
    const touched = changes.flatMap(({ start, end }) =>
      Array.from({ length: Math.max(1, end - start + 1) }, (_, index) => start + index),
    );
    if (touched.some((line) => taken.has(line))) return false;
    for (const line of touched) taken.add(line);
    return true;
  });
}

function beyondRules(path: string, todos: readonly TodoComment[]): string {
  const count = todos.length === 1 ? "This TODO is" : "These TODOs are";
  return `${count} beyond my rules, so I changed nothing:\n\n${todos.map((todo) => listed(path, todo)).join("\n")}\n\nI can do the likes of “return 0 when the list is empty”, “rename a to b”, “remove the debug output” or “validate amount”. For the rest, choose a language model.`;
}

function listed(path: string, { start, text }: TodoComment): string {
  return `- \`${path}:${start}\` ${inlineCode(text === "" ? "TODO" : text)}`;
}
