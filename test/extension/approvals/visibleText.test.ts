import assert from "node:assert/strict";
import fc from "fast-check";
import { visibleText } from "../../../src/extension/approvals/requestText.ts";

describe("what is asked for, shown so that nothing hides", () => {
  const cases: [name: string, text: string, shown: string][] = [
    ["plain text and lines stay", "a b\nc | d > e", "a b\nc | d > e"],
    ["letters of all scripts stay", "echo ünïcode שלום 日本語 🙂", "echo ünïcode שלום 日本語 🙂"],
    ["zero-width space", "r\u200bm", "r⟨U+200B⟩m"],
    ["bidi override", "\u202etxt.sh", "⟨U+202E⟩txt.sh"],
    ["ANSI escape", "\u001b[8mhidden", "⟨U+001B⟩[8mhidden"],
    ["carriage return", "safe\rrm", "safe⟨U+000D⟩rm"],
    ["tab", "a\tb", "a⟨U+0009⟩b"],
    ["no-break space", "a\u00a0b", "a⟨U+00A0⟩b"],
    ["tag characters", "\u{e0072}", "⟨U+E0072⟩"],
    ["variation selector", "a\ufe0f", "a⟨U+FE0F⟩"],
    ["Hangul filler", "a\u3164", "a⟨U+3164⟩"],
    ["blank Braille", "\u2800", "⟨U+2800⟩"],
    ["line separator", "a\u2028b", "a⟨U+2028⟩b"],
    ["private use", "\ue000", "⟨U+E000⟩"],
    ["what imitates this notation", "⟨U+200B⟩", "⟨U+27E8⟩U+200B⟨U+27E9⟩"],
  ];
  for (const [name, text, shown] of cases) it(name, () => assert.equal(visibleText(text), shown));

  it("differs for texts that differ", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\u200b", "⟨", "⟩", "U+200B", "\n", "\r", " ", "\u00a0") });
    fc.assert(fc.property(text, text, (a, b) => a === b || visibleText(a) !== visibleText(b)));
  });
});
