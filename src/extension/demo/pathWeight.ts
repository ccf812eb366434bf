import { type Query, splitIdentifier } from "./words.ts";

const kinds: readonly { words: readonly string[]; pattern: RegExp; weight: number }[] = [
  {
    words: ["dist", "build", "vendor", "generated", "lock"],
    pattern:
      /(^|\/)(dist|build|out|vendor|node_modules|generated|__snapshots__)\/|\.min\.|\.lock$|-lock\.|\.snap$|\.map$/,
    weight: 0.1,
  },
  {
    words: ["test", "tests", "spec", "fixture", "mock", "example"],
    pattern:
      /(^|\/)(tests?|__tests__|specs?|fixtures?|mocks?|__mocks__|examples?|stories)\/|[._-](test|spec|stories)\.\w+$|(^|\/)test_\w+/i,
    weight: 0.35,
  },
  {
    words: ["readme", "docs", "documentation", "changelog"],
    pattern: /\.(md|mdx|rst|txt|adoc)$|(^|\/)docs?\//i,
    weight: 0.4,
  },
  { words: [], pattern: /\.(json|ya?ml|toml|ini|xml|csv|svg|css|scss|html?)$/i, weight: 0.6 },
];

/** How much a finding in this file counts: code comes before tests, tests before prose, unless these are asked for. */
export function pathWeight(path: string, query: Query): number {
  const asked = new Set(splitIdentifier(query.text));
  const kind = kinds.find(({ pattern, words }) => pattern.test(path) && !words.some((word) => asked.has(word)));
  return kind?.weight ?? 1;
}
