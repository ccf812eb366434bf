import { type DemoCall, type DemoStep, gather, type Outcome, type Work } from "./conversation.ts";
import { describeTerms, type Query, type Term } from "./query.ts";
import { type Finding, rankFile } from "./ranking.ts";
import { parseMatches, parseNumberedLines, parsePaths, type SourceLine } from "./toolResults.ts";

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
export function explore(query: Query, angles: readonly Angle[], work: Work): DemoStep {
  const looking = angles.flatMap((angle) => searchCalls(angle, query)).filter((call) => work.tools.has(call.name));
  const looked = gather(work, looking);
  if (looked.missing.length > 0) {
    return { type: "calls", text: `Looking for ${describeTerms(query)}.`, calls: looked.missing };
  }
  const candidates = rankCandidates(looked.outcomes, query);
  const read = gather(work, work.tools.has("read_file") ? candidates.slice(0, maxFilesToRead).map(readCall) : []);
  if (read.missing.length > 0) return { type: "calls", text: "Reading the best matches.", calls: read.missing };
  const findings = candidates.flatMap(({ path, hits }, index) => {
    const outcome = read.outcomes[index];
    const lines = outcome === undefined || outcome.isError ? hits : parseNumberedLines(outcome.text);
    return rankFile(path, lines.length === 0 ? hits : lines, query).slice(0, 3);
  });
  const best = findings.toSorted((a, b) => b.points - a.points).slice(0, maxFindings);
  const failed = looked.outcomes.filter((outcome) => outcome.isError).map(({ text }) => text.split("\n")[0] ?? "");
  return { type: "answer", text: formatReport(best, query, [...new Set(failed)]) };
}

interface Candidate {
  path: string;
  hits: SourceLine[];
  line: number;
  points: number;
}

function rankCandidates(outcomes: readonly Outcome[], query: Query): Candidate[] {
  const hits = new Map<string, Map<number, string>>();
  for (const { text } of outcomes.filter((outcome) => !outcome.isError)) {
    const matches = parseMatches(text);
    for (const path of parsePaths(text)) {
      const known = hits.get(path) ?? new Map<number, string>();
      for (const { line, text } of matches.get(path) ?? []) known.set(line, text);
      hits.set(path, known);
    }
  }
  return [...hits].map(([path, found]) => candidateOf(path, found, query)).toSorted((a, b) => b.points - a.points);
}

function candidateOf(path: string, found: ReadonlyMap<number, string>, query: Query): Candidate {
  const hits = [...found].map(([line, text]) => ({ line, text })).toSorted((a, b) => a.line - b.line);
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
    const globs = terms.map(({ exact, forms }) => exact ?? forms[0]?.stem ?? "").filter((stem) => stem.length > 2);
    return [...new Set(globs)]
      .filter((stem) => /^[\p{L}\p{N}_.-]+$/u.test(stem))
      .slice(0, 4)
      .flatMap((stem) => [`**/*${anyCase(stem)}*`, `**/*${anyCase(stem)}*/**`])
      .map((pattern) => ({ name: "find_files", arguments: { pattern, limit: 40 } }));
  }
  const patterns = terms.map(patternOf);
  const pairs = patterns.flatMap((a, index) => patterns.slice(index + 1).map((b) => [a, b])).slice(0, 3);
  const between = angle === "names" ? String.raw`\w*` : ".*";
  const alone =
    angle === "names"
      ? patterns.flatMap((one) => [
          String.raw`\b(${declaring})\s.*(${one})`,
          String.raw`^\s*[\w\s]*(${one})\w*\s*\(.*\{\s*$`,
        ])
      : patterns;
  const searches = [...pairs.map(([a, b]) => `(${a})${between}(${b})|(${b})${between}(${a})`), ...alone];
  return [...new Set(searches)].map((query) => ({
    name: "search_text",
    arguments: { query, regex: true, limit: maxMatches },
  }));
}

/** All that means the term, in the syntax that ripgrep and JavaScript share. Short synonyms would match everything. */
function patternOf({ exact, forms }: Term): string {
  const stems = forms.map(({ stem }) => stem).filter((stem, index) => index === 0 || stem.length >= 4);
  return (exact === undefined ? stems : [exact]).map(escapeRegex).join("|");
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Globs know case; names of files come in either. */
function anyCase(stem: string): string {
  const [first = "", ...rest] = stem;
  return `[${first.toLowerCase()}${first.toUpperCase()}]${rest.join("")}`;
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
    ([, path = "", line, points, reason = "", , text = ""]): Finding => {
      return { path, line: Number(line), text, points: Number(points) / 10, reason };
    },
  );
  return { findings, failed: [...report.matchAll(/^A search failed: (.+)$/gm)].map(([, why = ""]) => why) };
}

/** Code within a sentence, whatever it holds. */
export function inlineCode(text: string): string {
  const maxLength = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(maxLength + 1);
  return maxLength === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
