import assert from "node:assert/strict";
import { checkpointed } from "../../../../src/extension/changes/reviewedWorkspace.ts";
import { planBranch } from "../../../../src/extension/changes/rewind/branchPlan.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import type { FileState } from "../../../../src/extension/changes/rewind/storage.ts";
import { imagedTexts, memoryStorage } from "../support/checkpointing.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";
import { type OracleFile, undoneBy } from "./branchOracle.ts";

const lineages: Record<string, string[]> = {
  main: ["main"],
  tests: ["main", "tests"],
  docs: ["main", "docs"],
  helper: ["main", "tests", "helper"],
};

function world(contents: Record<string, string>) {
  const workspace = new TextWorkspace(contents);
  const given = memoryStorage();
  const warnings: string[] = [];
  const broken = new Set<string>();
  const open = () =>
    new Checkpoints({ ...given, files: imagedTexts(workspace, broken), warn: (message) => warnings.push(message) });
  let checkpoints = open();
  checkpoints.begin("m");
  const as = (agent: string, lineage = lineages[agent] ?? [agent]) => {
    const own = checkpointed(workspace, checkpoints).by?.(lineage) ?? assert.fail();
    return {
      async write(path: string, text: string) {
        const length = workspace.files.get(path)?.length;
        if (length === undefined) await own.create(path, text);
        else await own.replace(path, [{ start: 0, end: length, text }]);
      },
      edit(path: string, from: string, to: string) {
        return this.write(path, (workspace.files.get(path) ?? "").replace(from, to));
      },
      remove: (path: string) => own.remove(path),
      move: (from: string, to: string) => own.move(from, to),
    };
  };
  return {
    ...{ ...given, workspace, as, warnings, broken },
    type: (path: string, text: string) => workspace.type(path, text),
    /** As the user does in the Explorer: a file, or a folder with all in it. */
    async rename(from: string, to: string) {
      for (const [path, text] of [...workspace.files]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        workspace.files.delete(path);
        workspace.type(`${to}${path.slice(from.length)}`, text);
      }
      await checkpoints.followRename(from, to);
    },
    now: () => Object.fromEntries([...workspace.files].toSorted()),
    get checkpoints() {
      return checkpoints;
    },
    reload() {
      checkpoints = open();
    },
  };
}

describe("undoing what a branch changed", () => {
  it("takes out its lines and those of its agents, and leaves those of siblings and the user", async () => {
    const { as, now, type, checkpoints } = world({ "a.ts": "1\n2\n3\n4\n5\n6\n7\n" });
    await as("tests").edit("a.ts", "1\n", "one\n");
    await as("docs").edit("a.ts", "3\n", "three\n");
    await as("helper").edit("a.ts", "5\n", "five\n");
    type("a.ts", (now()["a.ts"] ?? "").replace("7\n", "seven\n"));
    await as("helper").write("new.ts", "new\n");
    const after = now();
    const { conflicts, unattributed } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), { "a.ts": "1\n2\nthree\n4\n5\n6\nseven\n" });
    assert.deepEqual({ conflicts, unattributed }, { conflicts: [], unattributed: [] });
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), after);
  });

  it("leaves a line that a sibling built on, and gives what a three-way diff shows of it", async () => {
    const { as, now, checkpoints } = world({ "a.ts": "1\n2\n3\n4\n" });
    await as("tests").edit("a.ts", "1\n2\n", "one\ntwo\n");
    await as("docs").edit("a.ts", "two\n", "two and a half\n");
    await as("tests").edit("a.ts", "4\n", "four\n");
    const { conflicts } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), { "a.ts": "one\ntwo and a half\n3\n4\n" });
    const texts = { base: "one\ntwo and a half\n3\nfour\n", without: "1\n2\n3\n4\n" };
    assert.deepEqual(conflicts, [{ path: "a.ts", texts }]);
  });
});

describe("undoing a branch that did more than edit lines", () => {
  it("moves a file back with what the user wrote into it since, and finds one that a sibling moved", async () => {
    const { as, now, type, checkpoints } = world({ "a.ts": "1\n2\n3\n", "b.ts": "1\n2\n3\n" });
    await as("tests").edit("a.ts", "1\n", "one\n");
    await as("tests").move("a.ts", "moved.ts");
    await as("helper").edit("moved.ts", "2\n", "two\n");
    type("moved.ts", "one\ntwo\n3\nmine\n");
    await as("tests").edit("b.ts", "1\n", "one\n");
    await as("docs").move("b.ts", "c.ts");
    await as("docs").edit("c.ts", "3\n", "three\n");
    const after = now();
    assert.deepEqual((await checkpoints.undoBranch("tests", "r")).conflicts, []);
    assert.deepEqual(now(), { "a.ts": "1\n2\n3\nmine\n", "c.ts": "1\n2\nthree\n" });
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), after);
  });

  it("finds files that the user renamed alone or with their folder, also after a reload, and leaves them there", async () => {
    const given = world({ "src/a.ts": "1\n2\n3\n", "src/gone.ts": "gone\n", "b.ts": "b\n" });
    const { as, now, type, rename } = given;
    await as("tests").edit("src/a.ts", "1\n", "one\n");
    await as("docs").edit("src/a.ts", "3\n", "three\n");
    await as("tests").write("src/new.ts", "new\n");
    await as("tests").remove("src/gone.ts");
    await as("tests").move("b.ts", "src/moved.ts");
    await rename("src/a.ts", "src/renamed.ts");
    await as("helper").edit("src/renamed.ts", "2\n", "two\n");
    await rename("src", "lib");
    type("src/a.ts", "another\n");
    const after = now();
    given.reload();
    const { conflicts } = await given.checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), {
      ...{ "lib/renamed.ts": "1\n2\nthree\n", "src/gone.ts": "gone\n", "b.ts": "b\n" },
      "src/a.ts": "another\n",
    });
    assert.deepEqual(conflicts, []);
    // What undoing it changed is found again, too.
    await rename("lib/renamed.ts", "lib/again.ts");
    given.reload();
    await given.checkpoints.undoRewind("r");
    const { "lib/renamed.ts": text = "", ...others } = after;
    assert.deepEqual(now(), { ...others, "lib/again.ts": text });
  });

  it("takes another file that was there before for none that the user renamed", async () => {
    const { as, now, rename, checkpoints } = world({ "a.ts": "first\n", "b.ts": "b\n" });
    await as("tests").remove("a.ts");
    await as("docs").write("a.ts", "second\n");
    await rename("a.ts", "c.ts");
    await as("tests").move("b.ts", "d.ts");
    await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), { "a.ts": "first\n", "b.ts": "b\n", "c.ts": "second\n" });
  });

  it("rewinds a message in files that the user renamed since", async () => {
    const { as, now, rename, checkpoints } = world({ "a.ts": "1\n2\n" });
    await as("tests").edit("a.ts", "1", "one");
    await rename("a.ts", "b.ts");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "b.ts": "1\n2\n" });
  });

  it("takes no file for another one that an agent had deleted or changed where the user moved it", async () => {
    for (const change of ["delete", "edit"]) {
      const { as, now, rename, checkpoints } = world({ "a.ts": "a\n", "b.ts": "b\n" });
      await as("tests").edit("a.ts", "a", "A");
      if (change === "delete") await as("tests").remove("b.ts");
      else await as("tests").edit("b.ts", "b", "B");
      await rename("a.ts", "b.ts");
      const after = now();
      assert.deepEqual(after, { "b.ts": "A\n" });
      await checkpoints.rewind("m", "r");
      assert.deepEqual(now(), { "a.ts": "a\n", "b.ts": "b\n" }, change);
      await checkpoints.undoRewind("r");
      assert.deepEqual(now(), after, change);
    }
  });

  it("finds a file that the user renamed and renamed back to where another one had been", async () => {
    const { as, now, rename, checkpoints } = world({ "a.ts": "first\n" });
    await as("tests").remove("a.ts");
    await as("docs").write("a.ts", "second\n");
    await rename("a.ts", "c.ts");
    await rename("c.ts", "a.ts");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "first\n" });
  });

  it("leaves a moved file where it is when another one has its place, and names it", async () => {
    const { as, now, type, checkpoints } = world({ "a.ts": "a\n" });
    await as("tests").edit("a.ts", "a", "b");
    await as("tests").move("a.ts", "moved.ts");
    type("a.ts", "another\n");
    const { conflicts } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), { "a.ts": "another\n", "moved.ts": "a\n" });
    assert.deepEqual(conflicts, [{ path: "moved.ts" }]);
  });

  it("removes what it added and brings back what it deleted, but for what others made of both", async () => {
    const { as, now, type, checkpoints } = world({ "gone.ts": "gone\n", "again.ts": "again\n", "old.ts": "old\n" });
    await as("tests").write("new.ts", "new\n");
    await as("tests").write("used.ts", "used\n");
    await as("tests").remove("gone.ts");
    await as("tests").remove("again.ts");
    await as("tests").edit("old.ts", "old", "older");
    type("used.ts", "used\nby the user\n");
    type("again.ts", "by the user\n");
    await as("docs").remove("old.ts");
    const { conflicts } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), {
      "again.ts": "by the user\n",
      "gone.ts": "gone\n",
      "used.ts": "used\nby the user\n",
    });
    assert.deepEqual(conflicts, [
      { path: "again.ts", texts: { base: "", without: "again\n" } },
      { path: "used.ts", texts: { base: "used\n", without: "" } },
    ]);
  });

  it("undoes what its command changed, and lists what more than one agent may have changed", async () => {
    const { as, now, type, checkpoints } = world({ "a.ts": "a\n", "b.ts": "b\n", "c.ts": "c\n" });
    await as("tests").edit("c.ts", "c", "C");
    const bytes = (text: string) => ({ bytes: new TextEncoder().encode(text) });
    const moment = (await checkpoints.moment()) ?? assert.fail();
    for (const path of ["a.ts", "b.ts"]) type(path, `formatted ${path}\n`);
    const changed = (path: string, before: string) =>
      new Map([[path, { before: bytes(before), after: bytes(`formatted ${path}\n`) }]]);
    await checkpoints.addChanges(moment, changed("a.ts", "a\n"), [], {
      ...{ lineage: lineages.tests ?? [], except: new Set() },
    });
    await checkpoints.addChanges(moment, changed("b.ts", "b\n"), ["lost.bin"]);
    const { unattributed } = await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(unattributed, ["b.ts", "lost.bin"]);
    assert.deepEqual(now(), { "a.ts": "a\n", "b.ts": "formatted b.ts\n", "c.ts": "c\n" });
  });

  it("can be undone twice, before and after its redo, and knows when nothing is left", async () => {
    const given = world({ "a.ts": "a\n" });
    const { now } = given;
    await given.as("tests").edit("a.ts", "a", "b");
    const after = now();
    for (const id of ["r", "s"]) {
      await given.checkpoints.undoBranch("tests", id);
      assert.deepEqual(now(), { "a.ts": "a\n" });
      assert.deepEqual((await given.checkpoints.planBranch("tests")).files, []);
      given.reload();
      await given.checkpoints.undoRewind(id);
      assert.deepEqual(now(), after);
    }
  });

  for (const call of ["writeBlob", "writeIndex"] as const) {
    it(`leaves every file as it is when ${call} finds a full disk, and works once there is room`, async () => {
      const { as, now, state, checkpoints } = world({ "a.ts": "a\nb\n", "b.ts": "b\n" });
      await as("tests").edit("a.ts", "a", "A");
      await as("docs").edit("a.ts", "b", "B");
      await as("tests").edit("b.ts", "b", "B");
      const held = now();
      state.failing.set(call, "ENOSPC");
      await assert.rejects(checkpoints.undoBranch("tests", "r"));
      assert.deepEqual(now(), held);
      state.failing.clear();
      await checkpoints.undoBranch("tests", "r");
      assert.deepEqual(now(), { "a.ts": "a\nB\n", "b.ts": "b\n" });
    });
  }

  it("leaves what is typed while it is planned, in every file", async () => {
    const { as, now, type, checkpoints, storage } = world({ "a.ts": "1\n2\n3\n", "b.ts": "1\n2\n3\n" });
    await as("tests").edit("a.ts", "1", "one");
    await as("tests").edit("b.ts", "1", "one");
    const { writeIndex } = storage;
    let typed = 0;
    storage.writeIndex = async (json) => {
      await writeIndex(json);
      if (typed < 3) type("b.ts", `one\n2\n3\ntyped ${++typed}\n`);
    };
    await checkpoints.undoBranch("tests", "r");
    assert.deepEqual(now(), { "a.ts": "1\n2\n3\n", "b.ts": "1\n2\n3\ntyped 3\n" });
    await checkpoints.undoRewind("r");
    assert.deepEqual(now(), { "a.ts": "one\n2\n3\n", "b.ts": "one\n2\n3\ntyped 3\n" });
  });

  it("undoes it in all files or none", async () => {
    const { as, now, broken, checkpoints } = world({ "a.ts": "a\n", "b.ts": "b\n" });
    await as("tests").edit("a.ts", "a", "A");
    await as("tests").edit("b.ts", "b", "B");
    const held = now();
    broken.add("b.ts");
    await assert.rejects(checkpoints.undoBranch("tests", "r"), /EACCES/);
    assert.deepEqual(now(), held);
  });

  it("rewinds a message as before, no matter who changed what", async () => {
    const { as, now, type, checkpoints } = world({ "a.ts": "1\n2\n3\n" });
    await as("tests").edit("a.ts", "1", "one");
    await as("docs").edit("a.ts", "2", "two");
    type("a.ts", "one\ntwo\nthree\n");
    await as("tests").edit("a.ts", "one", "uno");
    await checkpoints.rewind("m", "r");
    assert.deepEqual(now(), { "a.ts": "1\n2\nthree\n" });
  });
});

describe("the plan of a branch's undo", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const encoding = {
    decode: async (_: string, given: Uint8Array) =>
      given.includes(0) ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(given),
    encode: async (_: string, text: string) => bytes(text),
  };
  const file = (text: string, rest: Partial<FileState["image"]> = {}): FileState => ({
    image: { bytes: bytes(text), ...rest },
    text: rest.unsaved ?? text,
  });
  const own = { path: "a.ts", isOfBranch: true };

  it("keeps what its editor holds unsaved, and reverts what is on the disk on its own", async () => {
    const current = new Map([["a.ts", file("one\n2\n3\n", { unsaved: "one\n2\n3\ntyped\n" })]]);
    const step = { ...own, before: file("1\n2\n3\n"), after: file("one\n2\n3\n") };
    const { files, conflicts } = await planBranch(current, [step], encoding);
    assert.deepEqual(files[0]?.target, { bytes: bytes("1\n2\n3\n"), unsaved: "1\n2\n3\ntyped\n" });
    assert.deepEqual(conflicts, []);
  });

  it("saves nothing of what an agent wrote into unsaved text", async () => {
    const [before, after] = [file("old\n", { unsaved: "typed\n" }), file("old\n", { unsaved: "typed\nagent\n" })];
    const current = new Map([["a.ts", file("old\n", { unsaved: "typed\nagent\nmore\n" })]]);
    const { files } = await planBranch(current, [{ ...own, before, after }], encoding);
    assert.deepEqual(files[0]?.target, { bytes: bytes("old\n"), unsaved: "typed\nmore\n" });
  });

  it("saves the unsaved text of a file that goes back to its former path", async () => {
    const moved = { before: file("1\n"), after: { image: {} }, movedTo: "b.ts" };
    const arrived = { path: "b.ts", isOfBranch: true, before: { image: {} }, after: file("1\n"), movedFrom: "a.ts" };
    const current = new Map([
      ["a.ts", { image: {} }],
      ["b.ts", file("1\n", { unsaved: "1\ntyped\n" })],
    ]);
    const { files } = await planBranch(current, [{ ...own, ...moved }, arrived], encoding);
    assert.deepEqual(
      files.map(({ path, target }) => [path, target]),
      [
        ["a.ts", { bytes: bytes("1\ntyped\n") }],
        ["b.ts", {}],
      ],
    );
  });

  it("gives back modes that no one changed since, and bytes that are no text", async () => {
    const binary = (byte: number, mode: number): FileState => ({ image: { bytes: Uint8Array.of(0, byte), mode } });
    const step = { ...own, before: binary(1, 0o644), after: binary(2, 0o755) };
    const targetOf = async (now: FileState) =>
      (await planBranch(new Map([["a.ts", now]]), [step], encoding)).files.map(({ target }) => target);
    assert.deepEqual(await targetOf(binary(2, 0o755)), [binary(1, 0o644).image]);
    assert.deepEqual(await targetOf(binary(2, 0o700)), [binary(1, 0o700).image]);
    assert.deepEqual(await targetOf(binary(3, 0o755)), [binary(3, 0o644).image]);
    const { conflicts } = await planBranch(new Map([["a.ts", binary(3, 0o755)]]), [step], encoding);
    assert.deepEqual(conflicts, [{ path: "a.ts" }]);
  });

  it("leaves and names a file of which it is not known what the branch left", async () => {
    const current = new Map([["a.ts", file("now\n")]]);
    const { files, conflicts } = await planBranch(current, [{ ...own, before: file("before\n") }], encoding);
    assert.deepEqual({ files, conflicts }, { files: [], conflicts: [{ path: "a.ts" }] });
  });
});

describe("undoing a branch of a random tree", () => {
  it("equals a three-way merge done by other means, names each conflict, and its undo restores every byte", async () => {
    let withConflicts = 0;
    for (let seed = 1; seed <= 500; seed++) {
      const { files, run, agents, world: given, random } = randomTree(seed);
      await run();
      const branch = agents[random(agents.length)] ?? "a0";
      if (random(2) === 0) given.reload();
      const isOfBranch = (agent: string) => lineageIn(agents, agent).includes(branch);
      const expected = undoneBy(files, isOfBranch);
      const before = given.now();
      const { conflicts, unattributed } = await given.checkpoints.undoBranch(branch, "r");
      assert.deepEqual(given.now(), expected.files, `seed ${seed}`);
      assert.deepEqual(
        conflicts.map(({ path }) => path),
        expected.conflicts,
        `conflicts of seed ${seed}`,
      );
      assert.deepEqual(unattributed, []);
      if (conflicts.length > 0) withConflicts += 1;
      if (random(2) === 0) given.reload();
      await given.checkpoints.undoRewind("r");
      assert.deepEqual(given.now(), before, `the undo of seed ${seed}`);
    }
    assert.ok(withConflicts > 100, `only ${withConflicts} had conflicts`);
  });
});

/** Agents are a0, a1, …; each was started by the one at half its number. */
function lineageIn(agents: readonly string[], agent: string): string[] {
  const lineage: string[] = [];
  for (let at = agents.indexOf(agent); at >= 0; at = at === 0 ? -1 : Math.floor((at - 1) / 2)) {
    lineage.unshift(agents[at] ?? "");
  }
  return lineage;
}

function randomTree(seed: number) {
  const random = randomNumbers(seed);
  const agents = Array.from({ length: 2 + random(5) }, (_, index) => `a${index}`);
  let count = 0;
  const lines = (most: number) => Array.from({ length: 1 + random(most) }, () => `line ${++count}\n`).join("");
  const contents = Object.fromEntries(
    Array.from({ length: 1 + random(3) }, (_, index) => [`f${index}.ts`, lines(12)] as const),
  );
  const files: OracleFile[] = Object.entries(contents).map(([path, text]) => ({ path, text, steps: [] }));
  const given = world(contents);

  async function change(who: string): Promise<void> {
    const there = files.filter(({ path }) => path !== undefined);
    const file = there[random(there.length)];
    const isUser = who === "user";
    const own = isUser ? undefined : given.as(who, lineageIn(agents, who));
    const what = random(12);
    if (!isUser && (what === 0 || file?.path === undefined)) {
      const path = `n${++count}.ts`;
      const text = lines(6);
      await own?.write(path, text);
      files.push({ path, text, steps: [{ who, kind: "content", before: undefined, after: text }] });
      return;
    }
    if (file?.path === undefined || file.text === undefined) return;
    if (!isUser && what === 1) {
      await own?.remove(file.path);
      file.steps.push({ who, kind: "content", before: file.text, after: undefined, path: file.path });
      file.text = undefined;
      file.gone = file.path;
      delete file.path;
      return;
    }
    if (!isUser && what === 2) {
      const to = `m${++count}.ts`;
      await own?.move(file.path, to);
      file.steps.push({ who, kind: "move", from: file.path, to });
      file.path = to;
      return;
    }
    if (isUser && what < 3) {
      const to = `u${++count}.ts`;
      await given.rename(file.path, to);
      file.path = to;
      return;
    }
    const old = file.text.split(/(?<=\n)/).filter((line) => line !== "");
    const start = random(old.length + 1);
    const removed = random(Math.min(3, old.length - start) + 1);
    const added = removed === 0 || random(4) > 0 ? lines(3) : "";
    const after = old.toSpliced(start, removed, added).join("");
    if (isUser) given.type(file.path, after);
    else await own?.write(file.path, after);
    file.steps.push({ who, kind: "content", before: file.text, after });
    file.text = after;
  }

  return {
    ...{ random, agents, files, world: given },
    async run() {
      const steps = 3 + random(18);
      for (let step = 0; step < steps; step++) {
        await change(random(4) === 0 ? "user" : (agents[random(agents.length)] ?? "a0"));
      }
    },
  };
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}
