import assert from "node:assert/strict";
import { fenceInfo } from "../../../src/webview/markdown/convert.ts";

describe("what stands behind the opening of a fence", () => {
  for (const [info, language, path] of [
    ["ts", "ts", undefined],
    ["ts src/a.ts", "ts", "src/a.ts"],
    ["ts:src/a.ts", "ts", "src/a.ts"],
    ["src/a.ts", "ts", "src/a.ts"],
    ["Dockerfile", "Dockerfile", undefined],
    ['python title="lib/b.py" {1,3}', "python", "lib/b.py"],
    ["js path=./c.js", "js", "./c.js"],
    ["{.rust file=src/lib.rs}", "rust", "src/lib.rs"],
    ["c++ numberLines", "c++", undefined],
    ["sh $ npm test", "sh", undefined],
    ["json { a: 1.5 }", "json", undefined],
    ["", "", undefined],
  ] as const) {
    it(`is ${path === undefined ? "no file" : path} in "${info}", and ${language || "no language"}`, () => {
      assert.deepEqual(fenceInfo(info), { language, ...(path !== undefined && { path }) });
    });
  }
});
