// What the tools write for a model, parsed: the demo sees nothing else of the workspace.
import type { DemoCall, Work } from "./conversation.ts";

/** A line of a file as a tool showed it. */
export interface SourceLine {
  line: number;
  text: string;
}

/** The lines of a `read_file` result. */
export function parseNumberedLines(text: string): SourceLine[] {
  return text.split(/\r?\n/).flatMap((line): SourceLine[] => {
    const match = /^(\d+)\t(.*)$/.exec(line);
    return match === null ? [] : [{ line: Number(match[1]), text: match[2] ?? "" }];
  });
}

/** The matching lines of a `search_text` result by file, in the order of the result. */
export function parseMatches(text: string): Map<string, SourceLine[]> {
  const byPath = new Map<string, SourceLine[]>();
  let path = "";
  for (const line of text.split(/\r?\n/)) {
    const match = /^ {2}(\d+): (.*)$/.exec(line);
    if (match === null) path = isPath(line) ? line : path;
    else if (path !== "")
      byPath.set(path, [...(byPath.get(path) ?? []), { line: Number(match[1]), text: match[2] ?? "" }]);
  }
  return byPath;
}

/** The paths of a `find_files` result. */
export function parsePaths(text: string): string[] {
  return text.split(/\r?\n/).filter(isPath);
}

/** Whole files, page by page: their lines, or the calls for the next pages. Unreadable files are left out. */
export function readFiles(paths: readonly string[], work: Work): { files: Map<string, string[]>; missing: DemoCall[] } {
  const files = new Map<string, string[]>();
  const missing: DemoCall[] = [];
  for (const path of paths) {
    const lines: string[] = [];
    for (let start: number | undefined = 1; start !== undefined; ) {
      const call: DemoCall = { name: "read_file", arguments: start === 1 ? { path } : { path, start_line: start } };
      const page = work.outcomeOf(call);
      if (page === undefined) missing.push(call);
      else if (!page.isError) files.set(path, lines);
      lines.push(...parseNumberedLines(page?.text ?? "").map(({ text }) => text));
      const more = /continue at start_line=(\d+)\.\)$/.exec(page?.text ?? "")?.[1];
      start = more === undefined ? undefined : Number(more);
    }
  }
  return { files, missing };
}

/** An unindented line that is no remark on the result. */
function isPath(line: string): boolean {
  return /^[^\s(]/.test(line) && !/^(Nothing matches |No file matches )/.test(line);
}
