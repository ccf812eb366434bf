import assert from "node:assert/strict";
import fc from "fast-check";
import { toolBench } from "../../support/editorTools.ts";

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const original = `${lines.join("\n")}\n`;
const edit = (old_text: string, new_text: string, replace_all = false) => ({
  path: "a.ts",
  edits: [{ old_text, new_text, replace_all }],
});
const patch = (...body: string[]) => ({ patch: ["*** Begin Patch", ...body, "*** End Patch"].join("\n") });

/** An agent has read the file; then its text becomes what `change` makes of it, saved or unsaved. */
async function readThenChanged(change: (text: string) => string, { before = original, unsaved = false } = {}) {
  const bench = toolBench({ files: { "a.ts": before } });
  await bench.call("read_file", { path: "a.ts" });
  (unsaved ? bench.workspace.unsaved : bench.workspace.files).set("a.ts", change(before));
  const textNow = () => (unsaved ? bench.workspace.unsaved : bench.workspace.files).get("a.ts");
  return { ...bench, textNow };
}

describe("An edit of a file in which the user typed since the agent read it", () => {
  for (const unsaved of [false, true]) {
    it(`is made on the text as it is now, ${unsaved ? "unsaved" : "saved"}, and the model gets to know what else changed`, async () => {
      const { call, textNow } = await readThenChanged((text) => text.replace("line 15\n", "line 15\ntyped\n"), {
        unsaved,
      });
      const { text, result } = await call("edit_file", edit("line 5\n", "LINE 5\n"));
      assert.notEqual(result.isError, true);
      assert.equal(textNow(), original.replace("line 15\n", "line 15\ntyped\n").replace("line 5\n", "LINE 5\n"));
      assert.match(text, /^Edited a\.ts: 1 change \(\+1 −1\)\./);
      assert.match(
        text,
        /\na\.ts changed since you read it by the user or another program, in other lines[^\n]*\n@@ -16,0 \+16,1 @@\n\+typed$/,
      );
    });
  }

  it("goes on beside typing in the neighbouring line, at the same place, and in the same line", async () => {
    const cases: [typed: string, expected: string][] = [
      ["line 4\nline 5\nline 6, typed\n", "line 4\nLINE 5\nline 6, typed\n"],
      ["line 4\ntyped\nline 5\nline 6\n", "line 4\ntyped\nLINE 5\nline 6\n"],
      ["line 4\nline 5\ntyped\nline 6\n", "line 4\nLINE 5\ntyped\nline 6\n"],
      ["line 4\nline 5 // typed\nline 6\n", "line 4\nLINE 5 // typed\nline 6\n"],
    ];
    for (const [typed, expected] of cases) {
      const { call, textNow } = await readThenChanged((text) => text.replace("line 4\nline 5\nline 6\n", typed));
      await call("edit_file", edit("line 5", "LINE 5"));
      assert.equal(textNow(), original.replace("line 4\nline 5\nline 6\n", expected));
    }
  });

  it("is refused where its own lines changed, and names what they are now", async () => {
    const changed = original.replace("line 5\n", "line five\n");
    const { call, textNow, review } = await readThenChanged(() => changed);
    const { text, result } = await call("edit_file", edit("line 5\n", "LINE 5\n"));
    assert.equal(result.isError, true);
    assert.match(text, /^a\.ts changed since you read it by the user .*\n@@ -5,1 \+5,1 @@\n-line 5\n\+line five$/);
    assert.equal(textNow(), changed);
    assert.equal(review.proposals.length, 0);
  });

  it("is refused where its text is now somewhere else only", async () => {
    const { call } = await readThenChanged((text) =>
      text.replace("line 5\n", "").replace("line 25\n", "line 25\nline 5\n"),
    );
    assert.match((await call("edit_file", edit("line 5\n", "LINE 5\n"))).text, /^a\.ts changed since you read it/);
  });

  it("finds its lines also where the user typed the same ones once more", async () => {
    const change = (text: string) => text.replace("line 25\n", "line 25\nline 5\n");
    const { call, textNow } = await readThenChanged(change);
    await call("edit_file", edit("line 5\n", "LINE 5\n"));
    assert.equal(textNow(), change(original).replace("line 5\n", "LINE 5\n"));
  });

  it("does not choose between places that were two when the agent read them", async () => {
    const { call } = await readThenChanged((text) => text.replace("same\n", ""), { before: `same\n${original}same\n` });
    assert.match((await call("edit_file", edit("same\n", "other\n"))).text, /^a\.ts changed since you read it/);
  });

  it("replaces every place, also one that the user typed meanwhile", async () => {
    const { call, textNow } = await readThenChanged((text) => `${text}x = 2\n`, { before: "x = 1\n" });
    await call("edit_file", edit("x", "y", true));
    assert.equal(textNow(), "y = 1\ny = 2\n");
  });

  it("takes the line ends that the text has now", async () => {
    const { call, textNow } = await readThenChanged((text) => `typed\n${text}`.replaceAll("\n", "\r\n"));
    await call("edit_file", edit("line 5\n", "LINE 5\nmore\n"));
    assert.equal(textNow(), `typed\n${original}`.replace("line 5\n", "LINE 5\nmore\n").replaceAll("\n", "\r\n"));
  });

  it("is a patch that fits in the same way", async () => {
    const { call, textNow } = await readThenChanged((text) => `typed\n${text}`);
    const { text } = await call("apply_patch", patch("*** Update File: a.ts", "@@", " line 4", "-line 5", "+LINE 5"));
    assert.equal(textNow(), `typed\n${original.replace("line 5\n", "LINE 5\n")}`);
    assert.match(text, /\na\.ts changed since you read it by the user/);

    const other = await readThenChanged((text) => text.replace("line 5\n", "line five\n"));
    const refused = await other.call("apply_patch", patch("*** Update File: a.ts", "@@", "-line 5", "+LINE 5"));
    assert.match(refused.text, /^a\.ts changed since you read it by the user/);
    assert.equal(refused.result.isError, true);
    const deleted = await other.call("apply_patch", patch("*** Delete File: a.ts"));
    assert.match(deleted.text, /^a\.ts changed since you read it by the user/);
  });

  it("leaves the other files of a patch as they are proposed", async () => {
    const { call, workspace, textNow } = await readThenChanged((text) => `typed\n${text}`);
    workspace.files.set("b.ts", "b\n");
    const sections = ["*** Update File: b.ts", "@@", "-b", "+B", "*** Update File: a.ts", "@@", "-line 5", "+LINE 5"];
    await call("apply_patch", patch(...sections));
    assert.equal(workspace.files.get("b.ts"), "B\n");
    assert.equal(textNow(), `typed\n${original.replace("line 5\n", "LINE 5\n")}`);
  });

  it("merges a whole text with what was typed, and refuses one for the same lines", async () => {
    const { call, textNow } = await readThenChanged((text) => text.replace("line 15\n", "line 15\ntyped\n"));
    const content = original.replace("line 5\n", "LINE 5\n").replace("line 20\n", "");
    const { text } = await call("write_file", { path: "a.ts", content });
    assert.equal(textNow(), content.replace("line 15\n", "line 15\ntyped\n"));
    assert.match(text, /\na\.ts changed since you read it by the user/);

    const other = await readThenChanged((text2) => text2.replace("line 5\n", "line five\n"));
    const refused = await other.call("write_file", { path: "a.ts", content });
    assert.equal(refused.result.isError, true);
    assert.match(refused.text, /^a\.ts changed since you read it by the user/);
    assert.equal(other.textNow(), original.replace("line 5\n", "line five\n"));
  });

  it("goes on after another agent's edit of other lines, and names that agent", async () => {
    const { call, textNow } = await readThenChanged((text) => text);
    await call("edit_file", edit("line 15\n", "LINE 15\n"), { agent: "left" });
    const { text } = await call("edit_file", edit("line 5\n", "LINE 5\n"));
    assert.match(text, /\na\.ts changed since you read it by main › left, in other lines/);
    assert.equal(textNow(), original.replace("line 15\n", "LINE 15\n").replace("line 5\n", "LINE 5\n"));
  });

  it("does not name the agent itself for what changed after its own edit", async () => {
    const { call, workspace } = await readThenChanged((text) => text);
    await call("edit_file", edit("line 5\n", "LINE 5\n"));
    workspace.files.set("a.ts", `typed\n${workspace.files.get("a.ts")}`);
    const { text } = await call("edit_file", edit("line 15\n", "LINE 15\n"));
    assert.match(text, /\na\.ts changed since you read it by the user or another program, in other lines/);
  });

  it("keeps every typed line and changes no other, wherever it is typed", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(29), fc.nat(30), async (edited, typedAt) => {
        const typed = lines.toSpliced(typedAt, 0, "typed");
        const { call, textNow } = await readThenChanged(() => `${typed.join("\n")}\n`);
        const { result } = await call("edit_file", edit(`${lines[edited]}\n`, "EDITED\n"));
        assert.notEqual(result.isError, true);
        assert.equal(textNow(), `${typed.map((line) => (line === lines[edited] ? "EDITED" : line)).join("\n")}\n`);
      }),
      { numRuns: 100 },
    ));
});
