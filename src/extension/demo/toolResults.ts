// What the tools write for a model, parsed: the demo sees nothing else of the workspace.
import type { Steps } from "./conversation.ts";

/** A line of a file as a tool showed it. */
export interface SourceLine {
  line: number;
  text: string;
}

/** The lines of a `read_file` result. */
export function parseNumberedLines(result: string): SourceLine[] {
  return [...result.matchAll(/^(\d+)\t(.*)$/gm)].map(([, line, text = ""]) => ({ line: Number(line), text }));
}

/** The paths of a `search_text` or `find_files` result, in its order, each with the lines that match. */
export function parseMatches(text: string): Map<string, SourceLine[]> {
  const byPath = new Map<string, SourceLine[]>();
  let lines: SourceLine[] = [];
  for (const row of text.split(/\r?\n/)) {
    const [, line, match = ""] = /^ {2}(\d+): (.*)$/.exec(row) ?? [];
    if (line !== undefined) lines.push({ line: Number(line), text: match });
    else if (isPath(row)) {
      lines = byPath.get(row) ?? [];
      byPath.set(row, lines);
    }
  }
  return byPath;
}

/** Whole files, page by page: their lines. Unreadable files are left out. */
export function* readFiles(paths: readonly string[], text: string): Steps<Map<string, string[]>> {
  const files = new Map<string, string[]>();
  let pages: { path: string; start_line?: number }[] = paths.map((path) => ({ path }));
  while (pages.length > 0) {
    const outcomes = yield { text, calls: pages.map((page) => ({ name: "read_file", arguments: page })) };
    pages = pages.flatMap(({ path }, index) => {
      const page = outcomes[index];
      if (page === undefined || page.isError) return [];
      files.set(path, [...(files.get(path) ?? []), ...parseNumberedLines(page.text).map((line) => line.text)]);
      const more = /continue at start_line=(\d+)\.\)$/.exec(page.text)?.[1];
      return more === undefined ? [] : [{ path, start_line: Number(more) }];
    });
  }
  return files;
}

/** The lines of one file; undefined when it can't be read. */
export function* linesOfFile(path: string): Steps<string[] | undefined> {
  return (yield* readFiles([path], `Reading \`${path}\`.`)).get(path);
}

/** An unindented line that is no remark on the result. */
function isPath(line: string): boolean {
  return /^[^\s(]/.test(line) && !/^(Nothing matches |No file matches )/.test(line);
}
