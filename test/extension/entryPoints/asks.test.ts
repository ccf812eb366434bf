import assert from "node:assert/strict";
import { parseAskArguments } from "../../../src/extension/chat/compose/askCommand.ts";
import { explain, explainFailure, fix, fixFile, reviewChanges } from "../../../src/extension/entryPoints/asks.ts";

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

  it("attaches what is selected in a terminal, and else the last command", () => {
    assert.deepEqual(explainFailure("boom").attachments, [{ kind: "text", name: "terminal selection", text: "boom" }]);
    assert.deepEqual(explainFailure(" \n").attachments, [{ kind: "terminal" }]);
  });
});
