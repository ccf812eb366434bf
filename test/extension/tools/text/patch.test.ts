import assert from "node:assert/strict";
import { EditError } from "../../../../src/extension/tools/text/editError.ts";
import { applyPatch } from "../../../../src/extension/tools/text/patch.ts";

async function patched(original: string, ...lines: string[]): Promise<string | undefined> {
  const patch = ["*** Begin Patch", "*** Update File: a", ...lines, "*** End Patch"].join("\n");
  const [change] = await applyPatch(patch, async () => original);
  return change?.after;
}

describe("Patches", () => {
  it("find lines that differ in blanks or look-alike characters, and keep the file's own", async () => {
    const original = "  it’s – one  \n  keep me \n  end\n";
    assert.equal(
      await patched(original, "@@", " it's - one", "-keep me", "+new", " end"),
      "  it’s – one  \n  new\n  end\n",
    );
  });

  it("find the place after the lines that @@ names", async () => {
    const original = "class A\n  go()\nclass B\n  go()\n";
    assert.equal(await patched(original, "@@ class B", "-  go()", "+  stop()"), "class A\n  go()\nclass B\n  stop()\n");
    assert.equal(await patched(original, "@@ class A", "+  first()"), "class A\n  first()\n  go()\nclass B\n  go()\n");
  });

  it("find lines at the end when they are said to end the file", async () => {
    assert.equal(await patched("x\ny\nx\n", "@@", "-x", "+z", "*** End of File"), "x\ny\nz\n");
  });

  it("forgive the line numbers of a unified diff and a last blank line", async () => {
    assert.equal(await patched("a\nb\n", "@@ -1,2 +1,2 @@", "-a", "+A", " b", ""), "A\nb\n");
  });

  it("take a marker with a sign before it as a line of the file", async () => {
    assert.equal(await patched("*** Add File: x\nb\n", "@@", " *** Add File: x", "-b", "+B"), "*** Add File: x\nB\n");
  });

  it("keep a byte order mark and a missing final line end", async () => {
    assert.equal(await patched("\uFEFFa\r\nb", "@@", "-b", "+B", "+c"), "\uFEFFa\r\nB\r\nc");
  });

  it("say which line of the patch is wrong", async () => {
    await assert.rejects(patched("a\n", "@@", "-a", "b"), /Line 5: "b" begins with none of blank, -, \+ and @@/);
  });
});

describe("Patches as models write them", () => {
  const original = "class A {\n\tone() {\n\t\treturn 1;\n\t}\n\n\ttwo() {\n\t\treturn 2;\n\t}\n}\n";
  const changed = original.replace("return 2;", "return two;");

  for (const [what, ...lines] of [
    [
      "have lines to keep without the blank before them",
      "@@",
      "\ttwo() {",
      "-\t\treturn 2;",
      "+\t\treturn two;",
      "\t}",
    ],
    ["have only some lines to keep without it", "@@", " \ttwo() {", "-\t\treturn 2;", "+\t\treturn two;", "\t}"],
    ["have empty sections beside others", "@@", "", "@@ two() {", "-\t\treturn 2;", "+\t\treturn two;", "", "@@"],
    [
      "name the same line by @@ and as the first to keep",
      "@@ two() {",
      " \ttwo() {",
      "-\t\treturn 2;",
      "+\t\treturn two;",
    ],
    ["name what no line of the file is by @@", "@@ the second method", "-\t\treturn 2;", "+\t\treturn two;"],
    ["have escaped tabs", "@@", " \\ttwo() {", "-\\t\\treturn 2;", "+\\t\\treturn two;"],
    ["have spaces for tabs", "@@", "   two() {", "-    return 2;", "+    return two;"],
    ["have a level less of indentation", "@@", " two() {", "-\treturn 2;", "+\treturn two;"],
    ["have the line numbers of the read tool", "@@", " 6\t\ttwo() {", "-7\t\t\treturn 2;", "+\t\treturn two;"],
    ["have blanks at the end of lines", "@@", " \ttwo() {  ", "-\t\treturn 2; ", "+\t\treturn two;"],
  ] as const) {
    it(`are applied when they ${what}`, async () => {
      assert.equal(await patched(original, ...lines), changed);
    });
  }

  it("are applied when their sections are out of order and each fits one position", async () => {
    const lines = ["@@", "-\t\treturn 2;", "+\t\treturn two;", "@@", "-\t\treturn 1;", "+\t\treturn one;"];
    assert.equal(await patched(original, ...lines), changed.replace("return 1;", "return one;"));
  });

  it("are refused when they are out of order and one fits several positions", async () => {
    await assert.rejects(patched("a\nb\na\nc\n", "@@", "-c", "+C", "@@", "-a", "+A"), /lines 1, 3/);
  });

  it("are refused when their tabs are no unit of a file that is indented by spaces", async () => {
    const lines = ["@@", " \t\ta", "-\t\tb", "+\t\t\tc"];
    await assert.rejects(patched("x\n    a\n    b\n", ...lines), /is not clear/);
  });

  it("are applied when two sections keep the same line between them", async () => {
    const lines = ["@@", "-a", "+A", " b", "@@", " b", "-c", "+C"];
    assert.equal(await patched("a\nb\nc\n", ...lines), "A\nb\nC\n");
  });

  it("are applied inside a code fence or a heredoc, and without an end", async () => {
    const body = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y";
    for (const patch of [
      body,
      `${body}\n`,
      `\`\`\`\n${body}\n*** End Patch\n\`\`\``,
      `apply_patch <<'EOF'\n${body}\n*** End Patch\nEOF`,
      `\`\`\`diff\n${body}\n\`\`\``,
    ]) {
      const [change] = await applyPatch(patch, async () => "x\n");
      assert.equal(change?.after, "y\n", patch);
    }
  });

  it("are refused with other text around them", async () => {
    const patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\nDelete b too.";
    await assert.rejects(
      applyPatch(patch, async () => "x\n"),
      /has to end with/,
    );
  });

  it("21 are refused when their lines are in several places, with the lines of these", async () => {
    await assert.rejects(
      patched("a\nb\na\n", "@@", "-a", "+c"),
      (error) => error instanceof EditError && error.kind === "ambiguous" && /lines 1, 3/.test(error.message),
    );
  });

  it("are refused when only blanks distinguish their place from another", async () => {
    await assert.rejects(patched("\tgo()\n\t\tgo()\n", "@@", "-go()", "+stop()"), /lines 1, 2/);
  });

  it("take the place in the block that @@ names, not the first behind it", async () => {
    const file = "def a():\n  x = 0\ndef b():\n  x = 1\ndef c():\n  x = 1\n";
    assert.equal(
      await patched(file, "@@ def b():", "-  x = 1", "+  x = 2"),
      "def a():\n  x = 0\ndef b():\n  x = 2\ndef c():\n  x = 1\n",
    );
    await assert.rejects(patched(file, "@@ def a():", "-  x = 1", "+  x = 2"), /lines 4, 6/);
  });

  it("are refused when the indentation of new lines can't be determined", async () => {
    await assert.rejects(patched("\t\ta\n\tb\n", "@@", " a", " b", "+c"), /is not clear/);
  });

  it("keep a backslash and t that begins a command of TeX", async () => {
    const patch = "*** Begin Patch\n*** Update File: a.tex\n@@\n-x\n+\\title{y}\n*** End Patch";
    const [change] = await applyPatch(patch, async () => "x\n");
    assert.equal(change?.after, "\\title{y}\n");
  });

  it("say what did not count when their lines were found", async () => {
    const patch = "*** Begin Patch\n*** Update File: a\n@@\n a\n-  b\n+  c\n*** End Patch";
    const [change] = await applyPatch(patch, async () => "a\n\tb\n");
    assert.deepEqual(change?.ignored, ["indentation"]);
    const [exact] = await applyPatch(patch, async () => "a\n  b\n");
    assert.equal(exact?.ignored, undefined);
  });

  it("keep the file's own quotes where a new line repeats the one it replaces", async () => {
    assert.equal(
      await patched("say “it’s here”\n", "@@", `-say "it's here"`, `+say "it's there"`),
      "say “it’s there”\n",
    );
  });
});
