import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { MessageSearch } from "../../../../src/extension/panel/history/messageSearch.ts";

describe("what the user said", () => {
  let folder: string;
  const failures: unknown[] = [];
  const words = () => new MessageSearch(path.join(folder, "words"), (error) => failures.push(error));
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const found = async (in_: MessageSearch, query: string) => [...(await in_.find(query, ["a", "b", "none"]))];

  it("is found in any case and over line breaks, also by the next window", async () => {
    const first = words();
    first.add("a", "Fix the\nLogin, please");
    first.add("b", "Something else");
    assert.deepEqual(await found(first, "THE  login"), ["a"]);
    first.add("a", "and the logout");
    assert.deepEqual(await found(first, "logout"), ["a"]);
    assert.deepEqual(await found(words(), "logout"), ["a"]);
    assert.deepEqual(await found(words(), "please and"), [], "two messages are two");
    assert.deepEqual(failures, []);
  });

  it("replaces what it knew of a chat that was opened from its session", async () => {
    const first = words();
    first.add("a", "old");
    first.begin("a", ["one", "two"]);
    assert.deepEqual(await found(first, "old"), []);
    assert.deepEqual(await found(first, "two"), ["a"]);
  });

  it("reports when it can't be saved, and the search goes on", async () => {
    await writeFile(path.join(folder, "words"), "a file where the folder should be");
    const blocked = words();
    blocked.add("a", "lost");
    await assert.rejects(found(blocked, "lost"), { code: "ENOTDIR" });
    assert.equal(failures.length, 1);
  });

  it("goes a month after its chat", async () => {
    const first = words();
    for (const id of ["kept", "fresh", "gone"]) first.add(id, id);
    await first.find("", []);
    const now = 1_800_000_000_000;
    for (const [id, age] of Object.entries({ kept: 90, fresh: 29, gone: 31 })) {
      const seconds = now / 1_000 - age * 86_400;
      await utimes(path.join(folder, "words", `${id}.txt`), seconds, seconds);
    }
    await first.removeOthers(["kept"], now);
    assert.deepEqual((await readdir(path.join(folder, "words"))).sort(), ["fresh.txt", "kept.txt"]);
  });

  it("looks past a file that is gone by the time it looks at it", async () => {
    const subject = words();
    subject.add("a", "kept");
    await subject.find("", []);
    // Listed, and not there when it is looked at.
    await symlink(path.join(folder, "nowhere"), path.join(folder, "words", "a.txt.1a2b3c4d.tmp"));
    await subject.removeOthers(["a"], 1_800_000_000_000);
    assert.deepEqual(await found(subject, "kept"), ["a"]);
  });
});
