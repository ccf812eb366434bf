import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { proposedEdits } from "../../../src/extension/foreignAgents/proposedEdits.ts";
import type { ToolContent } from "../../../src/extension/foreignAgents/protocol.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { arrangeDelegations, type DelegationOptions } from "./delegations.ts";

const { signal } = new AbortController();

describe("what another program shows of an edit", () => {
  const files = { "a.ts": "one\ntwo\nthree\n", "crlf.ts": "one\r\ntwo\r\n", "twice.ts": "one\none\n" };
  const edits = (
    parts: Omit<Extract<ToolContent, { type: "diff" }>, "type">[],
    args: unknown = {},
    paths: string[] = [],
  ) =>
    proposedEdits(
      { content: parts.map((part) => ({ type: "diff", ...part })), args, paths },
      memoryWorkspace({ files }),
      signal,
    );

  it("is understood as whole files, as lines that are in a file once, and as a new file", async () => {
    assert.deepEqual(
      await edits([
        { path: "a.ts", oldText: files["a.ts"], newText: "one\n" },
        { path: "new.ts", oldText: null, newText: "new\n" },
      ]),
      [
        { path: "a.ts", before: files["a.ts"], after: "one\n" },
        { path: "new.ts", after: "new\n" },
      ],
    );
    assert.deepEqual(await edits([{ path: "a.ts", oldText: "two", newText: "TWO\ntoo" }]), [
      { path: "a.ts", before: files["a.ts"], after: "one\nTWO\ntoo\nthree\n" },
    ]);
    assert.deepEqual(await edits([{ path: "a.ts", newText: "whole\n" }]), [
      { path: "a.ts", before: files["a.ts"], after: "whole\n" },
    ]);
  });

  it("is one change of a file where several parts are about it, with the file's own line ends", async () => {
    assert.deepEqual(
      await edits([
        { path: "crlf.ts", oldText: "one\n", newText: "1\n" },
        { path: "crlf.ts", oldText: "1\ntwo", newText: "1\n2\n3" },
      ]),
      [{ path: "crlf.ts", before: files["crlf.ts"], after: "1\r\n2\r\n3\r\n" }],
    );
  });

  it("is not understood where lines are not there, or more than once, unless each is meant", async () => {
    const twice = { path: "twice.ts", oldText: "one", newText: "two" };
    assert.equal(await edits([twice]), undefined);
    assert.deepEqual(await edits([twice], { replace_all: true }), [
      { path: "twice.ts", before: "one\none\n", after: "two\ntwo\n" },
    ]);
    for (const part of [
      { path: "a.ts", oldText: "four", newText: "4" },
      { path: "a.ts", oldText: "", newText: "4" },
      { path: "gone.ts", oldText: "x", newText: "y" },
      { path: "../outside.ts", oldText: null, newText: "y" },
      { path: "a.ts", oldText: "two", newText: "two" },
    ]) {
      assert.equal(await edits([part]), undefined, JSON.stringify(part));
    }
    assert.equal(await edits([]), undefined);
  });

  it("is not understood where it is about a file that is not shown, or leaves nothing of one", async () => {
    const part = { path: "a.ts", oldText: "two", newText: "TWO" };
    assert.notEqual(await edits([part], {}, ["a.ts"]), undefined);
    for (const path of ["crlf.ts", "../outside.ts"]) {
      assert.equal(await edits([part], {}, ["a.ts", path]), undefined, path);
    }
    // Codex shows a file that it deletes so.
    assert.equal(await edits([part, { path: "twice.ts", oldText: files["twice.ts"], newText: "" }]), undefined);
  });
});

/** A program that asks, and then writes to the disk on its own. */
async function arrangeEdit(options: DelegationOptions = {}, prompt = "edit a.ts") {
  const folder = await mkdtemp(join(tmpdir(), "arbor-edit-"));
  const text = "one\ntwo\nthree\n";
  await writeFile(join(folder, "a.ts"), text);
  const arranged = arrangeDelegations([prompt], { folder, ...options });
  const onDisk = () => readFile(join(folder, "a.ts"), "utf8");
  const inEditor = async () => {
    const content = await arranged.workspace.read("a.ts", signal);
    return content.kind === "text" ? content.text : "";
  };
  /** What the panel shows of its call. */
  const shown = () => {
    const child = Object.values(arranged.tree().nodes).find(({ meta }) => meta.name === "Tester");
    return child?.messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message)] : [])) ?? [];
  };
  return { ...arranged, onDisk, inEditor, shown, text };
}

describe("an edit that another program asks about before it writes", function () {
  this.timeout(15_000);

  it("is asked by hunk, in no question of its own, and written by the program where all of it is accepted", async () => {
    const { run, onDisk, inEditor, asked, text } = await arrangeEdit();
    assert.deepEqual(await run(), ["yes"]);
    assert.deepEqual(asked, []);
    assert.equal(await onDisk(), "ONE\ntwo\nTHREE\n");
    assert.equal(await inEditor(), text, "Arbor has not written it");
  });

  it("is written by Arbor as far as hunks are accepted, and the program learns what and why", async () => {
    for (const args of [[], ["--no-steering"]]) {
      const { run, onDisk, inEditor, shown, text } = await arrangeEdit({
        args,
        answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
      });
      const [result = ""] = await run();
      assert.match(result, /user took a part of your edit\..*Edited a\.ts: kept 1 change.*rejected 1.*keep it/s);
      assert.equal(await inEditor(), "one\ntwo\nTHREE\n");
      assert.equal(await onDisk(), text, "the program was answered with no");
      assert.match(shown()[0] ?? "", /^no\n\nThe user took a part/);
    }
  });

  it("of one that it spawned and does not wait for is reported to it all the same", async () => {
    for (const args of [[], ["--no-steering"]]) {
      const answer = { answer: () => ({ reject: "keep it" }) };
      const { run, onDisk, text } = await arrangeEdit({ args, answer }, "behind a.ts");
      assert.match((await run())[0] ?? "", /your sub-agent behind: The user did not allow your edit\..*keep it/s);
      assert.equal(await onDisk(), text);
    }
  });

  it("is answered with the reason of a no, and nothing more where none is given", async () => {
    const why = await arrangeEdit({ answer: { answer: () => ({ reject: "leave it" }) } });
    assert.match((await why.run())[0] ?? "", /did not allow your edit\..*leave it/s);
    const plain = await arrangeEdit({ answer: { answer: () => ({ reject: "" }) } });
    assert.deepEqual(await plain.run(), ["no"]);
    assert.deepEqual([await plain.onDisk(), await plain.inEditor()], [plain.text, plain.text]);
  });

  it("is asked about as the program shows it where it is outside the workspace", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-outside-"));
    await writeFile(join(folder, "b.ts"), "one\n");
    const { run, asked } = await arrangeEdit({}, `edit ../${folder.split("/").at(-1)}/b.ts`);
    assert.deepEqual(await run(), ["yes"]);
    assert.deepEqual(
      asked.map((request) => request.kind === "foreign" && [request.isEdit, request.details.includes("+ONE")]),
      [[true, true]],
    );
  });

  it("of a program that gives up at a no goes on with what the user said of it", async () => {
    const { run } = await arrangeEdit({ allows: false, reason: "not now" }, `command ${tmpdir()} npm test`);
    assert.match((await run())[0] ?? "", /user did not allow npm test: not now/);
  });
});
