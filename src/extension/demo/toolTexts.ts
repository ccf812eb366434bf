import type { SourceLine } from "./declarations.ts";

/** What the tools write for a model, read back. The demo sees nothing else of the workspace. */

/** The lines of a `read_file` result. */
export function readNumberedLines(text: string): SourceLine[] {
  return text.split(/\r?\n/).flatMap((line): SourceLine[] => {
    const match = /^(\d+)\t(.*)$/.exec(line);
    return match === null ? [] : [{ line: Number(match[1]), text: match[2] ?? "" }];
  });
}

/** The matching lines of a `search_text` result by file, in the order of the result. */
export function readMatches(text: string): Map<string, SourceLine[]> {
  const byPath = new Map<string, SourceLine[]>();
  let path: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const match = /^ {2}(\d+): (.*)$/.exec(line);
    if (match !== null && path !== undefined) {
      byPath.get(path)?.push({ line: Number(match[1]), text: match[2] ?? "" });
    } else if (isPath(line)) {
      path = line;
      byPath.set(path, []);
    }
  }
  for (const [found, lines] of byPath) if (lines.length === 0) byPath.delete(found);
  return byPath;
}

/** The paths of a `find_files` result. */
export function readPaths(text: string): string[] {
  return text.split(/\r?\n/).filter(isPath);
}

/** Where a `read_file` result says to go on; undefined at the end of the file. */
export function readContinuation(text: string): number | undefined {
  const match = /continue at start_line=(\d+)\.\)$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** Whether a result was cut at the limit of its tool. */
export function isCutShort(text: string): boolean {
  return /^\(.*(narrow the (search|pattern)|do not fit)/m.test(text);
}

/** A line that names a file: it is not indented, and it is no remark on the result. */
function isPath(line: string): boolean {
  return /^[^\s(]/.test(line) && !/^(Nothing matches |No file matches )/.test(line);
}
