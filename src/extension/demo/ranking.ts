import { commentAbove, type Declaration, findDeclarations, isComment, isImport } from "./declarations.ts";
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
  const found = [...declared, ...lines.map((line) => rankLine(path, line, query))].filter(({ points }) => points > 0);
  const weight = pathWeights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  const seen = new Set<number>();
  return found
    .toSorted((a, b) => b.points - a.points || a.line - b.line)
    .filter(({ line }) => !seen.has(line) && seen.add(line))
    .map((finding) => ({ ...finding, points: finding.points * weight }));
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
  const evidence: [weight: number, text: string][] = [
    [weights.name, name],
    [weights.comment, commentAbove(lines, line).join("\n")],
    [weights.head, head.replace(name, " ")],
    [weights.body, bodyText],
    [weights.path, path],
  ];
  const found = evidence.map(([weight, text]) => matchText(text, query).map((match) => match * weight));
  let points = 0;
  let coverage = 0;
  for (const [index, term] of query.terms.entries()) {
    const amounts = found.map((matches) => matches[index] ?? 0);
    if (term.exact !== undefined && term.word.replace(/\(\)$/, "") === name) amounts.push(2 * weights.name);
    const best = Math.max(0, ...amounts);
    // Other evidence for the same term adds a little to the best.
    points += best + 0.25 * (amounts.reduce((sum, amount) => sum + amount, 0) - best);
    coverage += Math.min(1, best / weights.comment) / query.terms.length;
  }
  const weight = kind === "function" ? 1 : indent > 0 ? 0.4 : 0.7;
  return { path, line, text: head, points: points * spread(coverage) * weight, reason: `declares ${name}` };
}

/** A single line: code counts more than a comment. */
function rankLine(path: string, { line, text }: SourceLine, query: Query): Finding {
  const matches = matchText(text, query);
  const sum = matches.reduce((total, match) => total + match, 0);
  const weight = isComment(text) ? 0.6 : isImport(text) ? 0.5 : 1;
  const exact = query.terms.some((term, index) => term.exact !== undefined && matches[index] === 1) ? 2 : 1;
  const points = weights.head * sum * spread(sum / Math.max(1, matches.length)) * weight * exact;
  return { path, line, text, points, reason: isComment(text) ? "says so in a comment" : "mentions it" };
}

/** What says a little of everything that was asked comes before what says much of one thing. */
const spread = (coverage: number) => 0.25 + 0.75 * coverage;

/** Files that count less than code: built files, tests, prose and data. */
const pathWeights: readonly [RegExp, number][] = [
  [/(^|\/)(dist|build|out|vendor|generated|__snapshots__)\/|\.min\.|\.lock$|-lock\.|\.snap$|\.map$/, 0.1],
  [/(^|\/)_*(tests?|specs?|fixtures?|mocks?|examples?)_*\/|[._-](test|spec)\.\w+$|(^|\/)test_\w+/i, 0.35],
  [/\.(md|mdx|rst|txt|adoc)$|(^|\/)docs?\//i, 0.4],
  [/\.(json|ya?ml|toml|ini|xml|csv|svg|css|scss|html?)$/i, 0.6],
];

/** How well a text says each term of a query, 0 to 1, in the order of the terms. */
function matchText(text: string, query: Query): number[] {
  const matches = query.terms.map(({ exact }): number => (exact?.test(text) ? 1 : 0));
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
