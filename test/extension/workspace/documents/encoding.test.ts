import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decodeText,
  editorLineEnds,
  encodeText,
  imageType,
  isBinary,
  type OwnEncoding,
} from "../../../../src/extension/workspace/documents/encoding.ts";
import { tries } from "../../../support/soak.ts";

const encodings: OwnEncoding[] = ["utf8", "utf8bom", "utf16le", "utf16be"];

describe("Encodings", () => {
  it("24 give back the bytes of every text in every encoding", () => {
    fc.assert(
      fc.property(fc.constantFrom(...encodings), fc.string({ unit: "grapheme" }), (encoding, text) => {
        fc.pre(encoding !== "utf8" || !text.startsWith("\uFEFF"));
        const bytes = encodeText(text, encoding) ?? assert.fail("not encoded");
        assert.deepEqual(decodeText(bytes), { text, encoding });
      }),
    );
  });

  it("24 take no bytes that they would not give back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const decoded = decodeText(bytes);
        if (!decoded) return;
        const back = encodeText(decoded.text, decoded.encoding) ?? assert.fail("not encoded");
        assert.deepEqual([...back], [...bytes]);
      }),
      tries("encodings"),
    );
  });

  it("24 refuse Latin-1, broken UTF-8 and broken UTF-16", () => {
    for (const bytes of [
      [0x61, 0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xef, 0xbb, 0xbf, 0xff],
    ])
      assert.equal(decodeText(Uint8Array.from(bytes)), undefined);
    assert.equal(decodeText(Uint8Array.of(0x63, 0x61, 0x66, 0xe9)), undefined);
    assert.equal(decodeText(Uint8Array.of(0xff, 0xfe, 0x00, 0xd8)), undefined);
  });

  it("refuse a text with half a character", () => assert.equal(encodeText("a\uD83D", "utf8"), undefined));

  it("recognize binary files and images by their bytes", () => {
    assert.equal(isBinary(Uint8Array.of(0x61, 0x00)), true);
    assert.equal(isBinary(Uint8Array.of(0xff, 0xfe, 0x61, 0x00)), false);
    assert.equal(imageType(Buffer.from("\x89PNG\r\n\x1a\n....", "latin1")), "image/png");
    assert.equal(imageType(Buffer.from("RIFF....WEBPVP8", "latin1")), "image/webp");
    assert.equal(imageType(Buffer.from("<svg></svg>")), undefined);
  });
});

describe("Line ends as the editor keeps them", () => {
  for (const [text, expected] of [
    ["", "\n"],
    ["a\nb", "\n"],
    ["a\r\nb\r\n", "\r\n"],
    ["a\r\nb\n", "mixed"],
    ["a\rb\r", "mixed"],
  ] as const) {
    it(`are ${JSON.stringify(expected)} for ${JSON.stringify(text)}`, () =>
      assert.equal(editorLineEnds(text), expected));
  }
});
