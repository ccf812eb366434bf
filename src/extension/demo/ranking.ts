import { type Declaration, findDeclarations, isComment, isImport } from "./declarations.ts";
import { isFormOf, type Query, splitIdentifier, type Term } from "./query.ts";
import type { SourceLine } from "./toolResults.ts";

/** A line that may answer a question. */
export interface Finding {
  path: string;
  line: number;
  text: string;
  points: number;
  /** Why it may, in a few words. */
  reason: string;
}

/** What of a declaration speaks for it, and how much. */
const weights = { name: 10, comment: 6, head: 4, body: 3, path: 3 } as const;

/** The lines of a file that answer a query best, best first. Lines may come with gaps. */
export function rankFile(path: string, lines: readonly SourceLine[], query: Query): Finding[] {
  const declared = findDeclarations(lines).map((declaration) => rankDeclaration(declaration, lines, path, query));
  const weight = pathWeights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  return bestPerLine(
    [...declared, ...rankLines(path, lines, query)].map((found) => ({ ...found, points: found.points * weight })),
  );
}

function rankDeclaration(
  { name, kind, line, endLine, indent }: Declaration,
  lines: readonly SourceLine[],
  path: string,
  query: Query,
): Finding {
  const head = lines.find((candidate) => candidate.line === line)?.text ?? "";
  const body = lines.filter((candidate) => candidate.line > line && candidate.line <= endLine);
  const bodyText = body.map((candidate) => candidate.text).join("\n");
  const evidence: Record<keyof typeof weights, number[]> = {
    name: matchText(name, query),
    comment: matchText(commentAbove(lines, line), query),
    head: matchText(head.replace(name, " "), query),
    body: matchText(bodyText, query),
    path: matchText(path, query),
  };
  let points = 0;
  let coverage = 0;
  for (const [index, term] of query.terms.entries()) {
    const amounts = Object.entries(evidence).map(([source, matches]) => {
      // The keys of `evidence` are those of `weights`.
      return (matches[index] ?? 0) * weights[source as keyof typeof evidence];
    });
    if (term.exact?.replace(/\(\)$/, "") === name) amounts.push(2 * weights.name);
    const best = Math.max(0, ...amounts);
    // Other evidence for the same term adds a little to the best.
    points += best + 0.25 * (amounts.reduce((sum, amount) => sum + amount, 0) - best);
    coverage += Math.min(1, best / weights.comment) / query.terms.length;
  }
  const weight = kind === "function" ? 1 : indent > 0 ? 0.4 : 0.7;
  return { path, line, text: head, points: points * spread(coverage) * weight, reason: `declares ${name}` };
}

/** Single lines: code before comments. */
function* rankLines(path: string, lines: readonly SourceLine[], query: Query): Generator<Finding> {
  for (const { line, text } of lines) {
    const matches = matchText(text, query);
    const coverage = coverageOf(matches);
    if (coverage === 0) continue;
    const weight = isComment(text) ? 0.6 : isImport(text) ? 0.5 : 1;
    const exact = query.terms.some((term, index) => term.exact !== undefined && matches[index] === 1) ? 2 : 1;
    const points = weights.head * matches.length * coverage * spread(coverage) * weight * exact;
    yield { path, line, text, points, reason: isComment(text) ? "says so in a comment" : "mentions it" };
  }
}

function coverageOf(matches: readonly number[]): number {
  return matches.reduce((sum, match) => sum + match, 0) / Math.max(1, matches.length);
}

/** What says a little of everything that was asked comes before what says much of one thing. */
function spread(coverage: number): number {
  return 0.25 + 0.75 * coverage;
}

function commentAbove(lines: readonly SourceLine[], line: number): string {
  const texts: string[] = [];
  for (let above = line - 1; ; above--) {
    const candidate = lines.find((other) => other.line === above);
    if (candidate === undefined || !(isComment(candidate.text) || /^\s*@/.test(candidate.text))) break;
    texts.push(candidate.text);
  }
  return texts.join("\n");
}

function bestPerLine(findings: readonly Finding[]): Finding[] {
  const sorted = findings.filter(({ points }) => points > 0).toSorted((a, b) => b.points - a.points || a.line - b.line);
  const seen = new Set<number>();
  return sorted.filter(({ line }) => !seen.has(line) && seen.add(line));
}

/** Files that count less than code: built files, tests, prose and data. */
const pathWeights: readonly [RegExp, number][] = [
  [/(^|\/)(dist|build|out|vendor|generated|__snapshots__)\/|\.min\.|\.lock$|-lock\.|\.snap$|\.map$/, 0.1],
  [/(^|\/)_*(tests?|specs?|fixtures?|mocks?|examples?)_*\/|[._-](test|spec)\.\w+$|(^|\/)test_\w+/i, 0.35],
  [/\.(md|mdx|rst|txt|adoc)$|(^|\/)docs?\//i, 0.4],
  [/\.(json|ya?ml|toml|ini|xml|csv|svg|css|scss|html?)$/i, 0.6],
];

/** How well a text says each term of a query, 0 to 1, in the order of the terms. */
function matchText(text: string, query: Query): number[] {
  const lower = text.toLowerCase();
  const matches = query.terms.map((term): number => (hasExact(lower, term) ? 1 : 0));
  for (const word of new Set(splitIdentifier(text))) {
    // A word speaks for one term alone: "total" in a name does not say both that and how something is computed.
    const weightOf = (term: Term) => Math.max(0, ...term.forms.map((f) => (isFormOf(word, f.stem) ? f.weight : 0)));
    const weights = query.terms.map(weightOf);
    const best = Math.max(...weights);
    const index = weights.indexOf(best);
    if (best > (matches[index] ?? 0)) matches[index] = best;
  }
  return matches;
}

function hasExact(lowerText: string, term: Term): boolean {
  if (term.exact === undefined) return false;
  const exact = term.exact.toLowerCase();
  const at = lowerText.indexOf(exact);
  if (at < 0) return false;
  const isWord = /^[\p{L}\p{N}_$]+$/u.test(exact);
  return !isWord || !/[\p{L}\p{N}_$]/u.test(`${lowerText[at - 1] ?? " "}${lowerText[at + exact.length] ?? " "}`);
}
