import assert from "node:assert/strict";
import { reviewing } from "./support/reviewing.ts";

const update = (before: string, after: string) => ({ path: "a.ts", before, after });

describe("an edit whose lines the user changed meanwhile", () => {
  it("is written over them when the user wants the agent's lines", async () => {
    const { reviews, workspace, propose, type } = reviewing({ "a.ts": "a\nb\nc\n" }, ["a.ts"]);
    const { outcome } = await propose([update("a\nb\nc\n", "a\nB\nc\n")]);
    type("a.ts", "a\nmine\nc\n");
    assert.equal(await reviews.accept({}), 1);
    assert.equal(await reviews.acceptOver({}), 0);
    assert.equal(workspace.files.get("a.ts"), "a\nB\nc\n");
    const { files } = await outcome;
    assert.deepEqual(
      files[0]?.hunks.map(({ accepted, hunk }) => [accepted, hunk.oldLines, hunk.newLines]),
      [[true, ["mine"], ["B"]]],
    );
  });

  it("takes all lines that the user made of its own, and no others", async () => {
    const { reviews, workspace, propose, type } = reviewing({ "a.ts": "a\nb\nc\nd\n" }, ["a.ts"]);
    await propose([update("a\nb\nc\nd\n", "a\nX\nd\n")]);
    type("a.ts", "top\na\nb1\nb2\nc\nd\n");
    await reviews.acceptOver({});
    assert.equal(workspace.files.get("a.ts"), "top\na\nX\nd\n");
  });

  it("loses no line around lines that are only added", async () => {
    const { reviews, workspace, propose, type } = reviewing({ "a.ts": "a\nb\n" }, ["a.ts"]);
    await propose([update("a\nb\n", "a\nnew\nb\n")]);
    type("a.ts", "ab\n");
    await reviews.acceptOver({});
    assert.equal(workspace.files.get("a.ts"), "ab\nnew\n");
  });

  it("has the line ends that the file has now", async () => {
    const { reviews, workspace, propose, type } = reviewing({ "a.ts": "a\nb\nc\n" }, ["a.ts"]);
    await propose([update("a\nb\nc\n", "a\nB1\nB2\nc\n")]);
    type("a.ts", "a\r\nmine\r\nc\r\n");
    await reviews.acceptOver({});
    assert.equal(workspace.files.get("a.ts"), "a\r\nB1\r\nB2\r\nc\r\n");
  });

  it("is written over them for all agents who propose the same", async () => {
    const { reviews, store, workspace, propose, type } = reviewing({ "a.ts": "a\n" }, ["a.ts"]);
    await propose([update("a\n", "A\n")], "one");
    await propose([update("a\n", "A\n")], "other");
    type("a.ts", "mine\n");
    await reviews.acceptOver({ hunkId: store.proposals[0]?.files[0]?.hunks[0]?.id ?? "" });
    assert.equal(workspace.files.get("a.ts"), "A\n");
    assert.equal(store.proposals.length, 0);
  });

  it("deletes the file as it is now when the user wants that", async () => {
    const { reviews, workspace, propose, type } = reviewing({ "a.ts": "a\n" }, ["a.ts"]);
    await propose([{ path: "a.ts", before: "a\n" }]);
    type("a.ts", "a\nmine\n");
    assert.equal(await reviews.accept({}), 1);
    assert.equal(await reviews.acceptOver({}), 0);
    assert.equal(workspace.files.get("a.ts"), undefined);
  });

  it("leaves the edits of the same file alone that are not meant", async () => {
    const { reviews, workspace, pending, propose, type } = reviewing({ "a.ts": "a\nb\nc\n" }, ["a.ts"]);
    await propose([update("a\nb\nc\n", "A\nb\nC\n")]);
    type("a.ts", "mine\nb\nours\n");
    await reviews.acceptOver({ hunkId: pending()[0]?.id ?? "" });
    assert.equal(workspace.files.get("a.ts"), "A\nb\nours\n");
    assert.deepEqual(
      pending().map(({ conflicted }) => conflicted),
      [true],
    );
  });

  it("shows in its chat at once that it can't be written, where it is now, and that it can again", async () => {
    const { reviews, events, abort, propose, type } = reviewing({ "a.ts": "a\nb\nc\nd\n" }, ["a.ts"]);
    const { outcome } = await propose([update("a\nb\nc\nd\n", "A\nb\nc\nD\n")]);
    const turn = () => reviews.inTurn(async () => undefined);
    const shown = () =>
      events.flatMap((event) =>
        event.type === "approval_requested"
          ? [
              event.approval.files.flatMap(({ hunks }) =>
                hunks.map((hunk) => [hunk.oldStart, hunk.conflicted ?? false]),
              ),
            ]
          : [],
      );
    const first = [
      [1, false],
      [4, false],
    ];
    type("a.ts", "a\nb\ntyped\nc\nd\n");
    await turn();
    assert.deepEqual(shown(), [first], "a line that is typed elsewhere is no news");
    type("a.ts", "a\nb\ntyped\nc\nmine\n");
    await turn();
    const conflict = [
      [1, false],
      [5, true],
    ];
    assert.deepEqual(shown(), [first, conflict]);
    type("a.ts", "a\nb\ntyped\nc\nd\n");
    await turn();
    const again = [
      [1, false],
      [5, false],
    ];
    assert.deepEqual(shown(), [first, conflict, again]);
    abort.abort();
    await outcome;
    type("a.ts", "gone\n");
    await turn();
    assert.equal(shown().length, 3, "what is closed is not shown again");
  });

  it("is shown to the chat of another agent whose accepted edit took its lines", async () => {
    const { reviews, events, propose, store } = reviewing({ "a.ts": "a\n" });
    await propose([update("a\n", "one\n")], "one");
    await propose([update("a\n", "other\n")], "other");
    await reviews.accept({ proposalId: store.proposals[0]?.id ?? "" });
    await reviews.inTurn(async () => undefined);
    const last = events.at(-1);
    assert.equal(last?.type === "approval_requested" && last.approval.files[0]?.hunks[0]?.conflicted, true);
  });
});

describe("a pending edit of a file that the user moved away", () => {
  it("is refused without a file of that name, and is written where it belongs once the file is back", async () => {
    const text = "a\nb\nc\n";
    for (const after of ["a\nB\nc\n", "new\na\nb\nc\n", undefined]) {
      const { reviews, workspace, store, propose, type } = reviewing({ "a.ts": text });
      await propose([{ path: "a.ts", before: text, ...(after !== undefined && { after }) }]);
      await workspace.move("a.ts", "moved.ts");
      await assert.rejects(reviews.accept({}), /a\.ts does not exist/);
      await assert.rejects(reviews.acceptOver({}), /a\.ts does not exist/);
      assert.deepEqual([...workspace.files], [["moved.ts", text]]);
      assert.equal(store.proposals.length, 1);
      type("a.ts", text);
      assert.equal(await reviews.accept({}), 0);
      assert.equal(workspace.files.get("a.ts"), after);
      assert.equal(store.proposals.length, 0);
    }
  });
});
