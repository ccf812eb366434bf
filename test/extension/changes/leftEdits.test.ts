import assert from "node:assert/strict";
import type { ProposedChange } from "../../../src/extension/changes/model/change.ts";
import { openWindow, type WindowOptions } from "./support/mortalWindow.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";
const [here, gone] = ["/windows/0", "/windows/1"];
type Window = Awaited<ReturnType<typeof openWindow>>;

describe("pending edits that a window left which is gone", () => {
  let storage: Map<string, string>;
  let files: Map<string, string>;
  beforeEach(() => {
    storage = new Map();
    files = new Map(["a.ts", "b.ts", "c.ts"].map((path) => [path, text]));
  });

  const open = (folder: string, more: Partial<WindowOptions> = {}) =>
    openWindow({ storage, files, folder, mode: "after", ...more });
  const edit = async (window: Window, path: string, from: string, to: string) => {
    const before = files.get(path) ?? "";
    const change: ProposedChange = { path, before, after: before.replace(from, () => to) };
    await window.propose([change], "main", `${path} ${from}`);
    await window.saved.flush();
  };
  /** What waits, as file and new lines. */
  const waiting = ({ store }: Window) =>
    store.files.flatMap(({ path, hunks }) => hunks.map(({ hunk }) => `${path} ${hunk.newLines}`)).sort();
  const inGone = () => [...storage.keys()].filter((path) => path.startsWith(`${gone}/pending`));
  const leftFile = `${gone}/pending-edits.json`;

  it("are answered in the one that takes them up, beside its own", async () => {
    const left = await open(gone);
    await edit(left, "a.ts", "one", "1");
    await edit(left, "b.ts", "five", "5");
    const living = await open(here);
    await edit(living, "c.ts", "two", "2");
    await living.adopt(gone);
    assert.deepEqual(waiting(living), ["a.ts 1", "b.ts 5", "c.ts 2"]);
    assert.deepEqual(inGone(), []);
    assert.deepEqual(waiting(await open(here)), ["a.ts 1", "b.ts 5", "c.ts 2"]);
    await living.applied.undo({});
    assert.deepEqual([...living.workspace.files.values()], [text, text, text]);
    assert.deepEqual(living.errors, []);
  });

  it("wait where they are while something waits here in the same file", async () => {
    const left = await open(gone);
    await edit(left, "a.ts", "one", "1");
    await edit(left, "b.ts", "one", "1");
    const living = await open(here);
    await edit(living, "a.ts", "five", "5");
    await living.adopt(gone);
    assert.deepEqual(waiting(living), ["a.ts 5", "b.ts 1"]);
    assert.deepEqual(waiting(await open(gone)), ["a.ts 1"]);
    const json = storage.get(leftFile);
    await living.adopt(gone);
    assert.equal(storage.get(leftFile), json);
    await living.applied.keep({ path: "a.ts" });
    await living.adopt(gone);
    assert.deepEqual(waiting(living), ["a.ts 1", "b.ts 1"]);
    assert.equal(storage.has(leftFile), false);
    await living.applied.undo({});
    assert.equal(living.workspace.files.get("a.ts"), text.replace("five", "5"));
  });

  it("are neither lost nor doubled wherever the one that takes them up is killed", async () => {
    const all = ["a.ts 1", "b.ts 1", "c.ts 2"];
    let isThrough = false;
    let steps = 0;
    for (; !isThrough; steps++) {
      storage = new Map();
      files = new Map(["a.ts", "b.ts", "c.ts"].map((path) => [path, text]));
      const left = await open(gone);
      await edit(left, "a.ts", "one", "1");
      await edit(left, "b.ts", "one", "1");
      await edit(await open(here), "c.ts", "two", "2");
      const killed = await open(here, { diesAfter: steps });
      isThrough = (await Promise.race([killed.adopt(gone), killed.dead])) !== "dead";
      const stored = new Map(storage);

      const next = await open(here);
      await next.adopt(gone);
      assert.deepEqual(waiting(next), all, `killed after ${steps} calls`);
      assert.equal(storage.has(leftFile), false);

      storage = stored;
      const deciding = await open(here);
      const kept = waiting(deciding);
      await deciding.applied.keep({});
      await deciding.adopt(gone);
      const others = all.filter((each) => !kept.includes(each));
      assert.deepEqual(waiting(deciding), others, `kept before the rest came, killed after ${steps} calls`);
    }
    assert.ok(steps > 6, `${steps} places to be killed at`);
  });

  it("are not offered again when they are answered before they could be removed there", async () => {
    await edit(await open(gone), "a.ts", "one", "1");
    const left = storage.get(leftFile) ?? "";
    const living = await open(here);
    await living.adopt(gone);
    storage.set(leftFile, left);
    await living.applied.undo({});
    assert.equal(living.workspace.files.get("a.ts"), text);
    await living.adopt(gone);
    assert.deepEqual(waiting(living), []);
    assert.equal(storage.has(leftFile), false);
  });

  it("are set aside when they can't be read", async () => {
    storage.set(leftFile, '{"version":1,"fi');
    const living = await open(here);
    await edit(living, "a.ts", "one", "1");
    await living.adopt(gone);
    const [name = "", other] = inGone();
    assert.match(name, /pending-edits\.json\.unreadable-/);
    assert.equal(storage.get(name), '{"version":1,"fi');
    assert.equal(other, undefined);
    assert.deepEqual(waiting(living), ["a.ts 1"]);
  });

  it("stay there while they can't be saved here, and are saved later", async () => {
    await edit(await open(gone), "a.ts", "one", "1");
    const left = storage.get(leftFile);
    const living = await open(here, { failing: new Error("The disk is full") });
    await assert.rejects(living.adopt(gone), /disk is full/);
    assert.equal(storage.get(leftFile), left);
    const next = await open(here);
    await next.adopt(gone);
    assert.deepEqual(waiting(next), ["a.ts 1"]);
  });
});
