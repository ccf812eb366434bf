import assert from "node:assert/strict";
import { writtenSoFar } from "../../../../src/webview/features/conversation/writtenSoFar.ts";

const lastLines = (text: string) => text.split("\n").slice(-8).join("\n");

describe("what a streaming edit has come to", () => {
  it("is at each piece the end of the text that has come", () => {
    const content = 'const a = "x\\n";\n\tif (a) {\n  // "content": "none" \u2028 ü 👍 \u0007\n}\n'.repeat(6);
    const whole = JSON.stringify({ path: "src/a.ts", content });
    const start = whole.indexOf('"content":"') + '"content":"'.length;
    for (let end = start; end <= whole.length; end++) {
      const come = /^(?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*/.exec(whole.slice(start, end))?.[0] ?? "";
      const expected = lastLines(JSON.parse(`"${come}"`));
      assert.deepEqual(writtenSoFar(whole.slice(0, end)), { text: expected, isRemoved: false });
    }
    assert.equal(writtenSoFar(whole).text, lastLines(content));
  });

  it("says what is replaced apart from what replaces it", () => {
    const json = '{"path":"a.ts","edits":[{"old_text":"one\\ntwo';
    assert.deepEqual(writtenSoFar(json), { text: "one\ntwo", isRemoved: true });
    assert.deepEqual(writtenSoFar(`${json}","new_text":"thr`), { text: "thr", isRemoved: false });
  });

  it("is empty before there is any text", () => {
    for (const json of ["", "{", '{"path":"src/a.ts"', '{"path":"a","cont', '{"path":"a","content":"'])
      assert.equal(writtenSoFar(json).text, "");
  });

  it("reads no more than the end of a long text", () => {
    const content = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");
    const json = JSON.stringify({ path: "a.txt", content }).slice(0, -2);
    assert.equal(writtenSoFar(json).text, lastLines(content));
  });
});
