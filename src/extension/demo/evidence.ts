import { isFormOf, type Query, splitIdentifier, type Term } from "./words.ts";

/** How well a text says each term of a query, 0 to 1, in the order of the terms. */
export function matchText(text: string, query: Query): number[] {
  const lower = text.toLowerCase();
  const matches = query.terms.map((term): number => (hasExact(lower, term) ? 1 : 0));
  for (const word of new Set(splitIdentifier(text))) {
    const best = bestTerm(word, query.terms);
    if (best !== undefined && best.match > (matches[best.index] ?? 0)) matches[best.index] = best.match;
  }
  return matches;
}

/** Whether a name is what is asked for, letter by letter. */
export function isExactName(name: string, term: Term): boolean {
  return term.exact !== undefined && term.exact.replace(/\(\)$/, "") === name;
}

/** A word speaks for one term alone: "total" in a name does not say both that and how something is computed. */
function bestTerm(word: string, terms: readonly Term[]): { index: number; match: number } | undefined {
  let best: { index: number; match: number } | undefined;
  for (const [index, term] of terms.entries()) {
    const match = matchWord(word, term);
    if (match > (best?.match ?? 0)) best = { index, match };
  }
  return best;
}

function hasExact(lowerText: string, term: Term): boolean {
  if (term.exact === undefined) return false;
  const exact = term.exact.toLowerCase();
  const at = lowerText.indexOf(exact);
  if (at < 0) return false;
  const isWord = /^[\p{L}\p{N}_$]+$/u.test(exact);
  return !isWord || !/[\p{L}\p{N}_$]/u.test(`${lowerText[at - 1] ?? " "}${lowerText[at + exact.length] ?? " "}`);
}

/** How well a word (lower case) says what the term asks: 0 to 1. */
function matchWord(word: string, term: Term): number {
  let best = 0;
  for (const { stem, weight } of term.forms) {
    if (weight > best && isFormOf(word, stem)) best = weight;
  }
  return best;
}
