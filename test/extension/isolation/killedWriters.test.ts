import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { ownIdentity } from "../../../src/extension/common/processIdentity.ts";
import { Worktrees } from "../../../src/extension/isolation/worktrees.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { startChild } from "../sessions/support/children.ts";
import { type UserRepository, userRepository } from "./userRepository.ts";

/** All lines that twenty writers print. */
const maxLines = 20 * 7;

describe("twenty writers on one repository", () => {
  let repository: UserRepository;
  beforeEach(async () => {
    repository = await userRepository();
  });
  afterEach(() => repository.remove());

  it("change nothing of the user's, killed at any moment, and leave no worktree after the next start", async function () {
    this.timeout(timeLimitMs(900_000));
    const { folder, storage, git, everything } = repository;
    const before = await everything();
    const killed = async (count: number) => {
      const child = startChild(join(import.meta.dirname, "writers.ts"), [folder, storage]);
      await child.killAfter(count);
      assert.deepEqual(await everything(), before);
      await new Worktrees({ storage, owner: ownIdentity, ignoredFiles: () => ({}) }).cleanUp();
      assert.deepEqual(
        (await readdir(storage)).filter((name) => name.startsWith("arbor-")),
        [],
      );
      // They delete nothing: a worktree that was half removed is no work of theirs.
      const cutOff = join(storage, "cutOff");
      for (const name of await readdir(cutOff).catch(() => [])) {
        const changes = JSON.parse(await readFile(join(cutOff, name), "utf8")) as { after?: object }[];
        assert.ok(changes.length > 0 && changes.every(({ after }) => after !== undefined));
      }
      assert.equal((await git("worktree", "list")).trim().split("\n").length, 1);
      await assert.rejects(readdir(join(folder, ".git/worktrees")), /ENOENT/);
      assert.deepEqual(await everything(), before);
    };
    await fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: maxLines }), killed), {
      ...tries("isolation"),
      endOnFailure: true,
    });
  });
});
