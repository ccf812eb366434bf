import assert from "node:assert/strict";
import fc from "fast-check";
import { imageSize } from "../../../../src/webview/features/composer/imageSize.ts";

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...part].map((letter) => letter.charCodeAt(0)) : part)),
  );

describe("the size of a picture", () => {
  const cases: [string, Uint8Array][] = [
    ["PNG", bytes([0x89], "PNG", [13, 10, 26, 10, 0, 0, 0, 13], "IHDR", [0, 0, 1, 44, 0, 0, 0, 200])],
    ["GIF", bytes("GIF89a", [44, 1, 200, 0])],
    ["JPEG", bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 44, 3])],
    [
      "WebP with a lossy picture",
      bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 200, 0]),
    ],
    ["WebP with a lossless picture", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f, 43, 193, 49, 0])],
    [
      "WebP with more than a picture",
      bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 43, 1, 0, 199, 0, 0]),
    ],
  ];
  for (const [kind, head] of cases) {
    it(`is read from a ${kind}`, () => assert.deepEqual(imageSize(head), { width: 300, height: 200 }));
  }

  it("is not known of other files, nor of one that is cut off", () => {
    assert.equal(imageSize(bytes("<svg>")), undefined);
    for (const [, head] of cases) assert.equal(imageSize(head.slice(0, 8)), undefined);
  });

  it("is looked for in any bytes without end or fault", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...cases), (noise, [, head]) => {
        imageSize(noise);
        imageSize(Uint8Array.from([...head.slice(0, 16), ...noise]));
      }),
    );
  });
});
