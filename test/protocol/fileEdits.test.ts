import assert from "node:assert/strict";
import { clipHunks, fileEditsIn, withoutLines } from "../../src/protocol/fileEdits.ts";

const edit = { path: "a.ts", change: "update", accepted: 1, rejected: 0, added: 1, removed: 0 };
const hunk = { line: 1, oldLines: [], newLines: ["x"] };

describe("the edits in a result's details", () => {
  it("are none where another tool, another version or a damaged log wrote the details", () => {
    const { change: _, ...older } = edit;
    const strange: unknown[] = [
      ...[undefined, null, "files", {}, { files: 3 }, { files: [null] }, { files: [older] }],
      ...[{ files: [{ ...edit, added: "1" }] }, { files: [{ ...edit, hunks: {} }] }],
      ...[{ files: [{ ...edit, hunks: [{ ...hunk, newLines: [1] }] }] }, { files: [{ ...edit, movedTo: {} }] }],
    ];
    for (const details of strange) assert.deepEqual(fileEditsIn(details), [], JSON.stringify(details));
    assert.deepEqual(fileEditsIn({ files: [{ ...edit, hunks: [hunk] }] }), [{ ...edit, hunks: [hunk] }]);
  });

  it("lose their lines in a preview, and other details stay as they are", () => {
    assert.deepEqual(withoutLines({ files: [{ ...edit, hunks: [hunk], omittedLines: 3 }] }), { files: [edit] });
    assert.deepEqual(withoutLines({ status: 200 }), { status: 200 });
  });

  it("have 200 lines of at most 400 characters, and count what is left out", () => {
    const lines = Array.from({ length: 150 }, (_, index) => `line ${index}`);
    const clipped = clipHunks([
      { line: 1, oldLines: lines, newLines: ["y".repeat(1_000)] },
      { line: 500, oldLines: lines, newLines: lines },
      { line: 900, oldLines: ["late"], newLines: [] },
    ]);
    assert.deepEqual(
      clipped.hunks?.map(({ line, oldLines, newLines }) => [line, oldLines.length, newLines.length]),
      [
        [1, 150, 1],
        [500, 49, 0],
      ],
    );
    assert.equal(clipped.hunks?.[0]?.newLines[0]?.length, 401);
    assert.equal(clipped.omittedLines, 101 + 150 + 1);
  });
});
