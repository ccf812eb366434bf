import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseIndex } from "../../../src/extension/changes/rewind/checkpointIndex.ts";
import { foldersOfOtherWindows, type MoveCalls, migrate } from "../../../src/extension/storage/migration.ts";
import { openWorkspaceStorage } from "../../../src/extension/storage/openStorage.ts";
import { endedProcess } from "../sessions/support/children.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const indexOf = (...messageIds: string[]) => ({
  version: 1,
  checkpoints: messageIds.map((messageId) => ({ messageId, images: [{ path: "a.ts", bytes: hashOf(messageId) }] })),
});

/** What a version before left in a folder of the editor's. */
const earlier: Record<string, string> = {
  "sessions/one.jsonl": "session one",
  "sessions/two.jsonl": "session two",
  "sessions/index.json": "{}",
  "sessions/removed/three.5.jsonl": "session three",
  "words/one.txt": "words of one",
  "outputs/one/command-1.txt": "output",
  "traces/t.jsonl": "trace",
  "checkpoints/index.json": JSON.stringify(indexOf("m1", "m2")),
  [`checkpoints/blobs/${hashOf("m1")}`]: "m1",
  [`checkpoints/blobs/${hashOf("m2")}`]: "m2",
  "checkpoints.unreadable-1a2b3c4d/index.json": "damaged",
  "pending-edits.json": "pending",
  "pending-edits.json.unreadable-1a2b3c4d": "damaged",
  "drafts.json": "drafts",
  "shown-chat.json": "shown",
  "of another kind": "stays",
};

/** One of each kind: each call of the file system is a place to be killed at. */
const few = Object.fromEntries(
  Object.entries(earlier).filter(([name]) => !/unreadable|two|removed|shown|traces|outputs/.test(name)),
);

describe("moving what an earlier version kept", () => {
  let home: string;
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

  const write = (folder: string, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
  };
  const read = (folder: string): Record<string, string> => {
    const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
    const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile()).sort();
    return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(folder, name), "utf8")]));
  };
  const [old, next] = [() => path.join(home, "old"), () => path.join(home, "new")];
  const target = () => ({
    workspaceFolder: next(),
    exclusively: <T>(step: () => Promise<T>) => step(),
    inWindowFolder(_name: string, use: (folder: string) => void) {
      const folder = path.join(next(), "windows/0");
      fs.mkdirSync(folder, { recursive: true });
      use(folder);
    },
  });
  const movedFrom = (files: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => name !== "sessions/index.json" && name !== "of another kind")
        .map(([name, text]): [string, string] => [
          /^(pending|drafts|shown)/.test(name) ? `windows/0/${name}` : name,
          text,
        ])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );

  it("brings all of it to the new place, and leaves what is not Arbor's", async () => {
    write(old(), earlier);
    assert.deepEqual(await migrate(old(), target()), []);
    assert.deepEqual(read(next()), movedFrom(earlier));
    assert.deepEqual(Object.keys(read(old())), ["of another kind"]);
  });

  it("adds to what is there already, and a second time changes nothing", async () => {
    const there = {
      "sessions/four.jsonl": "session four",
      "words/four.txt": "words of four",
      "checkpoints/index.json": JSON.stringify(indexOf("m3")),
      [`checkpoints/blobs/${hashOf("m3")}`]: "m3",
    };
    write(old(), earlier);
    write(next(), there);
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(await migrate(old(), target()), []);
      assert.deepEqual(checkpointsIn(read(next())), ["m1", "m2", "m3"]);
      const { "checkpoints/index.json": _index, ...rest } = read(next());
      const { "checkpoints/index.json": _moved, ...expected } = movedFrom({ ...earlier, ...there });
      assert.deepEqual(rest, expected);
      assert.deepEqual(Object.keys(read(old())), ["of another kind"]);
    }
  });

  it("never replaces what is there under the same name", async () => {
    write(old(), { "sessions/one.jsonl": "older", "sessions/two.jsonl": "same" });
    write(next(), { "sessions/one.jsonl": "newer", "sessions/two.jsonl": "same" });
    await migrate(old(), target());
    assert.deepEqual(read(next()), { "sessions/one.jsonl": "newer", "sessions/two.jsonl": "same" });
    assert.deepEqual(read(old()), { "sessions/one.jsonl": "older" });
  });

  for (const [disk, isOther] of [
    ["the same disk", false],
    ["another disk", true],
  ] as const) {
    it(`loses and doubles nothing, wherever the process is killed on the way to ${disk}`, async () => {
      const there = {
        "sessions/four.jsonl": "4",
        "words/four.txt": "4",
        "checkpoints/index.json": "",
        [`checkpoints/blobs/${hashOf("m3")}`]: "m3",
      };
      there["checkpoints/index.json"] = JSON.stringify(indexOf("m3"));
      let kills = 0;
      for (let at = 1; ; at++) {
        fs.rmSync(old(), { recursive: true, force: true });
        fs.rmSync(next(), { recursive: true, force: true });
        write(old(), few);
        write(next(), there);
        const wasKilled = await migrate(old(), target(), killedAt(at, isOther)).then(
          () => false,
          () => true,
        );
        assert.deepEqual(await migrate(old(), target(), killedAt(Number.POSITIVE_INFINITY, isOther)), []);
        const moved = Object.fromEntries(Object.entries(read(next())).filter(([name]) => !name.includes(".tmp")));
        const expected = movedFrom({ ...few, ...there });
        assert.deepEqual(Object.keys(moved), Object.keys(expected), `killed at call ${at}`);
        assert.deepEqual(checkpointsIn(moved), ["m1", "m2", "m3"], `killed at call ${at}`);
        assert.deepEqual({ ...moved, "checkpoints/index.json": "" }, { ...expected, "checkpoints/index.json": "" });
        assert.deepEqual(Object.keys(read(old())), ["of another kind"], `killed at call ${at}`);
        if (!wasKilled) break;
        kills += 1;
      }
      assert.ok(kills > 30, `${kills} places`);
    });
  }

  it("gives back what can't be moved, moves the rest, and tries again", async () => {
    write(old(), earlier);
    const refused: MoveCalls = {
      ...fs,
      renameSync(from, to) {
        if (String(from).endsWith("words")) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
        fs.renameSync(from, to);
      },
    };
    assert.equal((await migrate(old(), target(), refused)).length, 1);
    assert.deepEqual(Object.keys(read(old())), ["of another kind", "words/one.txt"]);
    assert.deepEqual(await migrate(old(), target()), []);
    assert.deepEqual(read(next()), movedFrom(earlier));
  });

  it("finds the folders of further windows, but for those that a living window has", async () => {
    const of = (name: string) => path.join(home, name, "arbor.arbor-agent");
    for (const name of ["4f2a", "4f2a-1", "4f2a-2", "4f2a-3", "4f2b"]) write(of(name), { "sessions/a.jsonl": name });
    write(path.join(home, "4f2a-1"), { "vscode.lock": JSON.stringify({ pid: process.pid }) });
    write(path.join(home, "4f2a-2"), { "vscode.lock": JSON.stringify({ pid: await endedProcess() }) });
    assert.deepEqual(foldersOfOtherWindows(of("4f2a")), [of("4f2a-2"), of("4f2a-3")]);
    assert.deepEqual(foldersOfOtherWindows(of("4f2a-3")), [of("4f2a"), of("4f2a-2")]);
  });

  it("is done when a window opens its storage, with each window's own files in a folder of their own", async () => {
    const editors = path.join(home, "workspaceStorage/4f2a");
    write(path.join(editors, "arbor.arbor-agent"), earlier);
    write(path.join(`${editors}-1`, "arbor.arbor-agent"), {
      "sessions/five.jsonl": "session five",
      "drafts.json": "other drafts",
    });
    const storage = await openWorkspaceStorage({
      workspace: { folders: [{ scheme: "file", fsPath: home, toString: () => home }] },
      globalFolder: path.join(home, "global"),
      editorFolder: path.join(editors, "arbor.arbor-agent"),
    });
    storage.dispose();
    const moved = read(storage.workspaceFolder);
    assert.deepEqual(
      Object.keys(moved).filter((name) => name.startsWith("sessions/")),
      ["sessions/five.jsonl", "sessions/one.jsonl", "sessions/removed/three.5.jsonl", "sessions/two.jsonl"],
    );
    assert.equal(storage.windowFolder, path.join(storage.workspaceFolder, "windows/0"));
    assert.equal(moved["windows/0/drafts.json"], "drafts");
    assert.equal(moved["windows/1/drafts.json"], "other drafts");
    assert.deepEqual(JSON.parse(moved["workspace.json"] ?? ""), { folders: [fs.realpathSync(home)] });
    assert.deepEqual(storage.problems, []);
  });
});

/** Ids of the messages, as far as the contents that their checkpoints name are there. */
function checkpointsIn(files: Record<string, string>): string[] {
  const { checkpoints } = parseIndex(files["checkpoints/index.json"] ?? "") ?? assert.fail("no index");
  const isWhole = ({ steps }: (typeof checkpoints)[number]) =>
    steps.every(({ before }) => files[`checkpoints/blobs/${before.bytes}`] !== undefined);
  return checkpoints.filter(isWhole).map(({ messageId }) => messageId);
}

/** The disk, until the process is killed at the call with this number. A rename to another disk fails. */
function killedAt(number: number, isOtherDisk: boolean): MoveCalls {
  let calls = 0;
  const wrap = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      calls += 1;
      if (calls >= number) throw new Error("killed");
      return call(...args);
    };
  };
  const { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } = fs;
  const wrapped = { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync };
  // The same arguments and results as the calls that they stand for.
  for (const [name, call] of Object.entries(wrapped)) Object.assign(wrapped, { [name]: wrap(call as never) });
  const renameSync = wrap((from: fs.PathLike, to: fs.PathLike) => {
    const isAcross = String(from).includes(`${path.sep}old`) !== String(to).includes(`${path.sep}old`);
    if (isOtherDisk && isAcross) throw Object.assign(new Error("EXDEV"), { code: "EXDEV" });
    fs.renameSync(from, to);
  });
  return { ...wrapped, renameSync };
}
