import assert from "node:assert/strict";
import fc from "fast-check";
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

  it("brings a line back once, where a formatter has changed the one beside it since the undo", async () => {
    const { edit, reviews, type, textOf, pending } = applying({ "a.ts": "one  \ntwo\nthree\n" });
    await edit("a.ts", "one  \ntwo", "one");
    await reviews.undo({});
    type("a.ts", "one\ntwo\nthree\n");
    assert.equal(await reviews.redo(), 1);
    assert.equal(textOf("a.ts"), "one\ntwo\nthree\n");
    assert.deepEqual(pending(), []);
    await reviews.undo({});
    assert.equal(textOf("a.ts"), "one\ntwo\nthree\n");
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

  it("and undone again loses and doubles no line, whatever was typed or formatted meanwhile", async () => {
    const change = fc.constantFrom("keep", "keep", "keep", "remove", "replace", "insert", "trim");
    const plan = fc.record({ blanks: fc.boolean(), byAgent: change, byUser: change });
    const changed = (line: string, how: string, name: string) => {
      if (how === "remove") return [];
      if (how === "replace") return [name];
      if (how === "insert") return [name, line];
      return [how === "trim" ? line.trimEnd() : line];
    };
    const linesOf = (text = "") => text.split("\n").slice(0, -1);
    const textOfLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 9 }), async (plans) => {
        const lines = plans.map(({ blanks }, at) => `line ${at}${blanks ? "  " : ""}`);
        const before = textOfLines(lines);
        const after = textOfLines(plans.flatMap(({ byAgent }, at) => changed(lines[at] ?? "", byAgent, `agent ${at}`)));
        const typed = plans.flatMap(({ byUser }, at) => changed(lines[at] ?? "", byUser, `user ${at}`));
        const { apply, reviews, type, textOf, pending } = applying({ "a.ts": before });
        await apply([{ path: "a.ts", before, after }]);
        const written = pending().length;
        await reviews.undo({});
        assert.equal(textOf("a.ts"), before);
        type("a.ts", textOfLines(typed));
        const left = await reviews.redo();
        assert.equal(pending().length, written - left);
        await reviews.undo({});
        const end = linesOf(textOf("a.ts")).map((line) => line.trimEnd());
        assert.equal(new Set(end).size, end.length, `A line is there twice: ${end}`);
        for (const line of typed) assert.ok(end.includes(line.trimEnd()), `${line} is lost: ${end}`);
      }),
      { numRuns: 1_000 },
    );
  });
});
