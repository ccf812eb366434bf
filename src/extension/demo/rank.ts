import { type Declaration, findDeclarations, isComment, isImport, type SourceLine } from "./declarations.ts";
import { isExactName, matchText } from "./evidence.ts";
import { pathWeight } from "./pathWeight.ts";
import type { Query } from "./words.ts";

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
const weights = { name: 10, owner: 7, comment: 6, head: 4, sign: 4, body: 3, path: 3 } as const;
/** How much other evidence for the same term adds to the best. */
const echo = 0.25;
const kindWeight: Record<Declaration["kind"], number> = { function: 1, class: 0.75, variable: 0.7, type: 0.5 };

/** A file as far as it was read, and what it declares there. */
interface ReadFile {
  path: string;
  lines: readonly SourceLine[];
  declarations: readonly Declaration[];
}

/** The lines of a file that answer a query best, best first. Lines may come with gaps. */
export function rankFile(path: string, lines: readonly SourceLine[], query: Query): Finding[] {
  const declarations = findDeclarations(lines);
  const file = { path, lines, declarations };
  const findings = query.wantsUses
    ? [...rankLines(file, query)]
    : [
        ...declarations.map((declaration) => rankDeclaration(declaration, file, query)),
        ...rankLines(file, query),
        ...rankName(file, query),
      ];
  const weight = pathWeight(path, query);
  return bestPerLine(findings.map((finding) => ({ ...finding, points: finding.points * weight })));
}

function rankDeclaration(declaration: Declaration, { path, lines, declarations }: ReadFile, query: Query): Finding {
  const { name, line, endLine } = declaration;
  const head = lines.find((candidate) => candidate.line === line)?.text ?? "";
  const owner = declarations.findLast(
    (other) => other.line < line && other.endLine >= endLine && other.indent < declaration.indent,
  );
  const body = lines.filter((candidate) => candidate.line > line && candidate.line <= endLine);
  const bodyText = body.map((candidate) => candidate.text).join("\n");
  const evidence: Record<Exclude<keyof typeof weights, "sign">, number[]> = {
    name: matchText(name, query),
    owner: matchText(owner?.name ?? "", query),
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
    if (term.sign?.test(declaration.kind === "function" ? `${head.replace(name, " ")}\n${bodyText}` : "")) {
      amounts.push(weights.sign);
    }
    if (isExactName(name, term)) amounts.push(2 * weights.name);
    const best = Math.max(0, ...amounts);
    points += best + echo * (amounts.reduce((sum, amount) => sum + amount, 0) - best);
    coverage += Math.min(1, best / weights.comment) / query.terms.length;
  }
  const isLocal = declaration.kind === "variable" && owner?.kind === "function";
  const weight = kindWeight[declaration.kind] * (isLocal ? 0.6 : 1);
  return { path, line, text: head, points: points * spread(coverage) * weight, reason: `declares ${name}` };
}

/** Single lines: code before comments; for a question about uses, anything before the declaration itself. */
function* rankLines({ path, lines, declarations }: ReadFile, query: Query): Generator<Finding> {
  const declared = new Map(declarations.map((declaration) => [declaration.line, declaration.name]));
  const lineWeight = query.wantsUses ? weights.name : weights.head;
  for (const { line, text } of lines) {
    const matches = matchText(text, query);
    const coverage = matches.reduce((sum, match) => sum + match, 0) / Math.max(1, matches.length);
    if (coverage === 0) continue;
    const declares = matchText(declared.get(line) ?? "", query).some((match) => match > 0);
    let weight = isComment(text) ? 0.6 : isImport(text) ? 0.5 : 1;
    if (query.wantsUses && declares) weight = 0.3;
    const exact = query.terms.some((term, index) => term.exact !== undefined && matches[index] === 1) ? 2 : 1;
    const points = lineWeight * matches.length * coverage * spread(coverage) * weight * exact;
    yield { path, line, text, points, reason: isComment(text) ? "says so in a comment" : "mentions it" };
  }
}

/** A file can be the answer by its name alone. */
function rankName({ path, lines }: ReadFile, query: Query): Finding[] {
  const matches = matchText(path.slice(path.lastIndexOf("/") + 1), query);
  const coverage = matches.reduce((sum, match) => sum + match, 0) / Math.max(1, matches.length);
  const first = lines.find(({ text }) => text.trim() !== "");
  if (coverage === 0 || first?.line !== 1) return [];
  const points = weights.path * matches.length * coverage * spread(coverage);
  return [{ path, line: 1, text: first.text, points, reason: "is named like it" }];
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
