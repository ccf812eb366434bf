import assert from "node:assert/strict";
import type { FileOutcome } from "../../../src/extension/changes/model/change.ts";
import { diffLines } from "../../../src/extension/changes/model/diffLines.ts";
import { editReport } from "../../../src/extension/tools/editReport.ts";

const before = "a\nb\nc\nd\ne\n";
const after = "A\nb\nC\nd\nE\n";
const change = { path: "x.ts", before, after };
const [first, second, third] = diffLines(before, after);

function outcome(hunks: FileOutcome["hunks"], text: string): FileOutcome {
  return { path: "x.ts", hunks, text, saved: true, changedByUser: false };
}

describe("the report on an edit", () => {
  it("reports what was kept, what the user rejected and what had no place any more", () => {
    assert.ok(first && second && third);
    const hunks = [
      { hunk: first, accepted: true },
      { hunk: second, accepted: false, reason: "keep c" },
      { hunk: third, accepted: false, conflicted: true },
    ];
    const report = editReport(change, outcome(hunks, "A\nb\nc\nd\nEE\n"));
    assert.match(report, /^Edited x\.ts: kept .*, rejected 1, not written 1\.\n/);
    assert.match(report, /Rejected by the user saying: "keep c"\n/);
    assert.match(report, /Not written: the lines changed meanwhile\n@@ -5,1/);
  });

  it("does not blame the user when nothing fitted", () => {
    assert.ok(first);
    const report = editReport(change, outcome([{ hunk: first, accepted: false, conflicted: true }], "x\n"));
    assert.match(report, /^The edit of x\.ts was not written: the lines changed meanwhile\. Read the file again/);
    assert.doesNotMatch(report, /user rejected/);
  });
});
