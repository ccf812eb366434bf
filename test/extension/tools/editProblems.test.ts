import assert from "node:assert/strict";
import { diagnosticChange } from "../../../src/extension/tools/diagnosticText.ts";
import type { DiagnosticSnapshot, FileDiagnostic } from "../../../src/extension/workspace/workspace.ts";
import { toolBench } from "../../support/editorTools.ts";

const problem = (path: string, line: number, message = "wrong"): FileDiagnostic => ({
  ...{ path, line, column: 1, severity: "error", message, source: "ts" },
});
const snapshot = (list: FileDiagnostic[], known = ["a.ts", "b.ts"]): DiagnosticSnapshot => ({
  ...{ list, known: new Set(known), at: 0 },
});
const textsOf = (list: readonly FileDiagnostic[]) =>
  list.map(({ path, line, message }) => `${path}:${line} ${message}`);

describe("what an edit brought and solved", () => {
  const file = { path: "a.ts", before: "one\ntwo\nthree\n", after: "1\n1.5\ntwo\nthree\n" };
  const change = (before: FileDiagnostic[], after: FileDiagnostic[], known?: string[]) => {
    const { appeared, vanished, present } = diagnosticChange([file], snapshot(before, known), snapshot(after));
    return [textsOf(appeared), textsOf(vanished), textsOf(present)];
  };

  it("is not what only moved with its line", () => {
    assert.deepEqual(change([problem("a.ts", 3)], [problem("a.ts", 4)]), [[], [], []]);
  });

  it("is not what stays wrong in the lines that were replaced", () => {
    assert.deepEqual(change([problem("a.ts", 1)], [problem("a.ts", 2)]), [[], [], []]);
  });

  it("is the same mistake at another place", () => {
    assert.deepEqual(change([problem("a.ts", 2)], [problem("a.ts", 4)]), [["a.ts:4 wrong"], ["a.ts:2 wrong"], []]);
  });

  it("is what comes up in another file that was looked at before, and no other", () => {
    assert.deepEqual(change([], [problem("b.ts", 1)]), [["b.ts:1 wrong"], [], []]);
    assert.deepEqual(change([], [problem("b.ts", 1)], ["a.ts"]), [[], [], []]);
  });

  it("is not known of a file of which was not known what was wrong before", () => {
    assert.deepEqual(change([], [problem("a.ts", 3)], ["b.ts"]), [[], [], ["a.ts:3 wrong"]]);
  });
});

describe("an edit while other files change", () => {
  it("is not credited with what came and went meanwhile", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    const before = snapshot([problem("a.ts", 1, "fixed in b.ts")]);
    const after = snapshot([problem("a.ts", 1, "came with b.ts")]);
    const snapshots = [before, after];
    workspace.diagnosticSnapshot = async () => snapshots.shift() ?? assert.fail();
    const changes: string[] = [];
    workspace.changedSince = () => changes;
    const { replace } = workspace;
    workspace.replace = async (...args) => {
      changes.push("a.ts", "b.ts");
      return replace(...args);
    };
    const edits = [{ old_text: "one", new_text: "1" }];
    const { text } = await call("edit_file", { path: "a.ts", edits });
    assert.match(text, /Problems that appeared meanwhile:\n1:1 error: came with b\.ts/);
    assert.match(text, /Problems that went away meanwhile:\n1:1 error: fixed in b\.ts/);
    assert.match(text, /may not be due to this edit: b\.ts\.\)$/);
    assert.doesNotMatch(text, /New problems|Solved problems/);
  });

  it("does not call new what was found out only after the file had changed", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    const late = Promise.withResolvers<DiagnosticSnapshot>();
    const after = snapshot([problem("a.ts", 1)]);
    let count = 0;
    workspace.diagnosticSnapshot = () => (count++ === 0 ? late.promise : Promise.resolve(after));
    workspace.changedSince = () => ["a.ts"];
    const { replace } = workspace;
    workspace.replace = async (...args) => {
      const written = await replace(...args);
      late.resolve(snapshot([]));
      return written;
    };
    const { text } = await call("edit_file", { path: "a.ts", edits: [{ old_text: "one", new_text: "1" }] });
    assert.match(text, /\nProblems in the file now:\n1:1 error: wrong \(ts\)$/);
  });
});
