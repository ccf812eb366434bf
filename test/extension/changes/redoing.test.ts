import assert from "node:assert/strict";
import { applying } from "./support/applying.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("redoing what was undone", () => {
  it("brings edits back as pending, around what the user typed since", async () => {
    const session = applying({ "a.ts": text, "b.ts": text });
    const { edit, reviews, type, textOf, pending, store } = session;
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await edit("b.ts", "one", "1");
    const before = pending();
    await reviews.undo({});
    assert.deepEqual([textOf("a.ts"), textOf("b.ts"), pending()], [text, text, []]);
    assert.equal(store.undone.length, 1);
    type("a.ts", "typed\none\ntwo\nthree\nfour\nfive\nmore\n");
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), "typed\none\n2\nthree\nfour\n5\nmore\n");
    assert.equal(textOf("b.ts"), text.replace("one", "1"));
    assert.deepEqual(
      pending()
        .map(({ hunk }) => hunk.id)
        .toSorted(),
      before.map(({ hunk }) => hunk.id).toSorted(),
    );
    assert.equal(store.undone.length, 0);
    await reviews.undo({});
    assert.equal(textOf("a.ts"), "typed\none\ntwo\nthree\nfour\nfive\nmore\n");
  });

  it("leaves the user's lines where they replaced what would come back, and says so", async () => {
    const { edit, reviews, type, textOf, pending } = applying({ "a.ts": text });
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await reviews.undo({});
    type("a.ts", "one\nmine\nthree\nfour\nfive\n");
    assert.equal(await reviews.redo(), 1);
    assert.equal(textOf("a.ts"), "one\nmine\nthree\nfour\n5\n");
    assert.deepEqual(
      pending().map(({ hunk }) => hunk.hunk.newLines),
      [["5"]],
    );
  });

  it("makes, removes and moves files again, unless the user put something in their place", async () => {
    const { apply, reviews, type, textOf, pending } = applying({ "gone.ts": text, "old.ts": "old\n" });
    await apply([{ path: "new.ts", after: "new\n" }]);
    await apply([{ path: "gone.ts", before: text }]);
    await apply([{ path: "old.ts", movedTo: "moved.ts" }]);
    await reviews.undo({});
    assert.deepEqual(["new.ts", "gone.ts", "old.ts", "moved.ts"].map(textOf), [undefined, text, "old\n", undefined]);
    assert.equal(await reviews.redo(), 0);
    assert.deepEqual(["new.ts", "gone.ts", "old.ts", "moved.ts"].map(textOf), ["new\n", undefined, undefined, "old\n"]);
    assert.equal(pending().length, 3);
    await reviews.undo({});
    type("new.ts", "mine\n");
    type("gone.ts", "mine\n");
    assert.equal(await reviews.redo(), 2);
    assert.deepEqual(["new.ts", "gone.ts", "moved.ts"].map(textOf), ["mine\n", "mine\n", "old\n"]);
  });

  it("goes back undo by undo, and ends with the next edit of an agent", async () => {
    const { edit, reviews, textOf, pending, store } = applying({ "a.ts": text });
    await edit("a.ts", "two", "2");
    await edit("a.ts", "five", "5");
    await reviews.undo({ hunkId: pending()[0]?.hunk.id ?? "" });
    await reviews.undo({});
    await reviews.redo();
    assert.equal(textOf("a.ts"), text.replace("five", "5"));
    await reviews.redo();
    assert.equal(textOf("a.ts"), text.replace("five", "5").replace("two", "2"));
    assert.equal(pending().length, 2);
    await reviews.undo({});
    await edit("a.ts", "three", "3");
    assert.equal(store.undone.length, 0);
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), text.replace("three", "3"));
  });
});
