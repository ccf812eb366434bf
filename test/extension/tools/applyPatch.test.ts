import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

const patch = (...lines: string[]) => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

describe("apply_patch", () => {
  it("adds, changes, moves and deletes files after one review", async () => {
    const files = { "a.ts": "one\r\ntwo\r\n", "b.ts": "b\n", "c.ts": "c\n" };
    const { call, workspace, review } = toolBench({ files });
    const { text, result } = await call(
      "apply_patch",
      patch(
        "*** Update File: a.ts",
        "@@",
        "-two",
        "+2",
        "*** Update File: b.ts",
        "*** Move to: lib/b.ts",
        "@@",
        "-b",
        "+B",
        "*** Delete File: c.ts",
        "*** Add File: d.ts",
        "+d",
      ),
    );
    assert.equal(result.isError, undefined);
    assert.deepEqual(Object.fromEntries(workspace.files), { "a.ts": "one\r\n2\r\n", "lib/b.ts": "B\n", "d.ts": "d\n" });
    assert.equal(review.proposals.length, 1);
    for (const line of [
      "Edited a.ts: 1 change",
      "Created lib/b.ts:",
      "Deleted b.ts:",
      "Deleted c.ts:",
      "Created d.ts:",
    ]) {
      assert.ok(text.includes(line), `${line} in ${text}`);
    }
  });

  it("27 proposes nothing when one part does not fit", async () => {
    const { call, review } = toolBench({ files: { "a.ts": "one\n" } });
    const { text, result } = await call(
      "apply_patch",
      patch("*** Add File: b.ts", "+b", "*** Update File: a.ts", "@@", "-onne", "+1"),
    );
    assert.equal(result.isError, true);
    assert.match(text, /^a\.ts: these lines were not found:\nonne\nThe nearest lines are:\n1\tone\n/);
    assert.equal(review.proposals.length, 0);
  });

  it("takes absolute paths inside the workspace, and says what it ignored", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "f {\n\tone\n\ttwo\n}\n" } });
    const path = "/memory/workspace/a.ts";
    const { text } = await call("apply_patch", patch(`*** Update File: ${path}`, "@@", "  one", "-  two", "+  2", "}"));
    assert.equal(workspace.files.get("a.ts"), "f {\n\tone\n\t2\n}\n", text);
    assert.match(text, /\nMatched ignoring the missing space before lines to keep and indentation:/);
  });

  it("28 shows the text it would overwrite as changed", async () => {
    const { call, review } = toolBench({ files: { "a.ts": "a\n", "b.ts": "b\n" } });
    await call("apply_patch", patch("*** Update File: a.ts", "*** Move to: b.ts", "@@", "-a", "+A"));
    assert.deepEqual(review.proposals[0]?.changes, [
      { path: "b.ts", before: "b\n", after: "A\n" },
      { path: "a.ts", before: "a\n" },
    ]);
  });

  it("28 asks in every mode where it would overwrite a file, by a move or as an added one", async () => {
    const move = patch("*** Update File: a.ts", "*** Move to: b.ts", "@@", "-a", "+A");
    for (const [what, mustAsk] of [
      [move, "overwrites"],
      [patch("*** Add File: b.ts", "+B"), "overwrites"],
      [patch("*** Add File: c.ts", "+C"), undefined],
      [patch("*** Update File: a.ts", "@@", "-a", "+A"), undefined],
    ] as const) {
      const { call, review } = toolBench({ files: { "a.ts": "a\n", "b.ts": "b\n" } });
      await call("apply_patch", what);
      assert.equal(review.proposals[0]?.mustAsk, mustAsk, what.patch);
    }
  });

  it("22 takes signs that patterns replace as text", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("apply_patch", patch("*** Update File: a.ts", "@@", "-one", "+$& $1 $$ $` \\1"));
    assert.equal(workspace.files.get("a.ts"), "$& $1 $$ $` \\1\n");
  });

  it("refuses a file that changed since the agent read it, and paths outside", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" });
    workspace.files.set("a.ts", "two\n");
    const change = patch("*** Update File: a.ts", "@@", "-two", "+2");
    assert.match((await call("apply_patch", change)).text, /^a\.ts changed since you read it/);
    assert.match((await call("apply_patch", patch("*** Add File: ../x", "+x"))).text, /outside the workspace/);
  });

  it("waits for no one for ever: two patches of the same files in other orders both end", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "a\n", "b.ts": "b\n" } });
    const section = (path: string, from: string, to: string) => [
      `*** Update File: ${path}`,
      "@@",
      `-${from}`,
      `+${to}`,
    ];
    await Promise.all([
      call("apply_patch", patch(...section("a.ts", "a", "A"), ...section("b.ts", "b", "B")), { agent: "left" }),
      call("apply_patch", patch(...section("b.ts", "B", "BB"), ...section("a.ts", "A", "AA")), { agent: "right" }),
    ]);
    assert.deepEqual(Object.fromEntries(workspace.files), { "a.ts": "AA\n", "b.ts": "BB\n" });
  });

  it("29 refuses placeholders and a file named twice", async () => {
    const { call } = toolBench({ files: { "a.ts": "a\n" } });
    const placeholder = patch("*** Update File: a.ts", "@@", "-a", "+// ... rest of the code unchanged");
    assert.match((await call("apply_patch", placeholder)).text, /stands for code left out/);
    const twice = patch("*** Delete File: a.ts", "*** Add File: a.ts", "+b");
    assert.match((await call("apply_patch", twice)).text, /names a\.ts twice/);
  });
});
