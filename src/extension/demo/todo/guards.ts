import type { LineChange } from "../lineChanges.ts";
import { findSubject, readCondition, stateOf } from "./conditions.ts";
import type { Target } from "./target.ts";
import type { TodoRule } from "./todoRule.ts";
import { neutralValue, readValue } from "./values.ts";

const understood = /\.([cm]?[jt]sx?)$/;
const conditionWords = "(?:when|if|for|on|in case)";

/** TODOs that ask for a check at the start of a function: return early, throw, handle a state, validate. */
export const guardRule: TodoRule = ({ path, lines, todo, target }) => {
  if (target === undefined || !understood.test(path)) return undefined;
  const guard = readGuard(todo.text, target);
  if (guard === undefined) return undefined;
  const isInside = todo.start > target.openLine && todo.end <= target.endLine && todo.codeBefore === "";
  const indent = isInside ? (/^\s*/.exec(lines[todo.start - 1] ?? "")?.[0] ?? "") : target.bodyIndent;
  const added = [`${indent}if (${guard.condition}) ${guard.action}`];
  if (isInside)
    return { changes: [{ start: todo.start, end: todo.end, lines: added }], removesTodo: true, note: guard.note };
  const insertion: LineChange = { start: target.openLine + 1, end: target.openLine, lines: added };
  return { changes: [insertion], note: guard.note };
};

interface Guard {
  condition: string;
  action: string;
  note: string;
}

function readGuard(text: string, target: Target): Guard | undefined {
  return (
    readReturn(text, target) ?? readThrow(text, target) ?? readHandling(text, target) ?? readValidation(text, target)
  );
}

function readReturn(text: string, target: Target): Guard | undefined {
  const straight = new RegExp(`\\breturn (.+?) ${conditionWords} (.+)$`, "i").exec(text);
  const turned = /^(?:if|when) (.+?),? (?:then )?return (.+)$/i.exec(text);
  const [valueText, conditionText] = straight ? [straight[1], straight[2]] : [turned?.[2], turned?.[1]];
  if (valueText === undefined || conditionText === undefined) return undefined;
  const value = readValue(valueText, target);
  const condition = readCondition(conditionText, target) ?? bareState(conditionText, target);
  if (value === undefined || condition === undefined) return undefined;
  return { condition, action: `return ${value};`, note: `returns ${value} early, as it asks` };
}

function readThrow(text: string, target: Target): Guard | undefined {
  const match = new RegExp(`\\b(?:throw|raise|fail)\\b(.*?) ${conditionWords} (.+)$`, "i").exec(text);
  if (match === null) return undefined;
  const condition = readCondition(match[2] ?? "", target) ?? bareState(match[2] ?? "", target);
  const type = /\b([A-Z]\w*Error)\b/.exec(match[1] ?? "")?.[1] ?? "Error";
  if (condition === undefined) return undefined;
  return {
    condition,
    action: `throw new ${type}(${quote(`${target.name}: ${plainMessage(match[2] ?? "")}`)});`,
    note: "throws, as it asks",
  };
}

/** "handle empty names", "handle the case of a missing price". */
function readHandling(text: string, target: Target): Guard | undefined {
  const match =
    /\b(?:handle|cover|guard against|deal with|check for)\s+(?:the )?(?:cases? (?:of|when|where) )?(?:an? |the )?(.+)$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const rest = match[1] ?? "";
  const condition = readCondition(rest, target) ?? bareState(rest, target);
  if (condition === undefined) return undefined;
  const value = neutralValue(target.returnType);
  if (value === undefined || / < | > /.test(condition)) {
    const action = `throw new RangeError(${quote(`${target.name}: ${plainMessage(rest)}`)});`;
    return { condition, action, note: "the TODO does not say what should happen, so this throws: check that it fits" };
  }
  const action = value === "" ? "return;" : `return ${value};`;
  return { condition, action, note: "what it returns is my guess from the return type: check that it fits" };
}

/** "validate amount", "add validation for the name", "check that quantity is positive". */
function readValidation(text: string, target: Target): Guard | undefined {
  const match =
    /\b(?:validate|(?:add |do )?(?:input )?validation(?: (?:for|of))?|check|ensure|verify|assert)\b\s*(?:that |of |for )?(.*)$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const rest = match[1] ?? "";
  const wanted = readCondition(rest, target);
  if (wanted !== undefined) {
    const message = quote(`${target.name}: ${plainMessage(rest)}`);
    return {
      condition: `!(${wanted})`,
      action: `throw new RangeError(${message});`,
      note: "throws when that does not hold",
    };
  }
  const subject = findSubject(rest === "" ? "input" : rest, target);
  const type = subject?.parameter?.type ?? "";
  if (subject === undefined || !/^(number|string)$/.test(type)) return undefined;
  const [condition, problem] =
    type === "number"
      ? [`!Number.isFinite(${subject.code})`, "has to be a finite number"]
      : [`${subject.code}.trim() === ""`, "must not be empty"];
  const action = `throw new RangeError(${quote(`${subject.code} ${problem}`)});`;
  return { condition, action, note: `checks ${subject.code} by its type alone: check that this is enough` };
}

/** "empty names", "a negative amount", "undefined": the state ahead of its subject. */
function bareState(text: string, target: Target): string | undefined {
  const match =
    /^(?:an? |the )?(null or undefined|undefined or null|empty|undefined|null|missing|negative|zero)(?: (.+?))?[.!]?$/i.exec(
      text.trim(),
    );
  return match === null ? undefined : stateOf(match[2] ?? "input", match[1] ?? "", target);
}

function plainMessage(text: string): string {
  return text
    .replaceAll("`", "")
    .replace(/[.;,!]+$/, "")
    .trim();
}

function quote(text: string): string {
  return JSON.stringify(text);
}
