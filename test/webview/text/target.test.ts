import assert from "node:assert/strict";
import { labelOf, targetOf } from "../../../src/webview/text/target.ts";

describe("target of a tool call", () => {
  const cases: [string, unknown, string][] = [
    ["a path", { path: "src/auth.ts" }, "src/auth.ts"],
    ["a path with lines", { path: "src/auth.ts", start_line: 1, end_line: 120 }, "src/auth.ts 1-120"],
    ["a path with only an end", { path: "a.ts", end_line: 9 }, "a.ts 1-9"],
    ["a path before a query", { query: "x", path: "src" }, "src"],
    ["a query in quotation marks", { query: "login" }, '"login"'],
    ["a command on one line", { command: "npm test\n&& rm x" }, "npm test && rm x"],
    [
      "the agents of a fan-out",
      { tasks: [{ agent: "explore" }, { agent: "edit" }, { agent: 3 }] },
      "explore, edit, agent",
    ],
    ["the first file of a patch", { patch: "*** Begin Patch\n*** Update File: a/b.ts\n@@" }, "a/b.ts"],
    ["nothing for arguments without a name", { depth: 3 }, ""],
    ["nothing for no arguments", undefined, ""],
    ["nothing for a list", ["a"], ""],
  ];
  for (const [name, args, expected] of cases) {
    it(`is ${name}`, () => assert.equal(targetOf(args).text, expected));
  }

  it("is found in arguments that are still being written", () => {
    assert.equal(targetOf('{"path":"src/a \\"b\\".ts","content":"half a fi').text, 'src/a "b".ts');
    assert.equal(targetOf('{"path":"src/a').text, "");
  });

  it("writes out characters that would hide or reorder a path", () => {
    assert.equal(targetOf({ path: "a\u202egpj.ts\u200b" }).text, "a\\u{202e}gpj.ts\\u{200b}");
  });

  it("keeps the path and the line to open", () => {
    assert.deepEqual(targetOf({ path: "a.ts", line: 4 }), { text: "a.ts 4", path: "a.ts", line: 4 });
  });

  it("names a tool that has no label of its own", () => {
    assert.equal(labelOf("read_file"), "Read file");
    assert.equal(labelOf("read_file", "Read"), "Read");
  });
});
