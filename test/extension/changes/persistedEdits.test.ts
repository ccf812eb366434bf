import assert from "node:assert/strict";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import type { LoadedEdits } from "../../../src/extension/changes/persistedEdits.ts";
import { PendingEditsFile } from "../../../src/extension/changes/persistedEdits.ts";
import { applying } from "./support/applying.ts";

const text = "one\r\ntwo\r\nthree\r\nfour\r\nfive";

/** A window over files in memory, with what is saved between windows. */
async function open(disk: { json?: string; aside?: string; files: Record<string, string> }) {
  const session = applying(disk.files);
  const dropped: LoadedEdits["dropped"] = [];
  const errors: unknown[] = [];
  const file = new PendingEditsFile({
    store: session.store,
    saved: {
      read: async () => disk.json,
      write: async (json) => {
        disk.json = json;
      },
      setAside: async () => {
        disk.aside = disk.json ?? "";
        delete disk.json;
      },
    },
    currentTextOf: async (path) => session.textOf(path),
    onDropped: (list) => dropped.push(...list),
    onError: (error) => errors.push(error),
    typingRestsMs: 0,
  });
  const saving = await file.load();
  const close = async () => {
    saving.dispose();
    await file.flush();
    disk.files = Object.fromEntries(session.workspace.files);
  };
  return { ...session, dropped, errors, close };
}

describe("pending edits over a reload of the window", () => {
  it("are the same: what they hold, whose they are, and what undoing gives", async () => {
    const disk: Parameters<typeof open>[0] = { files: { "a.ts": text } };
    const first = await open(disk);
    await first.edit("a.ts", "two", "2", "main/left");
    await first.edit("a.ts", "2", "II", "main/right");
    await first.edit("a.ts", "five", "5\r\n6", "main/left");
    const files = first.store.files;
    await first.close();

    const second = await open(disk);
    assert.deepEqual(second.store.files, files);
    assert.deepEqual(second.dropped, []);
    assert.equal(await second.reviews.undo({ agentId: "left" }), 1);
    assert.equal(second.textOf("a.ts"), text.replace("two", "II"));
    await second.reviews.undo({});
    assert.equal(second.textOf("a.ts"), text);
  });

  it("of another version are kept aside before anything is written", async () => {
    const disk: Parameters<typeof open>[0] = { json: '{"version":2}', files: { "a.ts": text } };
    const first = await open(disk);
    await first.edit("a.ts", "two", "2");
    await first.close();
    assert.equal(disk.aside, '{"version":2}');
    assert.match(disk.json ?? "", /"version":1/);
  });

  it("survive a change of other lines while the window was closed", async () => {
    const disk: Parameters<typeof open>[0] = { files: { "a.ts": text } };
    const first = await open(disk);
    await first.edit("a.ts", "two", "2");
    await first.close();
    disk.files["a.ts"] = `before\r\n${disk.files["a.ts"]}`;
    const second = await open(disk);
    await second.reviews.undo({});
    assert.equal(second.textOf("a.ts"), `before\r\n${text}`);
  });

  it("are dropped and named where their lines are not there any more; the others stay", async () => {
    const disk: Parameters<typeof open>[0] = { files: { "a.ts": text, "b.ts": text } };
    const first = await open(disk);
    await first.edit("a.ts", "two", "2");
    await first.edit("a.ts", "four", "4");
    await first.edit("b.ts", "one", "1");
    await first.close();
    disk.files["a.ts"] = text.replace("two", "rewritten").replace("four", "4");
    delete disk.files["b.ts"];
    const second = await open(disk);
    assert.deepEqual(
      second.dropped.map(({ path }) => path),
      ["a.ts", "b.ts"],
    );
    assert.deepEqual(
      second.pending().map(({ hunk }) => hunk.hunk.newLines),
      [["4"]],
    );
  });

  it("are forgotten when what was saved can't be read", async () => {
    const disk = { files: { "a.ts": text }, json: '{"version":1,"files":[{"pa' };
    const second = await open(disk);
    assert.deepEqual(second.store.files, []);
    await second.edit("a.ts", "two", "2");
    await second.close();
    assert.equal(new ChangeStore().files.length, 0);
    assert.equal((await open(disk)).pending().length, 1);
  });
});
