import assert from "node:assert/strict";
import type { FileDiagnostic } from "../../../src/extension/workspace/workspace.ts";
import { toolBench } from "../../support/editorTools.ts";

const problem = (path: string, more: Partial<FileDiagnostic> = {}): FileDiagnostic => ({
  path,
  line: 3,
  column: 5,
  severity: "error",
  message: "Cannot find name 'x'.",
  ...more,
});

describe("get_diagnostics", () => {
  const files = { "src/a.ts": "", "lib/b.ts": "" };

  it("gives errors before warnings, with place and source", async () => {
    const { call } = toolBench({
      files,
      diagnostics: [
        problem("lib/b.ts", { severity: "warning", message: "Unused." }),
        problem("src/a.ts", { source: "ts" }),
      ],
    });
    assert.equal(
      (await call("get_diagnostics", {})).text,
      "src/a.ts:3:5 error: Cannot find name 'x'. (ts)\nlib/b.ts:3:5 warning: Unused.",
    );
  });

  it("keeps to a file or a folder", async () => {
    const { call } = toolBench({ files, diagnostics: [problem("src/a.ts"), problem("lib/b.ts")] });
    assert.equal((await call("get_diagnostics", { path: "lib" })).text, "lib/b.ts:3:5 error: Cannot find name 'x'.");
    assert.equal(
      (await call("get_diagnostics", { path: "src/a.ts" })).text,
      "src/a.ts:3:5 error: Cannot find name 'x'.",
    );
  });

  it("leaves out what is milder than asked for", async () => {
    const diagnostics = [problem("src/a.ts", { severity: "warning" }), problem("src/a.ts", { severity: "hint" })];
    const { call } = toolBench({ files, diagnostics });
    assert.match(
      (await call("get_diagnostics", { severity: "error" })).text,
      /^The editor shows no problems in the workspace\./,
    );
    assert.equal((await call("get_diagnostics", {})).text.split("\n").length, 1);
    assert.equal((await call("get_diagnostics", { severity: "hint" })).text.split("\n").length, 2);
  });

  it("counts what it leaves out past a hundred", async () => {
    const { call } = toolBench({ files, diagnostics: Array(103).fill(problem("src/a.ts")) });
    assert.match((await call("get_diagnostics", {})).text, /\(3 more are left out: give a path\.\)$/);
  });

  it("names near paths when the path is missing", async () => {
    const { call } = toolBench({ files });
    assert.match((await call("get_diagnostics", { path: "src/b.ts" })).text, /Did you mean lib\/b\.ts/);
  });
});
