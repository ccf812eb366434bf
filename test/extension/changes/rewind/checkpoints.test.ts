import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkpointed } from "../../../../src/extension/changes/reviewedWorkspace.ts";
import { parseIndex } from "../../../../src/extension/changes/rewind/checkpointIndex.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import { diskStorage } from "../../../../src/extension/changes/rewind/storage.ts";
import { NothingWritten } from "../../../../src/extension/workspace/fileProblems.ts";
import { applying } from "../support/applying.ts";
import { imagedTexts, memoryStorage } from "../support/checkpointing.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";

function world(contents: Record<string, string>, given = memoryStorage()) {
  const workspace = new TextWorkspace(contents);
  const { files } = workspace;
  const broken = new Set<string>();
  const warnings: string[] = [];
  const imaged = imagedTexts(workspace, broken);
  const open = () =>
    new Checkpoints({ storage: given.storage, files: imaged, warn: (message) => warnings.push(message) });
  const checkpoints = open();
  const session = applying({}, workspace);
  const guarded = checkpointed(workspace, checkpoints);
  const write = async (path: string, text: string) => {
    if (files.has(path)) {
      const length = files.get(path)?.length ?? 0;
      await guarded.replace(path, [{ start: 0, end: length, text }]);
    } else await guarded.create(path, text);
  };
  const now = () => Object.fromEntries(files);
  return { ...given, ...session, checkpoints, open, guarded, write, now, broken, warnings };
}

describe("checkpoints", () => {
  it("give back what the files held before a message, whatever was changed, added, deleted and moved since", async () => {
    const before = { "a.ts": "a\n", "b.ts": "b\r\n", "c.ts": "c" };
    const { checkpoints, write, guarded, now } = world(before);
    checkpoints.begin("first");
    await write("a.ts", "1\n");
    await write("new.ts", "new\n");
    const between = now();
    checkpoints.begin("second");
    await write("a.ts", "2\n");
    await guarded.remove("b.ts");
    await guarded.move("c.ts", "d.ts");
    const after = now();

    assert.deepEqual((await checkpoints.rewind("second", "r"))?.toSorted(), ["a.ts", "b.ts", "c.ts", "d.ts"]);
    assert.deepEqual(now(), between);
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), after);
    await checkpoints.rewind("first", "r");
    assert.deepEqual(now(), before);
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), after);
    assert.deepEqual(await checkpoints.undoRewind("r"), []);
  });

  it("include what the user typed between the message and the agent's first change", async () => {
    const { checkpoints, write, type, now } = world({ "a.ts": "a\n" });
    checkpoints.begin("m");
    type("a.ts", "typed\n");
    await write("a.ts", "agent\n");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "typed\n" });
  });

  it("keep equal contents once", async () => {
    const { checkpoints, write, blobs } = world({ "a.ts": "same\n", "b.ts": "same\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await write("b.ts", "2\n");
    assert.equal(blobs.size, 3);
  });

  it("know nothing of a message they never got", async () => {
    const { checkpoints } = world({});
    assert.equal(await checkpoints.planRewind("other"), undefined);
    await assert.rejects(checkpoints.rewind("other", "r"), /No file contents were recorded/);
  });

  for (const call of ["writeBlob", "writeIndex"] as const) {
    for (const code of ["ENOSPC", "EIO"]) {
      it(`leave every file alone when ${call} fails with ${code}, before a change and in a rewind`, async () => {
        const { checkpoints, write, now, state } = world({ "a.ts": "a\n", "b.ts": "b\n" });
        checkpoints.begin("m");
        await write("a.ts", "1\n");
        const held = now();
        state.failing.set(call, code);
        await assert.rejects(write("b.ts", "2\n"), { name: "UserError" });
        await assert.rejects(checkpoints.rewind("m", "r"));
        assert.deepEqual(now(), held);
        state.failing.clear();
        await write("b.ts", "2\n");
        await checkpoints.rewind("m", "r");
        assert.deepEqual(now(), { "a.ts": "a\n", "b.ts": "b\n" });
      });
    }
  }

  it("leave every file alone when what they held can't be read back, or is damaged", async () => {
    const { checkpoints, write, now, state, blobs } = world({ "a.ts": "a\n", "b.ts": "b\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await write("b.ts", "2\n");
    const held = now();
    state.failing.set("readBlob", "EIO");
    await assert.rejects(checkpoints.rewind("m", "r"));
    state.failing.clear();
    for (const hash of blobs.keys()) blobs.set(hash, Uint8Array.of(0));
    await assert.rejects(checkpoints.rewind("m", "r"), /is missing from/);
    assert.deepEqual(now(), held);
  });

  it("rewind all files or none", async () => {
    const { checkpoints, write, now, broken } = world({ "a.ts": "a\n", "b.ts": "b\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await write("b.ts", "2\n");
    broken.add("b.ts");
    await assert.rejects(checkpoints.rewind("m", "r"), /EACCES/);
    assert.deepEqual(now(), { "a.ts": "1\n", "b.ts": "2\n" });
  });

  it("are known again after a reload, the undo of a rewind too, and forget contents that nothing needs", async () => {
    const { checkpoints, write, now, open, blobs } = world({ "a.ts": "a\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await checkpoints.rewind("m", "r");
    blobs.set("unneeded", Uint8Array.of(1));
    const reopened = open();
    await reopened.undoRewind("r");
    assert.deepEqual(now(), { "a.ts": "1\n" });
    assert.ok(!blobs.has("unneeded"));
    await reopened.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "a\n" });
  });

  it("keep what belongs to the undo of a rewind over a reload, and forget it with that", async () => {
    const { checkpoints, write, open, blobs } = world({ "a.ts": "a\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await checkpoints.rewind("m", "r", { marks: () => "the marks" });
    const reopened = open();
    assert.equal(await reopened.loadMarks("r"), "the marks");
    assert.equal(await reopened.loadMarks("another"), undefined);
    await reopened.undoRewind("r");
    assert.equal(await reopened.loadMarks("r"), "the marks");
    await reopened.forgetRewind("r");
    assert.equal(await reopened.loadMarks("r"), undefined);
    const held = [...blobs.values()].length;
    await open().planRewind("m");
    assert.ok([...blobs.values()].length < held, "nothing needs it any more");
  });

  it("undo no rewind of another name", async () => {
    const { checkpoints, write, now } = world({ "a.ts": "a\n" });
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(await checkpoints.undoRewind("other"), []);
    assert.deepEqual(now(), { "a.ts": "a\n" });
  });

  it("start again where their index can't be read, and say so", async () => {
    const given = memoryStorage();
    given.state.failing.set("readIndex", "EIO");
    const { checkpoints, write, now, warnings } = world({ "a.ts": "a\n" }, given);
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    assert.equal(warnings.length, 1);
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "a\n" });
  });
});

describe("a message that comes while an edit is written", () => {
  it("leaves it known what the edit left, so that a rewind and an undo of the branch keep what the user typed since", async () => {
    const before = "one\ntwo\nthree\n";
    const { checkpoints, workspace, guarded, type, now } = world({ "a.ts": before });
    const replace = workspace.replace.bind(workspace);
    // What runs on save takes as long as a message in another chat.
    workspace.replace = async (...given) => {
      const written = await replace(...given);
      checkpoints.begin("m2");
      return written;
    };
    checkpoints.begin("m1");
    await guarded.by?.(["main", "tests"]).replace("a.ts", [{ start: 0, end: 3, text: "ONE" }]);
    type("a.ts", "ONE\ntwo\nthree\nthe user's\n");

    const plan = (await checkpoints.planRewind("m1")) ?? [];
    assert.deepEqual(
      plan.map(({ path, isUncertain, lostLines }) => ({ path, isUncertain, lostLines })),
      [{ path: "a.ts", isUncertain: false, lostLines: [] }],
    );
    const branch = await checkpoints.planBranch("tests");
    assert.deepEqual([branch.files.map(({ path }) => path), branch.conflicts], [["a.ts"], []]);
    assert.deepEqual(await checkpoints.planRewind("m2"), [], "the edit began before");
    await checkpoints.rewind("m1", "r");
    assert.deepEqual(now(), { "a.ts": `${before}the user's\n` });
  });

  it("leaves a new folder to the edit that began to make it", async () => {
    const { checkpoints, guarded, workspace, state } = world({});
    const known = () => parseIndex(state.index ?? "")?.checkpoints.map(({ steps }) => steps.map(({ path }) => path));
    const create = workspace.create.bind(workspace);
    workspace.create = async (path, text) => {
      if (path === "lib/a.ts") {
        checkpoints.begin("m2");
        await guarded.create("lib/b.ts", "b\n");
      } else assert.deepEqual(known(), [["lib", "lib/a.ts"], ["lib/b.ts"]]);
      return create(path, text);
    };
    checkpoints.begin("m1");
    await guarded.create("lib/a.ts", "a\n");
    // In the test nothing is there at the path of a folder, so that nothing is left to undo of it.
    assert.deepEqual(known(), [["lib/a.ts"], ["lib/b.ts"]]);
  });

  it("leaves it unknown what another edit left that the end of the editor cut off", async () => {
    const { checkpoints, workspace, open, type } = world({ "a.ts": "one\ntwo\n" });
    checkpoints.begin("m1");
    await checkpoints.beforeChange(["a.ts"], ["main"]);
    type("a.ts", "ONE\ntwo\n");
    const reopened = open();
    reopened.begin("m2");
    await checkpointed(workspace, reopened).replace("a.ts", [{ start: 4, end: 7, text: "TWO" }]);
    type("a.ts", "ONE\nTWO\nthe user's\n");
    assert.equal((await reopened.planRewind("m2"))?.[0]?.isUncertain, false);
    assert.equal((await reopened.planRewind("m1"))?.[0]?.isUncertain, true);
  });
});

describe("a write that is refused", () => {
  /** An agent writes over what it read, and again where the user typed in between. */
  const insisting =
    ({ guarded, workspace }: ReturnType<typeof world>, path: string) =>
    async (change: (text: string) => string): Promise<void> => {
      for (let attempt = 1; attempt < 5; attempt++) {
        const { text, version } = await workspace.read(path);
        const replacements = [{ start: 0, end: text.length, text: change(text) }];
        try {
          await guarded.replace(path, replacements, version);
          return;
        } catch (error) {
          assert.ok(error instanceof NothingWritten);
        }
      }
    };

  it("leaves to the user what they typed just before it, whether it was the agent's first or a later one", async () => {
    for (const isLater of [false, true]) {
      const given = world({ "a.ts": "one\ntwo\nthree\n" });
      const { checkpoints, workspace, type, now } = given;
      checkpoints.begin("m");
      const write = insisting(given, "a.ts");
      if (isLater) await write((text) => text.replace("two", "TWO"));
      workspace.beforeWrite = () => {
        workspace.beforeWrite = () => {};
        type("a.ts", `${now()["a.ts"]}the user's\n`);
      };
      await write((text) => text.replace("one", "ONE"));
      assert.equal(now()["a.ts"], `ONE\n${isLater ? "TWO" : "two"}\nthree\nthe user's\n`);

      const [planned] = (await checkpoints.planRewind("m")) ?? [];
      assert.deepEqual([planned?.isUncertain, planned?.lostLines], [false, []]);
      await checkpoints.rewind("m", "r");
      assert.deepEqual(now(), { "a.ts": "one\ntwo\nthree\nthe user's\n" });
    }
  });

  it("leaves a file to the user that they made at the same time, with its folder", async () => {
    const { checkpoints, guarded, workspace, type, now, state } = world({});
    const create = workspace.create.bind(workspace);
    workspace.create = async (path, text) => {
      type(path, "the user's\n");
      return create(path, text);
    };
    checkpoints.begin("m");
    await assert.rejects(guarded.create("lib/a.ts", "an agent's\n"), NothingWritten);
    assert.deepEqual(
      parseIndex(state.index ?? "")?.checkpoints.map(({ steps }) => steps),
      [[]],
    );
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "lib/a.ts": "the user's\n" });
  });

  it("leaves a new folder to another agent that makes it just now", async () => {
    const { guarded, workspace, checkpoints, type, state } = world({});
    const known = () => parseIndex(state.index ?? "")?.checkpoints.map(({ steps }) => steps.map(({ path }) => path));
    const create = workspace.create.bind(workspace);
    workspace.create = async (path, text) => {
      if (path === "lib/a.ts") {
        type("lib/b.ts", "the user's\n");
        await assert.rejects(guarded.create("lib/b.ts", "b\n"), NothingWritten);
        assert.deepEqual(known(), [["lib", "lib/a.ts"]]);
      }
      return create(path, text);
    };
    checkpoints.begin("m");
    await guarded.create("lib/a.ts", "a\n");
    // In the test nothing is there at the path of a folder.
    assert.deepEqual(known(), [["lib/a.ts"]]);
  });

  it("changes nothing of what is known of the agent's earlier edit, also after a command and a reload", async () => {
    const given = world({ "a.ts": "one\ntwo\n" });
    const { checkpoints, workspace, type, now, open } = given;
    checkpoints.begin("m");
    const write = insisting(given, "a.ts");
    await write((text) => text.replace("one", "ONE"));
    const steps = () => parseIndex(given.state.index ?? "")?.checkpoints[0]?.steps;
    const before = steps();
    workspace.beforeWrite = () => type("a.ts", `${now()["a.ts"]}x\n`);
    await write((text) => text.replace("two", "TWO"));
    assert.deepEqual(steps(), before);
    const moment = await checkpoints.moment();
    assert.ok(moment);
    await write((text) => text.replace("two", "TWO"));
    assert.deepEqual(steps(), before);
    await open().rewind("m", "r");
    assert.equal(now()["a.ts"]?.startsWith("one\ntwo\nx\n"), true);
  });

  it("is none where the change failed later: what it left is known", async () => {
    const { checkpoints, guarded, workspace, type, now } = world({ "a.ts": "one\n" });
    const replace = workspace.replace.bind(workspace);
    workspace.replace = async (...given) => {
      await replace(...given);
      throw new Error("EIO");
    };
    checkpoints.begin("m");
    await assert.rejects(guarded.replace("a.ts", [{ start: 0, end: 3, text: "ONE" }]), /EIO/);
    type("a.ts", "ONE\nthe user's\n");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "one\nthe user's\n" });
  });
});

describe("a command after a reload", () => {
  it("leaves it known what the file held before the edits of the same message", async () => {
    const { checkpoints, workspace, open, write, type, now } = world({ "a.ts": "zero\n" });
    checkpoints.begin("m");
    await write("a.ts", "one\n");
    const reopened = open();
    reopened.begin("m");
    const image = (text: string) => ({ bytes: new TextEncoder().encode(text) });
    type("a.ts", "the user's\n");
    const moment = await reopened.moment();
    assert.ok(moment);
    await checkpointed(workspace, reopened).replace("a.ts", [{ start: 0, end: 11, text: "two\n" }]);
    await reopened.addChanges(
      moment,
      new Map([["a.ts", { before: image("the user's\n"), after: image("three\n") }]]),
      [],
    );
    workspace.type("a.ts", "three\n");
    await reopened.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "zero\n" });
  });
});

describe("checkpoints of another version", () => {
  it("are kept aside, and new ones begin", async () => {
    const given = memoryStorage();
    given.state.index = '{"version":2,"checkpoints":[]}';
    const { checkpoints, write, now, warnings } = world({ "a.ts": "a\n" }, given);
    checkpoints.begin("m");
    await write("a.ts", "1\n");
    assert.match(warnings.join(), /another version, and was kept aside/);
    assert.equal(given.state.aside, '{"version":2,"checkpoints":[]}');
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "a\n" });
  });
});

describe("the storage of checkpoints on disk", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-checkpoints-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("gives back what was written and leaves no half-written file", async () => {
    const storage = diskStorage(join(folder, "deep"));
    assert.equal(await storage.readIndex(), undefined);
    assert.deepEqual(await storage.listBlobs(), []);
    await storage.writeBlob("abc", Uint8Array.of(1, 2));
    await storage.writeBlob("abc", Uint8Array.of(1, 2));
    await storage.writeIndex("{}");
    assert.deepEqual(await storage.readBlob("abc"), Buffer.of(1, 2));
    assert.equal(await storage.readIndex(), "{}");
    await storage.removeBlob("abc");
    assert.equal(await storage.readBlob("abc"), undefined);
    assert.deepEqual(await readdir(join(folder, "deep")), ["blobs", "index.json"]);
  });

  it("keeps what is set aside beside its place", async () => {
    const storage = diskStorage(join(folder, "deep"));
    await storage.writeIndex("damaged");
    await storage.setAside();
    assert.equal(await storage.readIndex(), undefined);
    const [aside = ""] = await readdir(folder);
    assert.match(aside, /^deep\.unreadable-/);
    assert.equal(await readFile(join(folder, aside, "index.json"), "utf8"), "damaged");
  });

  it("throws where it can't write, and keeps what was there", async () => {
    await writeFile(join(folder, "blobs"), "in the way");
    const storage = diskStorage(folder);
    await assert.rejects(storage.writeBlob("abc", Uint8Array.of(1)));
    await storage.writeIndex("{}");
    assert.equal(await storage.readIndex(), "{}");
  });
});

describe("a rewind of which neither all nor none could be written", () => {
  it("says which files, keeps what they held, and is completed by another one", async () => {
    const workspace = new TextWorkspace({ "a.ts": "a\n", "b.ts": "b\n" });
    const { storage } = memoryStorage();
    const broken = new Set<string>();
    const texts = imagedTexts(workspace, broken);
    const putBack: typeof texts.putBack = async (path, image, current) => {
      if (path === "b.ts" && broken.has(path)) broken.add("a.ts");
      return texts.putBack(path, image, current);
    };
    const checkpoints = new Checkpoints({ storage, files: { ...texts, putBack }, warn: assert.fail });
    checkpoints.begin("m");
    const guarded = checkpointed(workspace, checkpoints);
    for (const path of ["a.ts", "b.ts"]) await guarded.replace(path, [{ start: 0, end: 1, text: path }]);
    workspace.type("a.ts", "a.ts\nthe user's\n");
    const now = () => Object.fromEntries(workspace.files);
    broken.add("b.ts");
    await assert.rejects(checkpoints.rewind("m", "r"), /a\.ts could not be written/);
    assert.deepEqual(now(), { "a.ts": "a\nthe user's\n", "b.ts": "b.ts\n" });
    broken.clear();
    await checkpoints.rewind("m", "s");
    assert.deepEqual(now(), { "a.ts": "a\nthe user's\n", "b.ts": "b\n" });
  });
});
