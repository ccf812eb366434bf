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

  it("22 takes signs that patterns replace as text", () => {
    const newText = "$& $1 $$ $` $' $<a> \\1";
    assert.equal(applyEdits("a (b) c\n", [{ oldText: "(b)", newText }]).text, `a ${newText} c\n`);
    const everywhere = [{ oldText: "b", newText, replaceAll: true }];
    assert.equal(applyEdits("b b\n", everywhere).text, `${newText} ${newText}\n`);
  });

  it("21 shows the nearest lines with their numbers when nothing matches", () => {
    const text = "import a\n\nexport function formatPrice(value) {\n  return value;\n}\n";
    const error = failure(text, "export function formatPrise(value) {\n  return 1;", "x");
    assert.equal(error.kind, "no-match");
    assert.match(error.message, /3\texport function formatPrice\(value\) \{\n4\t {2}return value;/);
  });

  it("21 names the lines of all places when several match", () => {
    const error = failure("x\ny\nx\n", "x", "z");
    assert.equal(error.kind, "ambiguous");
    assert.match(error.message, /2 places, at lines 1 and 3/);
    assert.match(error.message, /replace_all/);
  });

  it("says that line numbers were copied along with the text", () => {
    assert.match(failure("foo\nbar\n", "1 | foo\n2 | bar", "x").message, /line numbers/);
  });

  for (const { what, old, next = "x", reason } of [
    { what: "a code fence", old: "```ts\n  b(1);\n```", reason: /without the code fence around it it is at line 2\./ },
    { what: "markers of a conflict", old: "<<<<<<< SEARCH\n  b(1);\n=======", reason: /without the conflict markers/ },
    { what: "signs of a diff", old: "-  b(1);\n", reason: /without the "-" or "\+" before its lines/ },
    { what: "blank lines", old: "\n\n  b(1);\n\n\n", reason: /without the blank lines around it it is at line 2/ },
    { what: "entities", old: "if (c &amp;&amp; dd)", reason: /without HTML entities .* at line 3/ },
    { what: "escaped quotes", old: 'e(\\"f\\")', reason: /without the backslashes .* at line 4/ },
    { what: "arrows after line numbers", old: "     2→  b(1);\n     3→", reason: /it contains line numbers/ },
    { what: "omitted lines", old: "a {\n  // ...\n}", reason: /"\/\/ \.\.\." is a placeholder/ },
    {
      what: "an edit made before",
      old: "gone();",
      next: "if (c && dd)",
      reason: /^\S+ was not found: new_text is there already, at line 3/,
    },
  ]) {
    it(`21 names ${what} as the reason why nothing matches`, () => {
      const error = failure('a {\n  b(1);\n  if (c && dd)\n  e("f")\n}\n', old, next);
      assert.equal(error.kind, "no-match");
      assert.match(error.message, reason);
    });
  }

  it("names no signs of a diff where lines begin with blanks alone", () => {
    assert.doesNotMatch(failure("one line\nand more\n", " one line\n  and less", "x").message, /before its lines/);
  });

  it("does not take a short new text that the file has by chance for an edit made before", () => {
    assert.doesNotMatch(failure("a {\n  b();\n}\n", "gone();", "}").message, /already/);
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
    "// … rest of code",
    "// ...rest of code",
    "...rest of the code",
    "...existing code...",
    "// other fields stay the same",
  ]) {
    it(`29 refuses the placeholder "${line.trim()}"`, () => {
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
    "({ ...rest, id: id + 1 })",
    "[...rest, item],",
    "...rest, id };",
    "...rest",
    "...(rest ?? {}),",
    "...rest: string[]",
    "{...rest} className={c}",
    "...previous, content: text,",
    "{ ...original, content: 'x' },",
    "...state,\n// other fields stay the same\nid,",
    "// other fields stay the same\n...state,",
  ]) {
    it(`takes "${line.replaceAll("\n", " ")}" as text`, () => {
      assert.equal(applyEdits("a\n", [{ oldText: "a", newText: line }]).text, `${line}\n`);
    });
  }

  it("leaves a placeholder that the file already had", () => {
    const text = "// ... rest of code\na\n";
    const edits = [{ oldText: "// ... rest of code\na", newText: "// ... rest of code\nb" }];
    assert.equal(applyEdits(text, edits).text, "// ... rest of code\nb\n");
  });

  for (const { what, text, old, next, result } of [
    {
      what: "spaces for tabs",
      text: "a\n\tb\n\t\tc\n",
      old: "    b\n        c",
      next: "    b\n        d",
      result: "a\n\tb\n\t\td\n",
    },
    {
      what: "other blanks in a line",
      text: "x  =  1;\ny\n",
      old: "x = 1;\ny",
      next: "x = 2;\ny",
      result: "x  =  2;\ny\n",
    },
    {
      what: "a level too few",
      text: "{\n  a\n    b\n}\n",
      old: "a\n  b",
      next: "a\n  c",
      result: "{\n  a\n    c\n}\n",
    },
    { what: "line numbers", text: "a\n\tb\n", old: "1\ta\n2\t\tb", next: "a\n\tc", result: "a\n\tc\n" },
    { what: "escaped line ends", text: "a\nb\nc\n", old: "a\\nb", next: "a\\nd", result: "a\nd\nc\n" },
    { what: "escaped tabs", text: "a\n\tb\n", old: "a\n\\tb", next: "a\n\\tc", result: "a\n\tc\n" },
  ]) {
    it(`finds the one place in spite of ${what}, and says so`, () => {
      const edited = applyEdits(text, [{ oldText: old, newText: next }]);
      assert.equal(edited.text, result);
      assert.equal(edited.ignored?.length, 1);
    });
  }

  it("refuses escaped line ends where they may be part of a string", () => {
    assert.equal(failure("a\nb\n", "a\\nb", 'print("a\\nb")').kind, "no-match");
    assert.equal(failure('a\nb\n"\\n"\n', "a\\nb", "c").kind, "no-match");
  });

  it("refuses lines that other blanks make be in two places", () => {
    const error = failure("x =  1\nx  = 1\n", "x = 1", "x = 2");
    assert.equal(error.kind, "ambiguous");
  });

  it("refuses new lines of an indentation that the old ones say nothing about", () => {
    assert.match(failure("\t\ta\n", "    a\n", "    a\n            b\n").message, /is not clear/);
  });

  it("refuses new lines that are one level or two deeper, by what the difference means", () => {
    assert.match(failure("if\n    a\n    c\n", "  a\n  c\n", "  a\n    b\n  c\n").message, /is not clear/);
  });

  it("refuses plain quotes for typographic ones", () => {
    assert.equal(failure("it’s\n", "it's", "x").kind, "no-match");
  });
});
