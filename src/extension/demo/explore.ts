import type { DemoCall, Outcome, Rule } from "./conversation.ts";
import { inlineCode } from "./markdown.ts";
import { describeTerms, type Query, type Term, verbatim } from "./query.ts";
import { type Finding, rankFile } from "./ranking.ts";
import { parseMatches, parseNumberedLines, type SourceLine } from "./toolResults.ts";

/** From which side an explorer looks. */
export type Angle = "names" | "files" | "text";

const maxFilesToRead = 4;
const linesToRead = 240;
const maxFindings = 5;
const maxMatches = 120;
const maxShownLength = 160;
const declaring =
  "function|class|interface|type|enum|struct|trait|def|fn|fun|func|const|let|var|val|static|public|private|protected|async";

/** One explorer's work: search from its angle, read the most promising files, report lines. */
export function* explore(query: Query, angles: readonly Angle[], tools: ReadonlySet<string>): Rule {
  const searches = angles.flatMap((angle) => searchCalls(angle, query)).filter((call) => tools.has(call.name));
  const looked = yield { text: `Looking for ${describeTerms(query)}.`, calls: searches };
  const candidates = rankCandidates(looked, query);
  const reads = tools.has("read_file") ? candidates.slice(0, maxFilesToRead).map(readCall) : [];
  const pages = yield { text: "Reading the best matches.", calls: reads };
  const findings = candidates.flatMap(({ path, hits }, index) => {
    const page = pages[index];
    const lines = page === undefined || page.isError ? hits : parseNumberedLines(page.text);
    return rankFile(path, lines.length === 0 ? hits : lines, query).slice(0, 3);
  });
  const best = findings.toSorted((a, b) => b.points - a.points).slice(0, maxFindings);
  const failed = looked.filter((outcome) => outcome.isError).map(({ text }) => text.split("\n")[0] ?? "");
  return formatReport(best, query, [...new Set(failed)]);
}

type Candidate = ReturnType<typeof candidateOf>;

function rankCandidates(outcomes: readonly Outcome[], query: Query): Candidate[] {
  const hits = new Map<string, Map<number, SourceLine>>();
  for (const { text } of outcomes.filter((outcome) => !outcome.isError)) {
    for (const [path, lines] of parseMatches(text)) {
      hits.set(path, new Map([...(hits.get(path) ?? []), ...lines.map((hit) => [hit.line, hit] as const)]));
    }
  }
  const candidates = [...hits].map(([path, lines]) => candidateOf(path, [...lines.values()], query));
  return candidates.toSorted((a, b) => b.points - a.points);
}

function candidateOf(path: string, found: readonly SourceLine[], query: Query) {
  const hits = found.toSorted((a, b) => a.line - b.line);
  // A file that was found by its name is judged by its name until it is read.
  const ranked = rankFile(path, hits.length === 0 ? [{ line: 1, text: path }] : hits, query);
  const more = ranked.slice(1, 4).reduce((sum, finding) => sum + finding.points, 0);
  return { path, hits, line: ranked[0]?.line ?? 1, points: (ranked[0]?.points ?? 0) + 0.1 * more };
}

function readCall({ path, line }: Candidate): DemoCall {
  const start = line <= linesToRead * 0.75 ? 1 : line - Math.floor(linesToRead / 3);
  return { name: "read_file", arguments: { path, start_line: start, end_line: start + linesToRead - 1 } };
}

function searchCalls(angle: Angle, { terms }: Query): DemoCall[] {
  if (angle === "files") {
    const stems = new Set(terms.map(({ word, exact, forms }) => (exact === undefined ? (forms[0]?.stem ?? "") : word)));
    const names = [...stems].filter((stem) => /^[\p{L}\p{N}_.-]{3,}$/u.test(stem)).slice(0, 4);
    // Globs know case; names of files come in either.
    const inEitherCase = ([first = "", ...rest]: string) =>
      `**/*[${first.toLowerCase()}${first.toUpperCase()}]${rest.join("")}*`;
    const globs = names.map(inEitherCase).flatMap((glob) => [glob, `${glob}/**`]);
    return globs.map((pattern) => ({ name: "find_files", arguments: { pattern, limit: 40 } }));
  }
  const patterns = terms.map(patternOf);
  const pairs = patterns.flatMap((a, index) => patterns.slice(index + 1).map((b) => [a, b])).slice(0, 3);
  const inName = (one: string) => [
    String.raw`\b(${declaring})\s.*(${one})`,
    String.raw`^\s*[\w\s]*(${one})\w*\s*\(.*\{\s*$`,
  ];
  const [between, alone] = angle === "names" ? [String.raw`\w*`, patterns.flatMap(inName)] : [".*", patterns];
  const searches = new Set([...pairs.map(([a, b]) => `(${a})${between}(${b})|(${b})${between}(${a})`), ...alone]);
  return [...searches].map((query) => ({ name: "search_text", arguments: { query, regex: true, limit: maxMatches } }));
}

/** All that means the term, in the syntax that ripgrep and JavaScript share. Short synonyms would match everything. */
function patternOf({ word, exact, forms }: Term): string {
  const stems = forms.map(({ stem }) => stem).filter((stem, index) => index === 0 || stem.length >= 4);
  return (exact === undefined ? stems : [word]).map(verbatim).join("|");
}

/** An explorer's report: for a reader, and for the agent that merges it with others. */
function formatReport(findings: readonly Finding[], query: Query, failed: readonly string[]): string {
  const failures = failed.map((failure) => `A search failed: ${failure}`);
  if (findings.length === 0) return [`Nothing found for ${describeTerms(query)}.`, ...failures].join("\n");
  // One line a finding, which `parseReport` reads back.
  const lines = findings.map(
    ({ path, line, text, points, reason }) =>
      `- \`${path}:${line}\` (${Math.round(points * 10)} points, ${reason}): ${inlineCode(text.trim().slice(0, maxShownLength))}`,
  );
  return [`Found for ${describeTerms(query)}, best first:`, "", ...lines, ...failures].join("\n");
}

/** The findings of a report, and why searches failed. */
export function parseReport(report: string): { findings: Finding[]; failed: string[] } {
  const findings = [...report.matchAll(/^- `(.+):(\d+)` \((\d+) points, (.*?)\): (`+) ?(.*?) ?\5$/gm)].map(
    ([, path = "", line, points, reason = "", , text = ""]): Finding => ({
      ...{ path, line: Number(line), text, points: Number(points) / 10, reason },
    }),
  );
  return { findings, failed: [...report.matchAll(/^A search failed: (.+)$/gm)].map(([, why = ""]) => why) };
}
