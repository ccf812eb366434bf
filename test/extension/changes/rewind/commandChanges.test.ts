import assert from "node:assert/strict";
import { Checkpoints, type ObservedChange } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import { CommandChanges, type EarlierChanges } from "../../../../src/extension/changes/rewind/commandChanges.ts";
import type { CheckpointStorage, FileImage } from "../../../../src/extension/changes/rewind/storage.ts";

interface StoredFile {
  text: string;
  version: number;
  isLink?: boolean;
  mode?: number;
}

const limits = { files: 5, fileBytes: 20, allBytes: 60 };

/** Files in memory, with a checkpoint begun; what a command does to them is done by hand. */
function world(contents: Record<string, string>) {
  const files = new Map<string, StoredFile>();
  const folders = new Set<string>();
  const reads: string[] = [];
  const warnings: string[] = [];
  const blobs = new Map<string, Uint8Array>();
  const state = { isDiskFull: false, isBlind: false };
  let writes = 0;
  const write = (path: string, text: string) => void files.set(path, { text, version: ++writes });
  for (const [path, text] of Object.entries(contents)) write(path, text);
  let index: string | undefined;
  const storage: CheckpointStorage = {
    readBlob: async (hash) => blobs.get(hash),
    writeBlob: async (hash, bytes) => {
      if (state.isDiskFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      blobs.set(hash, bytes);
    },
    listBlobs: async () => [...blobs.keys()],
    removeBlob: async (hash) => void blobs.delete(hash),
    readIndex: async () => index,
    writeIndex: async (json) => {
      index = json;
    },
    setAside: async () => {
      index = undefined;
    },
  };
  const take = async (path: string): Promise<FileImage> => {
    reads.push(path);
    const file = files.get(path);
    if (folders.has(path)) return { isFolder: true };
    if (file === undefined) return {};
    return { bytes: new TextEncoder().encode(file.text), ...(file.mode !== undefined && { mode: file.mode }) };
  };
  const putBack = async (path: string, { bytes, isFolder }: FileImage) => {
    if (isFolder) folders.add(path);
    else if (folders.delete(path)) return;
    else if (bytes === undefined) files.delete(path);
    else write(path, new TextDecoder().decode(bytes));
  };
  const decode = async (_: string, bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const encode = async (_: string, text: string) => new TextEncoder().encode(text);
  const warn = (message: string) => void warnings.push(message);
  const checkpoints = new Checkpoints({ storage, files: { take, putBack, decode, encode }, warn });
  const savers = new Set<(path: string) => void>();
  const writers = new Set<(path: string) => void>();
  const changes = new CommandChanges({
    files: {
      take,
      async list(most) {
        if (state.isBlind) throw new Error("nothing can be listed");
        const paths = [...files.keys()].filter((path) => !isIgnored(path));
        return { paths: paths.slice(0, most), truncated: paths.length > most };
      },
      folders: async () => [...folders],
      async stamp(path) {
        const file = files.get(path);
        return file && { isFile: file.isLink !== true, bytes: file.text.length, version: String(file.version) };
      },
    },
    checkpoints,
    warn,
    limits,
    lineage: (agentId) => ["main", agentId],
    onDidSave(listener) {
      savers.add(listener);
      return { dispose: () => void savers.delete(listener) };
    },
    onDidWrite(listener) {
      writers.add(listener);
      const writes = checkpoints.onDidWrite(listener);
      return {
        dispose() {
          writers.delete(listener);
          writes.dispose();
        },
      };
    },
  });
  const isIgnored = (path: string) => (files.get(".gitignore")?.text ?? "").split("\n").includes(path);
  checkpoints.begin("m");
  const now = () => Object.fromEntries([...files].map(([path, { text }]) => [path, text]));
  const changedSince = async (messageId: string) => (await checkpoints.planRewind(messageId))?.map(({ path }) => path);
  const save = (path: string, text: string) => {
    write(path, text);
    for (const listener of [...savers, ...writers]) listener(path);
  };
  const parts = {
    savers,
    writers,
    save,
    files,
    folders,
    reads,
    warnings,
    state,
    checkpoints,
    changes,
    write,
    now,
    changedSince,
  };
  return { ...parts, reopened: () => index };
}

function textsOf({ before, after }: ObservedChange) {
  return [before, after].map((image) => image?.bytes && new TextDecoder().decode(image.bytes));
}

function readable(changes: ReadonlyMap<string, ObservedChange> = new Map()) {
  return Object.fromEntries([...changes].toSorted().map(([path, change]) => [path, textsOf(change)]));
}

describe("what a command changes", () => {
  it("is apart from what changed before it began, by no writer that is known, which is given at its beginning", async () => {
    const { changes, checkpoints, save, write, files, writers } = world({ "a.ts": "a", "b.ts": "b", "c.ts": "c" });
    const reports: EarlierChanges[] = [];
    const begin = () => changes.begin("one", async (earlier) => void reports.push(earlier));
    const first = await begin();
    write("a.ts", "by it");
    await first();
    save("b.ts", "by the user");
    await checkpoints.beforeChange(["c.ts"]);
    write("c.ts", "by an undo");
    await checkpoints.afterChange(["c.ts"]);
    const second = await begin();
    await second();
    assert.equal(reports.length, 0);
    write("a.ts", "late");
    write("new.ts", "late");
    files.delete("b.ts");
    const third = await begin();
    assert.deepEqual(readable(reports[0]?.found), {
      "a.ts": ["by it", "late"],
      "b.ts": ["by the user", undefined],
      "new.ts": [undefined, "late"],
    });
    write("c.ts", "by it");
    const { found } = await third();
    assert.deepEqual([...(found?.keys() ?? [])], ["c.ts"]);
    assert.equal(writers.size, 1, "what it listens to is disposed of, but that for the next one");
  });

  it("does not hide what changed before it from who asks later, and has it named where it changed that as well", async () => {
    const { changes, write } = world({ "a.ts": "a", "b.ts": "b", "c.ts": "c" });
    const reports: EarlierChanges[] = [];
    const begin = () => changes.begin("one", async (earlier) => void reports.push(earlier));
    await (await begin())();
    write("a.ts", "late");
    write("b.ts", "late");
    const command = await changes.begin("two");
    write("b.ts", "by the command");
    write("c.ts", "by the command");
    await command();
    write("a.ts", "later");
    await begin();
    assert.deepEqual(readable(reports[0]?.found), { "a.ts": ["a", "later"] });
    assert.deepEqual(reports[0]?.others, ["b.ts"]);
  });

  it("is no file that was only written again before it, and one that became a program is named", async () => {
    const { changes, write, files } = world({ "a.ts": "a", "b.ts": "b", "c.ts": "c" });
    const reports: EarlierChanges[] = [];
    const begin = () => changes.begin("one", async (earlier) => void reports.push(earlier));
    await (await begin())();
    write("a.ts", "a");
    write("b.ts", "other");
    write("b.ts", "b");
    await (await begin())();
    assert.equal(reports.length, 0);
    files.set("c.ts", { text: "c", version: 100, mode: 0o755 });
    await begin();
    assert.deepEqual([readable(reports[0]?.found), reports[0]?.others], [{}, ["c.ts"]]);
  });

  it("is no file that only other rules of what is ignored show or hide before it", async () => {
    const { changes, write } = world({ ".gitignore": "hidden.ts", "hidden.ts": "h", "a.ts": "a" });
    const reports: EarlierChanges[] = [];
    const begin = () => changes.begin("one", async (earlier) => void reports.push(earlier));
    await (await begin())();
    write(".gitignore", "a.ts");
    await begin();
    assert.deepEqual(readable(reports[0]?.found), { ".gitignore": ["hidden.ts", "a.ts"] });
  });

  it("keeps nothing of what changes between commands before somebody asks for it", async () => {
    const { changes, write } = world({ "a.ts": "a" });
    await (await changes.begin("one"))();
    write("a.ts", "late");
    await (await changes.begin("one"))();
    const reports: EarlierChanges[] = [];
    await (await changes.begin("two", async (earlier) => void reports.push(earlier)))();
    assert.deepEqual(reports, []);
  });

  it("has beside it what agents wrote meanwhile that ask first", async () => {
    const { changes, checkpoints, write } = world({ "a.ts": "1", "b.ts": "1" });
    const end = await changes.begin("one");
    const edit = async (path: string, text: string) => {
      await checkpoints.beforeChange([path], ["main", "other"]);
      write(path, text);
      await checkpoints.afterChange([path], text);
    };
    await edit("a.ts", "2");
    write("b.ts", "2");
    await edit("b.ts", "3");
    write("b.ts", "4");
    const { known, found } = await end();
    assert.deepEqual(known?.get("a.ts"), { isAll: true, writes: [] });
    assert.equal(known?.get("b.ts")?.isAll, false);
    assert.deepEqual(known?.get("b.ts")?.writes.map(textsOf), [["2", "3"]]);
    assert.deepEqual(readable(found), { "a.ts": ["1", "2"], "b.ts": ["1", "4"] });
  });

  it("is given back by a rewind: files it wrote, made and removed", async () => {
    const before = { "a.ts": "a", "b.ts": "b", "c.ts": "c" };
    const { changes, checkpoints, changedSince, files, write, now } = world(before);
    const end = await changes.begin();
    write("a.ts", "changed");
    write("new.ts", "new");
    files.delete("b.ts");
    const after = now();
    const { found, ...rest } = await end();
    assert.deepEqual(rest, { paths: [], isPartial: false, changed: ["b.ts", "a.ts", "new.ts"] });
    const bytes = (text: string) => new TextEncoder().encode(text);
    assert.deepEqual(Object.fromEntries(found ?? []), {
      "a.ts": { before: { bytes: bytes("a") }, after: { bytes: bytes("changed") } },
      "b.ts": { before: { bytes: bytes("b") }, after: {} },
      "new.ts": { before: {}, after: { bytes: bytes("new") } },
    });
    assert.deepEqual((await changedSince("m"))?.toSorted(), ["a.ts", "b.ts", "new.ts"]);
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), before);
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), after);
  });

  it("is given back by a rewind: empty folders that it made and removed", async () => {
    const { changes, checkpoints, folders } = world({ "a.ts": "a" });
    folders.add("logs");
    const end = await changes.begin();
    folders.delete("logs");
    folders.add("out").add("out/deep");
    await end();
    await checkpoints.rewind("m", "r");
    assert.deepEqual([...folders], ["logs"]);
    await checkpoints.undoRewind("r");
    assert.deepEqual([...folders].toSorted(), ["out", "out/deep"]);
  });

  it("leaves what the user changed after it", async () => {
    const { changes, checkpoints, write, now } = world({ "a.ts": "1\n2\n3\n" });
    const end = await changes.begin();
    write("a.ts", "one\n2\n3\n");
    await end();
    write("a.ts", "one\n2\nmine\n");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "1\n2\nmine\n" });
  });

  it("adds nothing when it only reads", async () => {
    const { changes, changedSince, reopened } = world({ "a.ts": "a" });
    await (await changes.begin())();
    assert.deepEqual(await changedSince("m"), []);
    assert.equal(reopened(), undefined);
  });

  it("is named where a file was too big to keep, or a link took its place", async () => {
    const { changes, checkpoints, files, write, now } = world({ "big.txt": "x".repeat(21), "a.ts": "a" });
    const end = await changes.begin();
    write("big.txt", "y");
    files.set("a.ts", { text: "elsewhere", version: 99, isLink: true });
    assert.deepEqual((await end()).paths.toSorted(), ["a.ts", "big.txt"]);
    assert.deepEqual((await checkpoints.lostSince("m")).toSorted(), ["a.ts", "big.txt"]);
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "big.txt": "y", "a.ts": "elsewhere" });
  });

  it("keeps no more bytes than the limit", async () => {
    const texts = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, name.repeat(20)]));
    const { changes, write } = world(texts);
    const end = await changes.begin();
    for (const name of Object.keys(texts)) write(name, "changed");
    assert.deepEqual((await end()).paths, ["d"]);
  });

  it("deletes no file on a rewind that may have been there before", async () => {
    const many = world(Object.fromEntries(["1", "2", "3", "4", "5", "6"].map((name) => [name, name])));
    const endMany = await many.changes.begin();
    many.files.delete("1");
    const { found, ...rest } = await endMany();
    assert.deepEqual(rest, { paths: ["6"], isPartial: true, changed: ["1", "6"] });
    assert.deepEqual([...(found?.keys() ?? [])], ["1"]);
    await many.checkpoints.rewind("m", "r");
    assert.ok(many.files.has("6"));

    const rules = world({ ".gitignore": "secret.txt", "secret.txt": "kept" });
    const endRules = await rules.changes.begin();
    rules.write(".gitignore", "");
    assert.deepEqual((await endRules()).paths, ["secret.txt"]);
    await rules.checkpoints.rewind("m", "r");
    assert.deepEqual(rules.now(), { ".gitignore": "secret.txt", "secret.txt": "kept" });
  });

  it("is read again only where it changed since the command before", async () => {
    const { changes, write, reads } = world({ "a.ts": "a", "b.ts": "b" });
    await (await changes.begin())();
    const end = await changes.begin();
    write("a.ts", "2");
    await end();
    await changes.begin();
    assert.deepEqual(reads, ["a.ts", "b.ts", "a.ts", "a.ts"]);
  });

  it("goes back to before the command, also where an agent wrote in between or before", async () => {
    const { changes, checkpoints, write, now } = world({ "a.ts": "a", "b.ts": "b" });
    await checkpoints.beforeChange(["b.ts"]);
    write("b.ts", "by an agent");
    const end = await changes.begin();
    write("a.ts", "by the command");
    await checkpoints.beforeChange(["a.ts"]);
    write("a.ts", "by an agent");
    write("b.ts", "by the command");
    await end();
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "a", "b.ts": "b" });
  });

  it("belongs to the message during which the command began", async () => {
    const { changes, checkpoints, changedSince, write, now } = world({ "a.ts": "a" });
    const end = await changes.begin();
    write("a.ts", "changed");
    checkpoints.begin("later");
    await end();
    assert.deepEqual(await changedSince("later"), []);
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "a" });
  });

  it("is named and the run goes on when it can't be kept or seen", async () => {
    const full = world({ "a.ts": "a" });
    const end = await full.changes.begin();
    full.write("a.ts", "changed");
    full.state.isDiskFull = true;
    assert.deepEqual(await end(), { paths: ["a.ts"], isPartial: false, changed: ["a.ts"] });
    assert.match(full.warnings[0] ?? "", /could not be kept/);

    const blind = world({ "a.ts": "a" });
    blind.state.isBlind = true;
    assert.deepEqual(await (await blind.changes.begin())(), { paths: [], isPartial: true });
    assert.match(blind.warnings[0] ?? "", /could not be seen/);
  });

  it("is its agent's, but for files that the user saved meanwhile, which undoing the branch leaves and names", async () => {
    const { changes, checkpoints, write, save, savers, now } = world({ "a.ts": "a", "b.ts": "b" });
    const end = await changes.begin("tests");
    write("a.ts", "changed");
    save("b.ts", "the user's");
    const { changed, found } = await end();
    assert.deepEqual(changed, ["a.ts", "b.ts"]);
    assert.deepEqual([...(found?.keys() ?? [])], ["a.ts"], "what is offered as the agent's");
    assert.equal(savers.size, 0);
    const { unattributed } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual([unattributed, now()], [["b.ts"], { "a.ts": "a", "b.ts": "the user's" }]);
  });

  it("is no one's before the first message", async () => {
    const { changes, changedSince, write } = world({ "a.ts": "a" });
    const unused = new CommandChanges({
      files: {
        take: async () => ({}),
        list: async () => assert.fail("listed"),
        folders: async () => [],
        stamp: async () => undefined,
      },
      checkpoints: { moment: async () => undefined, addChanges: async () => assert.fail("added") },
      warn: assert.fail,
    });
    assert.deepEqual(await (await unused.begin())(), { paths: [], isPartial: false });
    write("a.ts", "changed");
    await (await changes.begin())();
    assert.deepEqual(await changedSince("m"), []);
  });
});
