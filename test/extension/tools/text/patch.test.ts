import assert from "node:assert/strict";
import { applyPatch } from "../../../../src/extension/tools/text/patch.ts";

async function patched(original: string, ...lines: string[]): Promise<string | undefined> {
  const patch = ["*** Begin Patch", "*** Update File: a", ...lines, "*** End Patch"].join("\n");
  const [change] = await applyPatch(patch, async () => original);
  return change?.after;
}

describe("Patches", () => {
  it("find lines that differ in blanks or look-alike characters, and keep the file's own", async () => {
    const original = "  it’s – one  \n\tkeep me \nend\n";
    assert.equal(
      await patched(original, "@@", " it's - one", "-keep me", "+new", " end"),
      "  it’s – one  \nnew\nend\n",
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
