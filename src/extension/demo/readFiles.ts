import type { Call, Outcome, Work } from "./step.ts";
import { readContinuation, readNumberedLines } from "./toolTexts.ts";

/** Whole files, page by page: their lines, or the calls that bring the next pages. What can't be read is left out. */
export function readFiles(paths: readonly string[], work: Work): { files: Map<string, string[]>; missing: Call[] } {
  const files = new Map<string, string[]>();
  const missing: Call[] = [];
  for (const path of paths) {
    const { pages, next } = readPages(path, work);
    if (next !== undefined) missing.push(next);
    else if (!pages[0]?.isError)
      files.set(
        path,
        pages.flatMap((page) => readNumberedLines(page.text)).map(({ text }) => text),
      );
  }
  return { files, missing };
}

function readPages(path: string, work: Work): { pages: Outcome[]; next?: Call } {
  const pages: Outcome[] = [];
  for (let start: number | undefined = 1; start !== undefined; ) {
    const call: Call = { name: "read_file", arguments: start === 1 ? { path } : { path, start_line: start } };
    const page = work.outcomeOf(call);
    if (page === undefined) return { pages, next: call };
    pages.push(page);
    start = page.isError ? undefined : readContinuation(page.text);
  }
  return { pages };
}
