import { ToolError } from "../common/userError.ts";

/** What ripgrep's error text means for whoever wrote the query; absent for what concerns single files only. */
export function ripgrepProblem(errors: string, query: string): Error | undefined {
  if (errors.includes("regex parse error:") || errors.includes("regex could not be compiled")) {
    return regexProblem(errors, query);
  }
  if (/compiled regex exceeds size limit/i.test(errors)) {
    return new ToolError(`The regex ${JSON.stringify(query)} is too large. Repeat less, or set regex to false.`);
  }
  const glob = /error parsing glob '(.*)': (.*)/.exec(errors);
  if (glob) return new ToolError(`The glob ${JSON.stringify(glob[1])} is invalid: ${glob[2]}.`);
  if (/unrecognized flag|unexpected argument|for more information try/i.test(errors)) {
    return new Error(`ripgrep does not know an option: ${errors.trim()}`);
  }
  return undefined;
}

function regexProblem(errors: string, query: string): ToolError {
  const reason = /^error: (.*)$/m.exec(errors)?.[1] ?? "it does not compile";
  const at = reason.endsWith("group") ? unbalancedGroup(query) : caretPosition(errors);
  const known = at !== undefined && at >= 0 && at < query.length;
  const where = known ? ` at character ${at + 1} (${JSON.stringify(query.slice(at, at + 10))})` : "";
  return new ToolError(
    `The regex ${JSON.stringify(query)} is invalid${where}: ${reason}. Correct it, or set regex to false to find it literally.`,
  );
}

/** ripgrep indents the pattern by four and wraps it in `(?:…)`. */
function caretPosition(errors: string): number | undefined {
  const match = /^ {4}(\(\?:)?.*\n( *)\^/m.exec(errors);
  return match ? (match[2] ?? "").length - 4 - (match[1] ?? "").length : undefined;
}

/** The first closing parenthesis without an opening one, else the last opening one left open; from 0. */
function unbalancedGroup(pattern: string): number | undefined {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if (!inClass && character === "(") open.push(at);
    else if (!inClass && character === ")" && open.pop() === undefined) return at;
  }
  return open.at(-1);
}
