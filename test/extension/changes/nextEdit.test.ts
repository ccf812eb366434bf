import assert from "node:assert/strict";
import { editPositions, type LookingAt, nextEdit } from "../../../src/extension/changes/nextEdit.ts";
import { isNearView } from "../../../src/extension/changes/shownHunks.ts";
import { reviewing } from "./support/reviewing.ts";

const text = "a\nb\nc\nd\ne\n";
const change = (path: string, ...lines: string[]) => ({
  path,
  before: text,
  after: lines.reduce((result, line) => result.replace(line, line.toUpperCase()), text),
});

/** Two files with edits at lines 0 and 4, and at line 2. */
async function waiting() {
  const { store, propose } = reviewing({ "one.ts": text, "two.ts": text });
  await propose([change("one.ts", "a", "e")]);
  await propose([change("two.ts", "c")], "other");
  return store;
}

const goes = (from: LookingAt | undefined, direction: 1 | -1, positions: ReturnType<typeof editPositions>) => {
  const next = nextEdit(positions, from, direction);
  return next && `${next.path}:${next.line}`;
};

describe("the next edit that waits", () => {
  it("is the next one in the file, then the first of the next file, then the very first", async () => {
    const positions = editPositions(await waiting());
    assert.equal(goes({ path: "one.ts", line: 0 }, 1, positions), "one.ts:4");
    assert.equal(goes({ path: "one.ts", line: 4 }, 1, positions), "two.ts:2");
    assert.equal(goes({ path: "two.ts", line: 2 }, 1, positions), "one.ts:0");
  });

  it("goes the same way back", async () => {
    const positions = editPositions(await waiting());
    assert.equal(goes({ path: "one.ts", line: 0 }, -1, positions), "two.ts:2");
    assert.equal(goes({ path: "two.ts", line: 2 }, -1, positions), "one.ts:4");
    assert.equal(goes({ path: "one.ts", line: 4 }, -1, positions), "one.ts:0");
  });

  it("is the first one for who looks at another file, and none when none waits", async () => {
    assert.equal(goes({ path: "other.ts", line: 9 }, 1, editPositions(await waiting())), "one.ts:0");
    assert.equal(goes(undefined, 1, editPositions(await waiting())), "one.ts:0");
    assert.equal(goes(undefined, 1, []), undefined);
  });

  it("leads on from lines behind the end of the text", async () => {
    const { store, propose } = reviewing({ "one.ts": "a" });
    await propose([{ path: "one.ts", before: "a", after: "a\nb" }]);
    await propose([{ path: "two.ts", after: "new" }], "other");
    const positions = editPositions(store);
    assert.equal(goes({ path: "one.ts", line: 0 }, 1, positions), "two.ts:0");
  });

  it("is shown in a diff where there is no file yet", async () => {
    const { store, propose } = reviewing({});
    await propose([{ path: "new.ts", after: "new\n" }]);
    assert.deepEqual(
      editPositions(store).map(({ shownIn }) => shownIn),
      ["diff"],
    );
  });

  it("counts lines as the diff that is looked at does, and leads out of it", async () => {
    const store = await waiting();
    const [first, last] = editPositions(store);
    const lines = new Map([
      [first?.id ?? "", 10],
      [last?.id ?? "", 20],
    ]);
    const at = (line: number): LookingAt => ({
      path: "one.ts",
      line,
      diff: { proposalId: first?.proposalId ?? "", lines },
    });
    assert.equal(goes(at(10), 1, editPositions(store, at(10))), "one.ts:20");
    assert.equal(goes(at(20), 1, editPositions(store, at(20))), "two.ts:2");
  });
});

describe("lines near a view", () => {
  it("are those in it and those of the page before and after it", () => {
    const view = { start: 100, end: 140 };
    assert.deepEqual(
      [59, 60, 120, 179, 180].map((line) => isNearView(line, view)),
      [false, true, true, true, false],
    );
  });

  it("are some lines also around a view that shows nearly none", () => {
    assert.equal(isNearView(15, { start: 0, end: 1 }), true);
  });
});
