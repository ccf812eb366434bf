import assert from "node:assert/strict";
import fc from "fast-check";
import { highlight } from "../../../../src/webview/markdown/highlight/languages.ts";
import {
  type CodeToken,
  createTokenPieces,
  highlightSlices,
  mostHighlighted,
  sliceEnd,
} from "../../../../src/webview/markdown/highlight/tokens.ts";
import { lineChunks } from "../../../../src/webview/markdown/lineChunks.ts";

const textOf = (tokens: readonly CodeToken[]) => tokens.map(({ text }) => text).join("");

function slicesOf(code: string, language: string): CodeToken[][] {
  return [...highlightSlices(code, (slice) => highlight(slice, language))].filter((tokens) => tokens.length > 0);
}

const languages =
  "bash c cpp cs css diff dockerfile go ini java js json kt lua makefile md php py rb rs sh sql swift ts tsx html yml";

describe("tokens of code", () => {
  it("keep every letter in every language, whatever the code is", () => {
    const code = fc
      .array(fc.constantFrom("a", "1", '"', "'", "`", "/*", "*/", "//", "#", "{", "}", "<b>", "${", "\n", " ", "fn "))
      .map((parts) => parts.join(""));
    for (const language of languages.split(" ")) {
      fc.assert(
        fc.property(code, (text) => {
          const found = highlight(text, language);
          assert.equal(textOf(found?.tokens ?? []), text);
        }),
        { numRuns: 50 },
      );
    }
  });

  it("tell what is a keyword, a string and a comment", () => {
    const tokens = highlight('const a = "b"; // c', "ts")?.tokens ?? [];
    const kinds = tokens.filter(({ kind }) => kind !== undefined).map(({ text, kind }) => `${kind} ${text}`);
    assert.deepEqual(kinds, ["keyword const", 'string "b"', "comment // c"]);
  });

  it("are found for no language that is not known", () => {
    assert.equal(highlight("a", "martian"), undefined);
    assert.deepEqual(slicesOf("a", "constructor"), []);
  });

  it("are the same in slices, also where a comment goes over the end of one", () => {
    const part = "export function a(): number {\n  return 1;\n}\n\n";
    const code = `${part.repeat(60)}/*\n${"\nwords of a comment\n".repeat(60)}*/\n\n${part.repeat(60)}`;
    const slices = slicesOf(code, "ts");
    assert.ok(slices.length > 1);
    const merged = slices.flat().filter(({ kind }) => kind !== undefined);
    const whole = (highlight(code, "ts")?.tokens ?? []).filter(({ kind }) => kind !== undefined);
    assert.deepEqual(merged, whole);
  });

  it("end where too much of one block would be coloured", () => {
    const slices = slicesOf("a();\n".repeat(100_000), "ts");
    assert.ok(textOf(slices.flat()).length <= mostHighlighted);
    assert.ok(Math.max(...slices.map((tokens) => textOf(tokens).length)) <= 12_000);
  });

  it("are sliced somewhere also where a line never ends", () => {
    assert.equal(sliceEnd("x".repeat(100_000), 0, 3_000), 12_000);
    assert.equal(sliceEnd("short", 0, 3_000), 5);
  });

  it("are dealt out to the pieces that code is shown in, letter by letter the same", () => {
    const code = fc.array(fc.constantFrom("a", "bc ", "\n", "\n\n", "\n".repeat(80)), { maxLength: 60 });
    fc.assert(
      fc.property(code, fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const text = parts.join("");
        const texts = lineChunks(text);
        const dealt = createTokenPieces(texts);
        for (let at = 0; at < text.length; at += size) {
          dealt.add([{ text: text.slice(at, at + size), kind: "string" }]);
        }
        dealt.add([]);
        assert.deepEqual(
          dealt.pieces.map((piece) => textOf(piece ?? [])),
          texts,
        );
      }),
    );
  });
});
