import assert from "node:assert/strict";
import fc from "fast-check";
import { requestDetail, visibleText } from "../../../src/extension/approvals/requestText.ts";
import { visible } from "../../../src/webview/text/visible.ts";

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

  it("14 39 96 hides no code point, in a question of the host as in a name of the panel", () => {
    const drawsNothing =
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Variation_Selector}]/u;
    let count = 0;
    for (let code = 0; code <= 0x10_ffff; code++) {
      const character = String.fromCodePoint(code);
      const isHidden = drawsNothing.test(character) || (/\s/u.test(character) && character !== " ");
      if (!isHidden || character === "\n") continue;
      count++;
      if (visibleText(`a${character}b`).includes(character) || visible(`a${character}b`).includes(character))
        assert.fail(`U+${code.toString(16)} can't be seen`);
    }
    assert.ok(count > 4_000);
  });

  it("differs for texts that differ", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\u200b", "⟨", "⟩", "U+200B", "\n", "\r", " ", "\u00a0") });
    fc.assert(fc.property(text, text, (a, b) => a === b || visibleText(a) !== visibleText(b)));
  });

  it("names letters that look like others, in a command, its folder or a file", () => {
    const asker = { agent: { id: "main", depth: 0, prefix: "" }, callId: "call", toolName: "tool" };
    const command = { kind: "command", command: "\u0441url x", cwd: ".", folder: "/w", ...asker } as const;
    assert.equal(requestDetail(command), "in the workspace folder\nLetters look like others in: \u0441url (U+0441)");
    assert.match(requestDetail({ ...command, command: "ls", cwd: "\u0430pp" }), /like others in: \u0430pp/);
    assert.match(requestDetail({ kind: "read", path: ".\u0435nv", ...asker }), /like others in: \u0435nv/);
    assert.equal(requestDetail({ ...command, command: "ls" }), "in the workspace folder");
  });
});
