import assert from "node:assert/strict";
import { checkpointed } from "../../../../src/extension/changes/reviewedWorkspace.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
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
