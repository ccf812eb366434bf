import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { loadEdits } from "../../../src/extension/changes/persistedEdits.ts";
import { Checkpoints } from "../../../src/extension/changes/rewind/checkpoints.ts";
import { diskStorage } from "../../../src/extension/changes/rewind/storage.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { fold, withoutChildrensWords } from "./support/chatLog.ts";
import { bundleChild, startChild } from "./support/children.ts";
import { type TestStorage, testFolder } from "./support/folder.ts";
import { imagedFolder } from "./support/imagedFolder.ts";
import { logUpTo, movedIds } from "./support/killedLogs.ts";
import { settled } from "./support/settled.ts";

describe("a process that is killed while it writes", function () {
  this.timeout(timeLimitMs(120_000));
  let folder = "";
  let script = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-killed-"));
    script = await bundleChild("killedChild.ts", folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Kills a process of this kind after random numbers of what it says, and looks at what it left each time. */
  async function kill(
    kind: string,
    most: number,
    check: (path: string, said: unknown[], storage: TestStorage) => Promise<void>,
  ): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: most }), async (count) => {
        await using place = await testFolder();
        const child = startChild(script, [kind, place.path]);
        await child.killAfter(count);
        const said = child.lines.map((line): unknown => JSON.parse(line));
        assert.ok(said.length >= count, "It ended by itself.");
        assert.ok(!said.some((each) => typeof each === "object" && each !== null && "trouble" in each), String(said));
        await check(place.path, said, place.storage());
      }),
      { ...tries("kills"), endOnFailure: true },
    );
  }

  it("loses no entry of a session that it appended", async () => {
    let torn = 0;
    await kill("append", 400, async (_, said, storage) => {
      const { entries, lastSeq, problems, writer } = await storage.open("a");
      torn += problems.length;
      assert.notEqual(writer, undefined);
      await writer?.close();
      const last = Number(said.at(-1));
      const live = withoutChildrensWords(fold(settled(logUpTo(Math.max(last, lastSeq)))));
      assert.deepEqual(withoutChildrensWords(fold(entries)), live);
    });
    if (process.env.ARBOR_SOAK !== undefined) console.log(`      ${torn} torn lines were cut away`);
  });

  it("leaves a list of all its sessions, whatever became of the index", () =>
    kill("index", 12, async (path, said, storage) => {
      const listed = await storage.list();
      assert.ok(listed.length >= Number(said.at(-1)));
      await rm(join(path, "index.json"), { force: true });
      assert.deepEqual(await storage.list(), listed);
    }));

  it("loses no session that it removed, brought back or renamed", () =>
    kill("move", 60, async (path, said, storage) => {
      if (said.length < 1) return;
      const files = (await readdir(path, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
      assert.equal(files.length, movedIds.length, files.join());
      const titles = new Map<string, string>();
      for (const each of said) if (isRenamed(each)) titles.set(each.id, each.title);
      for (const id of movedIds) {
        if (!files.includes(`${id}.jsonl`)) await storage.restore(id);
        const { entries, summary, writer } = await storage.open(id);
        assert.equal(fold(entries).tree.nodes.root?.messages.length, 2);
        // What it was about to do next may be done.
        assert.ok(Number(summary.title.slice(6)) >= Number((titles.get(id) ?? "").slice(6)));
        await writer?.close();
      }
    }));

  it("loses no pending edit that it reported", () =>
    kill("edits", 40, async (path, said) => {
      const json = await readFile(join(path, "pending-edits.json"), "utf8");
      const edited = new Set([...json.matchAll(/"newLines":\["edited (\d+)"\]/g)].map(([, line]) => Number(line)));
      const text = Array.from({ length: 400 }, (_, line) => `${edited.has(line) ? "edited" : "line"} ${line}\n`).join(
        "",
      );
      const { files, dropped } = await loadEdits(json, async () => text);
      const pending = files.flatMap(({ hunks }) => hunks.map(({ hunk }) => hunk.newLines.join()));
      for (const line of said) assert.ok(pending.includes(`edited ${line}`));
      assert.deepEqual(dropped, []);
    }));

  it("loses nothing of what files held before its changes", () =>
    kill("checkpoints", 20, async (path, said) => {
      const files = imagedFolder(join(path, "files"));
      const warnings: string[] = [];
      const kept = new Checkpoints({
        storage: diskStorage(join(path, "kept")),
        files,
        warn: (message) => warnings.push(message),
      });
      for (const { messageId, path: changed, before } of said.filter(isKept).toReversed()) {
        await kept.rewind(messageId, messageId);
        assert.equal(Buffer.from((await files.take(changed)).bytes ?? []).toString(), before);
      }
      assert.deepEqual(warnings, []);
    }));
});

function isRenamed(said: unknown): said is { id: string; title: string } {
  return typeof said === "object" && said !== null && "title" in said;
}

function isKept(said: unknown): said is { messageId: string; path: string; before: string } {
  return typeof said === "object" && said !== null && "messageId" in said;
}
