import assert from "node:assert/strict";
import { lookalikes } from "../../src/protocol/lookalikes.ts";

describe("words that could be taken for others", () => {
  for (const [text, found] of [
    ["pаypal-cli login", "pаypal (U+0430)"],
    ["сurl https://example.com", "сurl (U+0441)"],
    ["ср a.txt b.txt", "ср (U+0441 U+0440)"],
    ["src/аuth.ts", "аuth (U+0430)"],
    ["src/сору.ts", "сору (U+0441 U+043E U+0440 U+0443)"],
    ["ｃurl x", "ｃurl (U+FF43)"],
    ["𝐫𝐦 x", "𝐫𝐦 (U+1D42B U+1D426)"],
    ["gοogle/readme.md", "gοogle (U+03BF)"],
    ["nоde (x)", "nоde (U+043E)"],
    ["src/cafe\u0301.ts", "cafe\u0301 (U+0301)"],
  ] as const) {
    it(`14 39 are found in ${text}`, () => assert.deepEqual(lookalikes(text), [found]));
  }

  for (const text of [
    "npm test -- --grep 'größe'",
    "docs/日本語.md README",
    "документы/отчёт.txt",
    "cat ελληνικά.txt",
    "echo 'Δx = 5 μm, 10 kΩ'",
    "한국어 mixed with 中文 and カタカナ.ts",
    "src/שלום.ts",
    "café/naïve.ts",
    "x² ½ ™ 🙂",
  ]) {
    it(`are none in ${text}`, () => assert.deepEqual(lookalikes(text), []));
  }
});
