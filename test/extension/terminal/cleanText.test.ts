import assert from "node:assert/strict";
import fc from "fast-check";
import { textCleaner } from "../../../src/extension/terminal/cleanText.ts";

const clean = (...pieces: string[]) => {
  const cleaner = textCleaner();
  return pieces.map(cleaner).join("");
};

describe("output made readable", () => {
  const cases: [name: string, written: string, read: string][] = [
    ["text stays", "naïve 🙂\ttab\n", "naïve 🙂\ttab\n"],
    ["colours go", "\u001b[1;31mred\u001b[0m", "red"],
    ["cursor movements go", "a\u001b[2K\u001b[1Gb", "ab"],
    ["window titles go", "\u001b]0;title\u0007text", "text"],
    ["links keep their words", "\u001b]8;;https://x.test\u001b\\words\u001b]8;;\u001b\\", "words"],
    ["charset choices go", "\u001b(Btext", "text"],
    ["a title without end swallows no more than its line", "\u001b]0;oops\nnext\n", "\nnext\n"],
    ["line ends become one kind", "a\r\nb\rc\n", "a\nb\nc\n"],
    ["NUL and bell are drawn", "a\0b\u0007", "a␀b␇"],
    ["backspace and delete are drawn", "x\u0008\u007f", "x␈␡"],
    ["a lone escape at the end says nothing", "text\u001b", "text"],
  ];
  for (const [name, written, read] of cases) it(name, () => assert.equal(clean(written), read));

  it("is the same however the output was cut into pieces", () => {
    const piece = fc.constantFrom(..."ab\r\n\u001b[]0;1mK\u0007\\(\0é");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(30), (characters, at) => {
        const text = characters.join("");
        assert.equal(clean(text.slice(0, at), text.slice(at)), clean(text));
      }),
    );
  });
});
