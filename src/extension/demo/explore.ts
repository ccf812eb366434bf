import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { SourceLine } from "./declarations.ts";
import { rankFile } from "./rank.ts";
import { reportFindings } from "./report.ts";
import { type Angle, fileGlobs, searches } from "./searches.ts";
import { type Call, gather, type Outcome, type Step, type Work } from "./step.ts";
import { readMatches, readNumberedLines, readPaths } from "./toolTexts.ts";
import type { Query } from "./words.ts";

const filesToRead = 4;
const linesToRead = 240;
const findingsToReport = 5;
/** Uses are asked for as a list. */
const usesToReport = 15;

/** One explorer's work: search from its angle, read what looks best, report lines. */
export function explore(query: Query, angles: readonly Angle[], work: Work): Step {
  const looking = angles.flatMap((angle) => lookCalls(angle, query)).filter((call) => work.tools.has(call.name));
  const looked = gather(work, looking);
  if (looked.missing.length > 0) {
    const words = query.terms.map((term) => `“${term.word}”`).join(", ");
    return { type: "calls", text: `Looking for ${words}.`, calls: looked.missing };
  }
  const candidates = rankCandidates(looking, looked.outcomes, query);
  const reading = work.tools.has("read_file")
    ? candidates.slice(0, query.wantsUses ? 0 : filesToRead).map(readCall)
    : [];
  const read = gather(work, reading);
  if (read.missing.length > 0) {
    return {
      type: "calls",
      text: `Reading ${read.missing.length === 1 ? "the best file" : "the best files"}.`,
      calls: read.missing,
    };
  }
  const findings = candidates.flatMap(({ path, hits }, index) => {
    const outcome = read.outcomes[index];
    const lines = outcome === undefined || outcome.isError ? hits : readNumberedLines(outcome.text);
    return rankFile(path, lines.length === 0 ? hits : lines, query).slice(0, query.wantsUses ? usesToReport : 3);
  });
  const count = query.wantsUses ? usesToReport : findingsToReport;
  const best = findings.toSorted((a, b) => b.points - a.points).slice(0, count);
  return { type: "answer", text: reportFindings(best, query, faultsOf(looked.outcomes)) };
}

interface Candidate {
  path: string;
  hits: SourceLine[];
  /** The line to read around. */
  line: number;
  points: number;
}

function lookCalls(angle: Angle, query: Query): Call[] {
  switch (angle) {
    case "files":
      return [
        { name: "list_files", arguments: { depth: 2 } },
        ...fileGlobs(query).map((pattern) => ({ name: "find_files", arguments: { pattern, limit: 40 } })),
      ];
    case "names":
    case "text":
      return searches(angle, query).map((search) => ({ name: "search_text", arguments: { ...search } }));
    default:
      return assertNever(angle);
  }
}

function rankCandidates(calls: readonly Call[], outcomes: readonly Outcome[], query: Query): Candidate[] {
  const hits = new Map<string, Map<number, string>>();
  for (const [index, { name }] of calls.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome.isError) continue;
    if (name === "find_files")
      for (const path of readPaths(outcome.text)) if (!hits.has(path)) hits.set(path, new Map());
    if (name !== "search_text") continue;
    for (const [path, lines] of readMatches(outcome.text)) {
      const known = hits.get(path) ?? new Map<number, string>();
      for (const { line, text } of lines) known.set(line, text);
      hits.set(path, known);
    }
  }
  return [...hits].map(([path, found]) => candidateOf(path, found, query)).toSorted((a, b) => b.points - a.points);
}

function candidateOf(path: string, found: ReadonlyMap<number, string>, query: Query): Candidate {
  const hits = [...found].map(([line, text]) => ({ line, text })).toSorted((a, b) => a.line - b.line);
  // A file that was found by its name is judged by its name until it is read.
  const ranked = rankFile(path, hits.length === 0 ? [{ line: 1, text: path }] : hits, query);
  const best = ranked[0];
  const more = ranked.slice(1, 4).reduce((sum, finding) => sum + finding.points, 0);
  return { path, hits, line: best?.line ?? 1, points: (best?.points ?? 0) + 0.1 * more };
}

function readCall({ path, line }: Candidate): Call {
  const start = line <= linesToRead * 0.75 ? 1 : line - Math.floor(linesToRead / 3);
  return { name: "read_file", arguments: { path, start_line: start, end_line: start + linesToRead - 1 } };
}

function faultsOf(outcomes: readonly Outcome[]): string[] {
  return [
    ...new Set(outcomes.filter((outcome) => outcome.isError).map((outcome) => outcome.text.split("\n")[0] ?? "")),
  ];
}
