import assert from "node:assert/strict";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { diskFiles, type Files } from "../../../src/extension/common/files.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import type { SessionAppender, SessionStorage } from "../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { chatLog, fold, withoutChildrensWords } from "./support/chatLog.ts";
import { type DiskFault, fault } from "./support/failingFiles.ts";
import { testFolder } from "./support/folder.ts";
import { settled } from "./support/settled.ts";

/** What happens to a chat's file while it is written: by its window, by the disk, by another window and by others. */
type Step =
  | { type: "append"; count: number }
  /** From now on every so many calls fail, and appends write only a part of what they are given. */
  | { type: "fault"; code: DiskFault; every: number }
  | { type: "heal" | "delete" | "moveFolder" | "replace" | "junk" | "reload" | "look" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("append" as const), count: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("fault" as const),
      code: fc.constantFrom<DiskFault>("ENOSPC", "EIO", "EACCES"),
      every: fc.integer({ min: 1, max: 7 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(["heal", "delete", "moveFolder", "replace", "junk", "reload", "reload", "look"] as const),
      ),
    }),
  },
);

/** The disk with short writes; while it is ill, every so many calls fail, half-way through what they write. */
function illDisk() {
  let ill: { code: DiskFault; every: number } | undefined;
  let calls = 0;
  const attempt = () => {
    calls++;
    if (ill !== undefined && calls % ill.every === 0) throw fault(ill.code);
  };
  const files: Files = { ...diskFiles, sync: async () => attempt() };
  const wrap = <Name extends keyof Files>(name: Name) => {
    const call: (...args: never[]) => unknown = diskFiles[name];
    // The same arguments and result as the call in whose place it is.
    files[name] = ((...args: never[]) => {
      attempt();
      return call(...args);
    }) as Files[Name];
  };
  for (const name of ["makeFolder", "list", "stat", "read", "create", "rename", "remove"] as const) wrap(name);
  for (const name of ["openForAppend", "truncate", "size"] as const) wrap(name);
  files.append = (descriptor, bytes) => {
    const part = bytes.subarray(0, Math.ceil(bytes.length / 2));
    try {
      attempt();
    } catch (error) {
      diskFiles.append(descriptor, part);
      throw error;
    }
    return diskFiles.append(descriptor, part);
  };
  return {
    files,
    set(next: typeof ill): void {
      ill = next;
    },
  };
}

function wholeLog(): readonly LogEntry[] {
  const log = chatLog().host({ type: "chat_titled", title: "Stormy" });
  for (let run = 0; run < 4; run++) log.run(`question ${run}`);
  return log.rewind(2).undo().run("one more").run("and the last").entries;
}

/** The session says all that was appended, once. */
async function holds(
  storage: SessionStorage,
  entries: readonly LogEntry[],
  isWhole: boolean,
): Promise<SessionAppender | undefined> {
  const { entries: read, problems, writer } = await storage.open("a");
  if (isWhole) assert.deepEqual(problems, []);
  const expected = withoutChildrensWords(fold(settled(entries)));
  const found = withoutChildrensWords(fold(read));
  try {
    assert.deepEqual(found.tree, expected.tree);
  } catch (error) {
    await writer?.close();
    throw error;
  }
  return writer;
}

async function weather(steps: readonly Step[]): Promise<void> {
  await using folder = await testFolder();
  const disk = illDisk();
  const log = wholeLog();
  const path = join(folder.path, "sessions", "a.jsonl");
  const window = () => folder.storage({ folder: join(folder.path, "sessions"), files: disk.files });
  let storage = window();
  let writer: SessionAppender | undefined = await storage.create("a");
  let appended = 0;
  let isIll = false;
  let moved = 0;
  /** Others wrote to it, which is named. */
  let isWhole = true;
  const append = (count: number) => {
    for (const entry of log.slice(appended, appended + count)) writer?.append(entry);
    appended = Math.min(log.length, appended + count);
  };
  const heal = () => {
    disk.set(undefined);
    isIll = false;
  };
  const isThere = () => diskFiles.stat(path) !== undefined;
  append(1);
  for (const step of steps) {
    switch (step.type) {
      case "append":
        append(step.count);
        break;
      case "fault":
        disk.set(step);
        isIll = true;
        break;
      case "heal":
        heal();
        break;
      case "delete":
        await rm(path, { force: true });
        break;
      case "moveFolder":
        if (isThere()) await rename(join(folder.path, "sessions"), join(folder.path, `moved ${appended} ${moved++}`));
        break;
      case "replace":
        if (!isThere()) break;
        await rename(path, `${path}.mine`);
        await writeFile(path, "another file\n");
        break;
      case "junk":
        if (!isThere()) break;
        await appendFile(path, "half a line of somebody else's");
        isWhole = false;
        break;
      case "reload":
        heal();
        await writer?.close();
        storage = window();
        writer = await holds(storage, log.slice(0, appended), isWhole);
        assert.ok(writer !== undefined, "the one window writes");
        break;
      default: {
        if (isIll || !isThere()) break;
        const other = await window()
          .open("a")
          .catch((error: unknown) => assert.ok(error instanceof UserError));
        assert.equal(other?.writer, undefined, "there is one writer");
      }
    }
  }
  heal();
  append(log.length);
  await writer?.close();
  await (await holds(window(), log, isWhole))?.close();
}

describe("a chat's file in all that can happen to it", function () {
  this.timeout(120_000);

  it("has each entry once in the end, whatever failed, was moved, was written by others or was read meanwhile", () =>
    fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 14 }), weather), { numRuns: 100 }));
});
