import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { MessageSearch } from "../../../../src/extension/panel/history/messageSearch.ts";

const said = (text: string, at = 1) => ({ at, text });

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
    first.add("a", said("Fix the\nLogin, please"));
    first.add("b", said("Something else"));
    assert.deepEqual(await found(first, "THE  login"), ["a"]);
    first.add("a", said("and the logout"));
    assert.deepEqual(await found(first, "logout"), ["a"]);
    assert.deepEqual(await found(words(), "logout"), ["a"]);
    assert.deepEqual(await found(words(), "please and"), [], "two messages are two");
    assert.deepEqual(failures, []);
  });

  it("replaces what it knew of a chat that was opened from its session", async () => {
    const first = words();
    first.add("a", said("old"));
    first.begin("a", [said("one"), said("two")]);
    assert.deepEqual(await found(first, "old"), []);
    assert.deepEqual(await found(first, "two"), ["a"]);
  });

  it("is recalled as it was written, the latest first and each text once, whatever the chat", async () => {
    const first = words();
    first.begin("a", [said("Fix the\nLogin", 10), said("go on", 30)]);
    first.begin("b", [said("go on", 20), said("Review it", 40)]);
    first.add("a", said("go on", 50));
    first.add("none", said("x".repeat(5_000), 60));
    const expected = [said("go on", 50), said("Review it", 40), said("Fix the\nLogin", 10)];
    assert.deepEqual(await first.latest(["a", "b", "none"]), expected);
    assert.deepEqual(await words().latest(["a", "b"]), expected);
    assert.deepEqual(await first.latest(["b"]), [said("Review it", 40), said("go on", 20)]);
  });

  it("is recalled up to a limit", async () => {
    const first = words();
    for (const id of ["a", "b"]) {
      first.begin(
        id,
        Array.from({ length: 80 }, (_, index) => said(`${id} ${index}`, index)),
      );
    }
    const recalled = await first.latest(["a", "b"]);
    assert.equal(recalled.length, 100);
    assert.deepEqual([recalled[0]?.at, recalled.at(-1)?.at], [79, 30]);
  });

  it("is found in the files of an earlier version, and not recalled from them", async () => {
    await mkdir(path.join(folder, "words"));
    await writeFile(path.join(folder, "words", "a.txt"), "fix the login\n{}\n");
    assert.deepEqual(await found(words(), "Login"), ["a"]);
    assert.deepEqual(await words().latest(["a"]), []);
  });

  it("reports when it can't be saved, and the search goes on", async () => {
    await writeFile(path.join(folder, "words"), "a file where the folder should be");
    const blocked = words();
    blocked.add("a", said("lost"));
    await assert.rejects(found(blocked, "lost"), { code: "ENOTDIR" });
    assert.equal(failures.length, 1);
  });

  it("goes a month after its chat", async () => {
    const first = words();
    for (const id of ["kept", "fresh", "gone"]) first.add(id, said(id));
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
    subject.add("a", said("kept"));
    await subject.find("", []);
    // Listed, and not there when it is looked at.
    await symlink(path.join(folder, "nowhere"), path.join(folder, "words", "a.txt.1a2b3c4d.tmp"));
    await subject.removeOthers(["a"], 1_800_000_000_000);
    assert.deepEqual(await found(subject, "kept"), ["a"]);
  });
});
