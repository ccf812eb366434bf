import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { directWrites } from "../../../src/extension/changes/directWrites.ts";
import type { TrackedFile } from "../../../src/extension/changes/model/change.ts";
import { liveText } from "../../../src/extension/changes/model/trackedLines.ts";
import { undoHunks } from "../../../src/extension/changes/model/undoHunks.ts";
import type { FileImage } from "../../../src/extension/changes/rewind/storage.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const image = (text: string | undefined): FileImage => (text === undefined ? {} : { bytes: Buffer.from(text) });
const change = (before: string | undefined, after: string | undefined) => ({
  before: image(before),
  after: image(after),
});
type Texts = readonly [before: string | undefined, after: string | undefined];

/** What is offered of one file that changed so while the program worked, with what was written here meanwhile. */
async function offered(texts: Texts, writes: readonly Texts[] = [], { store = new ChangeStore(), isAll = false } = {}) {
  const files: TrackedFile[] = [];
  let id = 0;
  const adopt = directWrites({
    ...{ store, workspace: memoryWorkspace({ files: {} }), newId: () => `id-${++id}` },
    adopt: async (adopted) => void files.push(...adopted),
  });
  const known = new Map(
    isAll || writes.length > 0 ? [["a.ts", { isAll, writes: writes.map((write) => change(...write)) }]] : [],
  );
  const author = { agentIds: ["main"], agentPath: ["main"] };
  const others = await adopt(author, new Map([["a.ts", change(...texts)]]), known);
  const [file] = files;
  const hunks = (file?.hunks ?? []).map(({ hunk }) => [hunk.oldLines, hunk.newLines]);
  return { file, hunks, others, text: file && liveText(file), undone: file && undoHunks(file, () => true).text };
}

describe("What a program writes to the disk directly", () => {
  const before = "a\nb\nc\nd\n";

  it("is offered by its hunks", async () => {
    const { hunks, undone } = await offered([before, "A\nb\nc\nD\n"]);
    assert.deepEqual(hunks, [
      [["a"], ["A"]],
      [["d"], ["D"]],
    ]);
    assert.equal(undone, before);
  });

  it("is nothing of it where only we wrote meanwhile, though that was kept", async () => {
    assert.deepEqual((await offered([before, "a\nb\nc\nD\n"], [], { isAll: true })).others, []);
    assert.equal((await offered([before, "a\nb\nc\nD\n"], [], { isAll: true })).file, undefined);
    assert.equal((await offered([before, "a\nb\nc\nD\n"], [[before, "a\nb\nc\nD\n"]])).file, undefined);
  });

  it("is offered without what we wrote to the same file, before it, after it and between", async () => {
    const cases: Texts[][] = [
      [["A\nb\nc\nd\n", "A\nb\nc\nD\n"]],
      [[before, "a\nb\nc\nD\n"]],
      [
        [before, "a\nb\nc\nDD\n"],
        ["A\nb\nc\nDD\n", "A\nb\nc\nD\n"],
      ],
    ];
    for (const writes of cases) {
      const { hunks, text, undone } = await offered([before, "A\nb\nc\nD\n"], writes);
      assert.deepEqual(hunks, [[["a"], ["A"]]]);
      assert.deepEqual([text, undone], ["A\nb\nc\nD\n", "a\nb\nc\nD\n"]);
    }
  });

  it("is offered where it changed our lines, and its undo brings ours back", async () => {
    const { hunks, undone } = await offered([before, "a\nb\nc\ntheirs\n"], [[before, "a\nb\nc\nours\n"]]);
    assert.deepEqual(hunks, [[["ours"], ["theirs"]]]);
    assert.equal(undone, "a\nb\nc\nours\n");
  });

  it("is a removed file also where we had written to it", async () => {
    const { file, undone } = await offered([before, undefined], [[before, "a\nb\nc\nD\n"]]);
    assert.equal(file?.hunks[0]?.kind, "delete");
    assert.equal(undone, "a\nb\nc\nD\n");
  });

  it("is named where hunks of the file wait already", async () => {
    const store = new ChangeStore();
    store.put((await offered([before, "a\nB\nc\nd\n"])).file ?? assert.fail());
    const { others, file } = await offered(["a\nB\nc\nd\n", "A\nB\nc\nd\n"], [], { store });
    assert.deepEqual([others, file], [["a.ts"], undefined]);
  });
});
