import assert from "node:assert/strict";
import { UserStop } from "../../../src/extension/common/userError.ts";
import { fileEditsIn } from "../../../src/protocol/fileEdits.ts";
import { toolBench } from "../../support/editorTools.ts";

const edit = (path: string, old_text: string, new_text: string) => ({ path, edits: [{ old_text, new_text }] });

describe("edit_file", () => {
  it("writes what the user accepts and reports the hunks", async () => {
    const { call, workspace, review } = toolBench({ files: { "a.ts": "one\r\ntwo\r\n" } });
    const { text, result } = await call("edit_file", edit("./a.ts", "two", "2\n3"), { callId: "c7" });
    assert.equal(workspace.files.get("a.ts"), "one\r\n2\r\n3\r\n");
    assert.equal(text, "Edited a.ts: 1 change (+2 −1).\n@@ -2,1 +2,2 @@\n-two\n+2\n+3");
    assert.deepEqual(result.details, {
      files: [
        {
          ...{ path: "a.ts", change: "update", accepted: 1, rejected: 0, added: 2, removed: 1 },
          hunks: [{ line: 2, oldLines: ["two"], newLines: ["2", "3"] }],
          ...{ saved: true, changedByUser: false },
        },
      ],
    });
    assert.equal(fileEditsIn(result.details).length, 1, "the panel reads what the tool wrote");
    const [proposal] = review.proposals;
    assert.deepEqual(
      { callId: proposal?.callId, toolName: proposal?.toolName, agentPath: proposal?.agentPath },
      { callId: "c7", toolName: "edit_file", agentPath: ["main"] },
    );
    assert.deepEqual(proposal?.changes, [{ path: "a.ts", before: "one\r\ntwo\r\n", after: "one\r\n2\r\n3\r\n" }]);
  });

  it("reports a rejection with the user's words and that nothing was written", async () => {
    const bench = toolBench({ files: { "a.ts": "one\n" } }, { answer: () => ({ reject: "use the helper" }) });
    const { text, result } = await bench.call("edit_file", edit("a.ts", "one", "two"));
    const [shown] = fileEditsIn(result.details);
    assert.deepEqual([shown?.added, shown?.removed], [0, 0]);
    assert.deepEqual(shown?.hunks, [
      { line: 1, oldLines: ["one"], newLines: ["two"], left: "rejected", reason: "use the helper" },
    ]);
    assert.equal(
      text,
      'The user rejected the edit of a.ts: nothing was written.\nRejected by the user saying: "use the helper"\n@@ -1,1 +1,1 @@\n-one\n+two',
    );
    assert.equal(bench.workspace.files.get("a.ts"), "one\n");
  });

  it("keeps the hunks that were accepted and lists the others", async () => {
    const bench = toolBench(
      { files: { "a.ts": "one\nmid\ntwo\n" } },
      { answer: (hunk) => (hunk.oldStart === 1 ? "accept" : { reject: "" }) },
    );
    const edits = [
      { old_text: "one", new_text: "1" },
      { old_text: "two", new_text: "2" },
    ];
    const { text } = await bench.call("edit_file", { path: "a.ts", edits });
    assert.equal(bench.workspace.files.get("a.ts"), "1\nmid\ntwo\n");
    assert.equal(
      text,
      "Edited a.ts: kept 1 change (+1 −1), rejected 1.\n@@ -1,1 +1,1 @@\n-one\n+1\nRejected by the user without a reason\n@@ -3,1 +3,1 @@\n-two\n+2",
    );
  });

  it("reports what the user changed in the proposal", async () => {
    const bench = toolBench({ files: { "a.ts": "one\n" } }, { change: (text) => text.replace("two", "TWO") });
    const { text } = await bench.call("edit_file", edit("a.ts", "one", "two"));
    assert.match(text, /The user changed your proposal before accepting it;.*\n@@ -1,1 \+1,1 @@\n-two\n\+TWO$/);
  });

  it("says that it found the text with another indentation", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "f {\n\tone\n\t\ttwo\n}\n" } });
    const { text } = await call("edit_file", edit("a.ts", "  one\n    two", "  one\n    2"));
    assert.equal(workspace.files.get("a.ts"), "f {\n\tone\n\t\t2\n}\n");
    assert.match(text, /\nMatched ignoring indentation: copy the lines exactly next time\.$/);
  });

  it("reports what saving changed", async () => {
    const bench = toolBench({ files: { "a.ts": "one\n" }, onSave: (text) => text.replace(/"/g, "'") });
    const { text } = await bench.call("edit_file", edit("a.ts", "one", 'x = "y"'));
    assert.match(text, /Beside your edit the file got these changes.*\n@@ -1,1 \+1,1 @@\n-x = "y"\n\+x = 'y'$/);
  });

  it("19 builds on unsaved text, loses none of it and says that it stays unsaved", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" }, unsaved: { "a.ts": "typed\none\n" } });
    const { text } = await call("edit_file", edit("a.ts", "one", "two"));
    assert.equal(workspace.unsaved.get("a.ts"), "typed\ntwo\n");
    assert.equal(workspace.files.get("a.ts"), "one\n");
    assert.match(text, /was not saved/);
  });

  it("reports which problems appeared and which vanished, wherever their lines moved", async () => {
    const problem = (message: string, line: number) =>
      ({ path: "a.ts", line, column: 1, severity: "error", message, source: "ts" }) as const;
    const { call } = toolBench({
      files: { "a.ts": "one\ntwo\n" },
      diagnostics: [problem("stays", 2), problem("goes", 1)],
      diagnose: () => [problem("stays", 5), problem("comes", 4)],
    });
    const { text } = await call("edit_file", edit("a.ts", "one", "1\n1\n1\n1"));
    assert.match(text, /\nNew problems:\n4:1 error: comes \(ts\)\nSolved problems:\n1:1 error: goes \(ts\)$/);
  });

  it("reports the problems that there are when it was answered before the earlier ones were known", async () => {
    const answered = Promise.withResolvers<void>();
    const bench = toolBench({ files: { "a.ts": "one\n" }, diagnose: () => [{ ...place, message: "wrong" }] });
    const place = { path: "a.ts", line: 2, column: 1, severity: "error" } as const;
    const { diagnostics } = bench.workspace;
    let count = 0;
    bench.workspace.diagnostics = async (path) => {
      if (count++ === 0) await answered.promise;
      return diagnostics(path);
    };
    const { text } = await bench.call("edit_file", edit("a.ts", "one", "two"));
    answered.resolve();
    assert.match(text, /\nProblems in the file now:\n2:1 error: wrong$/);
  });

  it("18 refuses an edit of lines that another agent changed since, and says what and by whom", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\ntwo\n" } });
    await call("read_file", { path: "a.ts" });
    await call("edit_file", edit("a.ts", "one", "1"), { agent: "edit" });
    const { text, result } = await call("edit_file", edit("a.ts", "one", "eins"));
    assert.equal(result.isError, true);
    assert.equal(
      text,
      "a.ts changed since you read it by main › edit. Read it again, then edit what it holds now.\n@@ -1,1 +1,1 @@\n-one\n+1",
    );
    assert.equal(workspace.files.get("a.ts"), "1\ntwo\n");
  });

  it("names the user or another program where no agent made the change", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" });
    workspace.files.set("a.ts", "ONE\n");
    const { text } = await call("edit_file", edit("a.ts", "ONE", "two"));
    assert.match(text, /^a\.ts changed since you read it by the user or another program\./);
  });

  it("lets an agent go on after its own edit, and after it has read again", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" });
    await call("edit_file", edit("a.ts", "one", "two"));
    await call("edit_file", edit("a.ts", "two", "three"));
    workspace.files.set("a.ts", "four\n");
    await call("read_file", { path: "a.ts" });
    await call("edit_file", edit("a.ts", "four", "five"));
    assert.equal(workspace.files.get("a.ts"), "five\n");
  });

  it("does not take the user's typing during a rejected proposal for seen", async () => {
    const bench = toolBench(
      { files: { "a.ts": "one\n" } },
      {
        answer: () => ({ reject: "no" }),
        whileOpen: async () => void bench.workspace.unsaved.set("a.ts", "one\ntyped\n"),
      },
    );
    await bench.call("read_file", { path: "a.ts" });
    await bench.call("edit_file", edit("a.ts", "one", "two"));
    const { text } = await bench.call("edit_file", edit("a.ts", "one", "two"));
    assert.match(text, /^a\.ts changed since you read it by the user/m);
    assert.match(text, /@@ -2,0 \+2,1 @@\n\+typed$/);
  });

  it("lets two agents edit one file one after the other, the later on what the earlier wrote", async () => {
    const bench = toolBench({ files: { "a.ts": "one\ntwo\n" } });
    const answers = await Promise.all([
      bench.call("edit_file", edit("a.ts", "one", "1"), { agent: "left" }),
      bench.call("edit_file", edit("a.ts", "two", "2"), { agent: "right" }),
    ]);
    assert.deepEqual(
      answers.map(({ result }) => result.isError ?? false),
      [false, false],
    );
    assert.equal(bench.workspace.files.get("a.ts"), "1\n2\n");
    assert.equal(bench.review.proposals[1]?.changes[0]?.before, "1\ntwo\n");
  });

  it("leaves the queue when it is called off while it waits", async () => {
    const open = Promise.withResolvers<void>();
    const bench = toolBench({ files: { "a.ts": "one\n" } }, { whileOpen: () => open.promise });
    const first = bench.call("edit_file", edit("a.ts", "one", "two"));
    const stop = new AbortController();
    const second = bench.call("edit_file", edit("a.ts", "one", "x"), { agent: "other", signal: stop.signal });
    const third = bench.call("edit_file", edit("a.ts", "two", "three"), { agent: "third" });
    stop.abort(new Error("stopped"));
    await assert.rejects(second, /stopped/);
    open.resolve();
    await first;
    await third;
    assert.equal(bench.workspace.files.get("a.ts"), "three\n");
  });

  it("writes nothing when the run stops while the proposal is open", async () => {
    const stop = new AbortController();
    const bench = toolBench(
      { files: { "a.ts": "one\n" } },
      { whileOpen: async () => stop.abort(new Error("stopped")) },
    );
    await assert.rejects(bench.call("edit_file", edit("a.ts", "one", "two"), { signal: stop.signal }), /stopped/);
    assert.equal(bench.workspace.files.get("a.ts"), "one\n");
  });

  it("says what the file holds when the run stops while an accepted change is still being saved", async () => {
    const saving = Promise.withResolvers<void>();
    const stop = new AbortController();
    const bench = toolBench(
      { files: { "a.ts": "one\ntwo\nthree\n" } },
      {
        whileOpen: async () => {
          bench.workspace.unsaved.set("a.ts", "1\ntwo\nthree\n");
          stop.abort(new UserStop());
          await saving.promise;
        },
      },
    );
    const edits = [
      { old_text: "one", new_text: "1" },
      { old_text: "three", new_text: "3" },
    ];
    const { text } = await bench.call("edit_file", { path: "a.ts", edits }, { signal: stop.signal });
    saving.resolve();
    assert.match(text, /^Edited a\.ts: kept 1 change \(\+1 −1\), not answered 1\.\n.*\n-one\n\+1\n/);
    assert.match(text, /\nNot answered: the user stopped the run\n.*\n-three\n\+3\n/);
    assert.match(text, /it was not saved/);
  });

  it("applies all edits or none and proposes nothing when one fails", async () => {
    const { call, workspace, review } = toolBench({ files: { "a.ts": "one\ntwo\n" } });
    const edits = [
      { old_text: "one", new_text: "1" },
      { old_text: "tvo", new_text: "2" },
    ];
    const { text, result } = await call("edit_file", { path: "a.ts", edits });
    assert.equal(result.isError, true);
    assert.match(text, /^edits\[1\]: old_text was not found\. The nearest lines are:\n2\ttwo\n/);
    assert.equal(workspace.files.get("a.ts"), "one\ntwo\n");
    assert.equal(review.proposals.length, 0);
  });

  it("refuses code in a fence of Markdown, but where the file has such fences", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\ntwo\n", "b.ts": "/*\n```\nx\n```\n*/\ntwo\n" } });
    const fenced = "```ts\n2\n```";
    const { text, result } = await call("edit_file", edit("a.ts", "two", fenced));
    assert.equal(result.isError, true);
    assert.match(text, /^new_text is in a Markdown code fence/);
    await call("edit_file", edit("b.ts", "two", fenced));
    assert.match(String(workspace.files.get("b.ts")), /```ts/);
  });

  it("replaces every place with replace_all", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "x x\nx\n" } });
    await call("edit_file", { path: "a.ts", edits: [{ old_text: "x", new_text: "$&", replace_all: true }] });
    assert.equal(workspace.files.get("a.ts"), "$& $&\n$&\n");
  });

  it("names near paths when the file is missing, and refuses images", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "", "x.png": { mimeType: "image/png", data: "" } } });
    assert.match((await call("edit_file", edit("a.ts", "x", "y"))).text, /Did you mean src\/a\.ts\?/);
    assert.match((await call("edit_file", edit("x.png", "x", "y"))).text, /is an image/);
  });
});
