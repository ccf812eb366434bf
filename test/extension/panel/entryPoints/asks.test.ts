import assert from "node:assert/strict";
import { parseAskArguments } from "../../../../src/extension/chat/compose/askCommand.ts";
import { mentionsIn } from "../../../../src/extension/chat/compose/attach/mentions.ts";
import {
  explain,
  explainFailure,
  fix,
  fixFile,
  reviewChanges,
} from "../../../../src/extension/panel/entryPoints/asks.ts";

describe("what the editor's entries ask", () => {
  it("is something that arbor.ask takes, unchanged", () => {
    const asks = [
      explain({ kind: "selection", path: "a.ts", startLine: 3, endLine: 5 }),
      explain({ kind: "text", name: "Untitled-1", text: "x" }),
      fix("a.ts", [{ line: 3, message: "bad", source: "ts(1)" }]),
      fixFile("a.ts"),
      explainFailure(undefined),
      explainFailure("Error: no"),
      reviewChanges(),
    ];
    for (const ask of asks) assert.deepEqual(parseAskArguments(ask), ask);
  });

  it("names each problem with its line and who found it, and attaches the lines", () => {
    const problems = [
      { line: 9, message: "Cannot find name 'x'.\n", source: "ts(2304)" },
      { line: 4, message: "Unused." },
    ];
    assert.deepEqual(fix("src/a.ts", problems), {
      prompt: "Fix these problems in src/a.ts:\n- line 9: Cannot find name 'x'. (ts(2304))\n- line 4: Unused.",
      attachments: [{ kind: "selection", path: "src/a.ts", startLine: 4, endLine: 9 }],
    });
  });

  it("95 attaches nothing that the text of a problem or the name of a file mentions", () => {
    const { prompt } = fix("a @.env/b.ts", [{ line: 1, message: "(@.env) @terminal\n@problems", source: "@diff" }]);
    assert.deepEqual(mentionsIn(prompt ?? ""), []);
  });

  it("attaches what is selected in a terminal, and else the last command", () => {
    assert.deepEqual(explainFailure("boom").attachments, [{ kind: "text", name: "terminal selection", text: "boom" }]);
    assert.deepEqual(explainFailure(" \n").attachments, [{ kind: "terminal" }]);
  });
});

describe("what arbor.ask is given", () => {
  const uri = { scheme: "file", toString: () => "file:///ws/a.ts" };
  const cases: [string, unknown, object][] = [
    ["a text alone", "Why?", { prompt: "Why?" }],
    ["a path", { attachments: ["src/a.ts:2-3"] }, { attachments: [{ name: "src/a.ts:2-3" }] }],
    ["an address", { attachments: [uri] }, { attachments: [{ name: "file:///ws/a.ts" }] }],
    [
      "a path with lines",
      { attachments: [{ path: "a.ts", startLine: 2, endLine: 3 }] },
      { attachments: [{ name: "a.ts", startLine: 2, endLine: 3 }] },
    ],
    [
      "a location of the editor",
      { attachments: [{ uri, range: { start: { line: 1, character: 4 }, end: { line: 3, character: 0 } } }] },
      { attachments: [{ name: "file:///ws/a.ts", startLine: 2, endLine: 3 }] },
    ],
    ["a problem report", { attachments: [{ kind: "problems" }] }, { attachments: [{ kind: "problems" }] }],
    ["what a menu gives", uri, {}],
    ["nothing", undefined, {}],
  ];
  for (const [name, given, expected] of cases) {
    it(`may be ${name}`, () => assert.deepEqual(parseAskArguments(given), expected));
  }

  for (const wrong of [{ prompt: 5 }, { prompt: " " }, { prompt: "x", attachments: "a.ts" }, { attachments: [{}] }]) {
    it(`is refused with words that name what is wrong: ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => parseAskArguments(wrong), /arbor\.ask can't use "(?:prompt|attachments[\d.]*)"\. It takes/);
    });
  }
});
