import assert from "node:assert/strict";
import { applyEdits, EditError } from "../../../../src/extension/tools/text/replace.ts";

function failure(original: string, oldText: string, newText: string): EditError {
  try {
    applyEdits(original, [{ oldText, newText }]);
  } catch (error) {
    assert.ok(error instanceof EditError);
    return error;
  }
  assert.fail("the edit should have been refused");
}

describe("Applying edits to a text", () => {
  it("gives the hunks of the change beside the text", () => {
    const { hunks } = applyEdits("a\nb\nc\n", [{ oldText: "b", newText: "B\nX" }]);
    assert.deepEqual(
      hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({ oldStart, oldLines, newStart, newLines })),
      [{ oldStart: 2, oldLines: ["b"], newStart: 2, newLines: ["B", "X"] }],
    );
  });

  it("shows the nearest lines with their numbers when nothing matches", () => {
    const text = "import a\n\nexport function formatPrice(value) {\n  return value;\n}\n";
    const error = failure(text, "export function formatPrise(value) {\n  return 1;", "x");
    assert.equal(error.kind, "no-match");
    assert.match(error.message, /3\texport function formatPrice\(value\) \{\n4\t {2}return value;/);
  });

  it("names the lines of all places when several match", () => {
    const error = failure("x\ny\nx\n", "x", "z");
    assert.equal(error.kind, "ambiguous");
    assert.match(error.message, /2 places, at lines 1 and 3/);
    assert.match(error.message, /replace_all/);
  });

  it("says that line numbers were copied along with the text", () => {
    assert.match(failure("foo\nbar\n", "1\tfoo\n2\tbar", "x").message, /line numbers/);
  });

  it("says which of several edits failed and applies none", () => {
    assert.throws(
      () =>
        applyEdits("a\n", [
          { oldText: "a", newText: "b" },
          { oldText: "zzz", newText: "y" },
        ]),
      /edits\[1\]: old_text was not found/,
    );
  });

  it("refuses edits that undo each other", () => {
    assert.throws(
      () =>
        applyEdits("a\n", [
          { oldText: "a", newText: "b" },
          { oldText: "b", newText: "a" },
        ]),
      (error) => error instanceof EditError && error.kind === "no-change",
    );
  });

  it("keeps the line ends of the lines between two changes of one block", () => {
    const { text } = applyEdits("a\nb\r\nc\n", [{ oldText: "a\nb\nc", newText: "A\nb\nC" }]);
    assert.equal(text, "A\nb\r\nC\n");
  });

  it("replaces every place of a line and of a block with replaceAll", () => {
    const { text } = applyEdits("x x\r\ny\nx\r\n", [{ oldText: "x", newText: "z\nw", replaceAll: true }]);
    assert.equal(text, "z\r\nw z\r\nw\r\ny\nz\r\nw\r\n");
  });

  for (const line of [
    "// ... rest of the code unchanged",
    "# ... existing code ...",
    "  /* … remaining methods … */",
    "// rest of the file stays the same",
    "<!-- rest of content unchanged -->",
    "(rest of methods ...)",
    "// ... rest of code",
  ]) {
    it(`refuses the placeholder "${line.trim()}"`, () => {
      assert.equal(failure("a\nb\n", "b", line).kind, "placeholder");
    });
  }

  for (const line of [
    "// The rest of the pipeline expects integers, so round here.",
    "const rest = [...existing, code];",
    "// ... and then we wait",
    "the rest of the file is prose",
    "# Existing users",
    "return { ...rest };",
  ]) {
    it(`takes "${line}" as text`, () => {
      assert.equal(applyEdits("a\n", [{ oldText: "a", newText: line }]).text, `${line}\n`);
    });
  }

  it("lets a placeholder stand that the file already had", () => {
    const text = "// ... rest of code\na\n";
    const edits = [{ oldText: "// ... rest of code\na", newText: "// ... rest of code\nb" }];
    assert.equal(applyEdits(text, edits).text, "// ... rest of code\nb\n");
  });
});
