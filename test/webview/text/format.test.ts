import assert from "node:assert/strict";
import {
  formatCost,
  formatDuration,
  formatTokens,
  plural,
  tokensText,
  usageLine,
} from "../../../src/webview/text/format.ts";

const usage = { input: 26_700, output: 4_030, cacheRead: 61_300, cacheWrite: 0, reasoning: 0, cost: 0.1234 };

describe("numbers of the panel", () => {
  it("shortens tokens to at most one digit behind the point", () => {
    const shown = [0, 950, 1_000, 6_420, 41_234, 99_949, 128_000, 999_499, 999_500, 1_240_000].map(formatTokens);
    assert.deepEqual(shown, ["0", "950", "1k", "6.4k", "41.2k", "99.9k", "128k", "999k", "1M", "1.2M"]);
  });

  it("names one token in the singular", () => {
    assert.deepEqual([0, 1, 2, 1_000].map(tokensText), ["0 tokens", "1 token", "2 tokens", "1k tokens"]);
  });

  it("never shows a cost of $0.00", () => {
    assert.deepEqual([0, -1, Number.NaN].map(formatCost), [undefined, undefined, undefined]);
    assert.deepEqual([0.0001, 0.009, 0.01, 1.5, 123.4].map(formatCost), ["<$0.01", "<$0.01", "$0.01", "$1.50", "$123"]);
  });

  it("writes durations in the two units that matter", () => {
    assert.deepEqual([420, 12_400, 62_000, 7_500_000, -5].map(formatDuration), [
      "0.4 s",
      "12 s",
      "1m 02s",
      "2h 05m",
      "0.0 s",
    ]);
  });

  it("knows the plural of Arbor's own languages without the browser's rules, which take a while to make", () => {
    const counts = [0, 1, 2, 5, 11, 21, 101];
    const { PluralRules } = Intl;
    const fail = () => assert.fail("Rules were made.");
    Object.assign(Intl, { PluralRules: fail });
    const known = counts.map((count) => plural(count, "one", "other"));
    Object.assign(Intl, { PluralRules });
    for (const language of ["en", "de"]) {
      const rules = new PluralRules(language);
      assert.deepEqual(
        known,
        counts.map((count) => rules.select(count)),
      );
    }
  });

  it("sums up what the tree took, cached input apart", () => {
    assert.equal(usageLine(usage, true), "In 88k (61.3k cached) · Out 4k · ≈$0.12");
    assert.match(usageLine({ ...usage, cost: 0.004 }, true), / · <\$0\.01$/);
  });

  it("says when there is no price instead of that it was free", () => {
    assert.equal(usageLine({ ...usage, cacheRead: 0, cost: 0 }, false), "In 26.7k · Out 4k · no price");
    assert.equal(usageLine({ ...usage, cacheRead: 0, cost: 0 }, true), "In 26.7k · Out 4k · no cost yet");
  });
});
