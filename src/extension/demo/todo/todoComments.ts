/** A TODO in a file. Lines count from 1. */
export interface TodoComment {
  /** First and last line of the comment. */
  start: number;
  end: number;
  /** What it asks, without its marks. */
  text: string;
  /** Code that stands ahead of the comment on its first line; "" for a comment of its own. */
  codeBefore: string;
}

const opening =
  /(\/\/+|\/\*+|#+|--|<!--|;+|%+|(?<=^\s*)\*)\s*@?\b(?:TODO|FIXME)\b\s*(?:\([^)]*\))?\s*[:\-–—]?\s*(.*)$/i;
const closing = /\s*(\*\/|-->)\s*$/;

/** The TODO and FIXME comments of a file. One that goes on in the comment lines below it is read to its end. */
export function findTodos(lines: readonly string[]): TodoComment[] {
  const todos: TodoComment[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const match = opening.exec(line);
    if (match === null) continue;
    const [, mark = "", first = ""] = match;
    const codeBefore = line.slice(0, match.index).trimEnd();
    const texts = [first.replace(closing, "")];
    let end = index;
    if (codeBefore === "" && !closing.test(first)) {
      for (
        let next = continuation(lines[end + 1], mark);
        next !== undefined;
        next = continuation(lines[end + 1], mark)
      ) {
        texts.push(next.replace(closing, ""));
        end++;
        if (closing.test(next)) break;
      }
    }
    todos.push({ start: index + 1, end: end + 1, text: texts.join(" ").replace(/\s+/g, " ").trim(), codeBefore });
    index = end;
  }
  return todos;
}

/** The text of a further line of the same comment; undefined when the line is none, or begins another thought. */
function continuation(line: string | undefined, mark: string): string | undefined {
  if (line === undefined || opening.test(line)) return undefined;
  const pattern = mark.startsWith("/*") || mark === "*" ? /^\s*\*(?!\/)\s?(.*)$/ : linePattern(mark);
  const text = pattern.exec(line)?.[1];
  return text === undefined || text.trim() === "" || text.trimStart().startsWith("@") ? undefined : text;
}

function linePattern(mark: string): RegExp {
  return new RegExp(`^\\s*${mark.replace(/[/*#;%-]/g, "\\$&")}\\s(.*)$`);
}
