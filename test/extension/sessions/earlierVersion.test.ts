import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { journalOnDisk } from "../../../src/extension/changes/journal/callRecord.ts";
import { parseIndex } from "../../../src/extension/changes/rewind/checkpointIndex.ts";
import { draftsIn } from "../../../src/extension/chat/compose/drafts.ts";
import { openSession } from "../../../src/extension/chat/restore/openSession.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import { openSessionStorage } from "../../../src/extension/sessions/storage.ts";

/** What version 0.1.0 wrote of three chats in a copy of the sample workspace; it ended while an edit waited. */
const written = path.resolve(import.meta.dirname, "../../fixtures/version-0.1.0");
const edited = "e293688d-29a0-448a-b04d-9e76600ce7e2";
const explored = "d2e795bb-b9d0-4353-8ff5-d5d9f6d64bf2";
const waiting = "9a17cdc8-b836-4d7b-8a82-3f6cf2029d0b";

describe("What an earlier version wrote", () => {
  let folder: string;
  const warnings: string[] = [];
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-earlier-"));
    await cp(written, folder, { recursive: true });
  });
  after(async () => {
    assert.deepEqual(warnings, []);
    await rm(folder, { recursive: true, force: true });
  });
  const storage = () =>
    openSessionStorage({ folder: path.join(folder, "sessions"), onTrouble: (text) => warnings.push(text) });

  async function open(id: string) {
    const { restored, problems, record } = await openSession(storage(), id);
    await record?.close();
    assert.deepEqual(problems, []);
    assert.ok(record !== undefined, "it can go on");
    return { restored, ...foldLog(restored.entries) };
  }

  it("is listed: each chat with its title, what it used and whether it was cut off", async () => {
    const list = await storage().list();
    assert.partialDeepStrictEqual(list, [
      { id: waiting, title: "Say what the readme says", messageCount: 1, isInterrupted: true },
      { id: explored, title: "Look from two sides", messageCount: 1, tokens: 4, cost: 0.0004, isInterrupted: false },
      { id: edited, title: "Remove the note in money.ts", messageCount: 1, tokens: 3, isInterrupted: false },
    ]);
    assert.equal(list.length, 3);
  });

  it("opens with each agent, its task, its state and what it said", async () => {
    const { tree, restored } = await open(explored);
    const agents = Object.values(tree.nodes).map(({ meta, status }) => [meta.name, meta.depth, status]);
    assert.deepEqual(agents, [
      ["main", 0, "done"],
      ["explore", 1, "done"],
      ["explore", 1, "done"],
    ]);
    const said = JSON.stringify(restored.entries);
    for (const text of ["Cart and receipt call it.", "test/format.test.ts does.", "Two files and one test."])
      assert.ok(said.includes(text), text);
    assert.equal(restored.root?.messages.length, 4);
    assert.deepEqual(restored.closing, { agents: [], host: [] });
  });

  it("has the edit that was accepted, which can be rewound", async () => {
    const { restored } = await open(edited);
    const texts = JSON.stringify(restored.root?.messages);
    assert.match(texts, /The note is gone\./);
    const message = restored.root?.messages.find(({ role }) => role === "user");
    const index = parseIndex(await readFile(path.join(folder, "checkpoints/index.json"), "utf8"));
    assert.equal(index?.checkpoints[0]?.messageId, message?.id);
    const [step] = index?.checkpoints[0]?.steps ?? [];
    assert.equal(step?.path, "src/format/money.ts");
  });

  it("shows the run that was cut off, with the edit that waited and the text that was not sent", async () => {
    const { restored, host } = await open(waiting);
    assert.equal(host.title, "Say what the readme says");
    assert.ok(restored.closing.host.some(({ type }) => type === "notice_shown"));
    const calls = await journalOnDisk(path.join(folder, "edits-under-way")).read(waiting);
    assert.equal(calls.length, 1);
    assert.partialDeepStrictEqual(calls, [{ kind: "open", hunkCount: 1, files: [{ path: "README.md" }] }]);
    const drafts = draftsIn(path.join(folder, "windows/0"), (error) => warnings.push(String(error)));
    await drafts.load();
    assert.equal(drafts.of(waiting)?.text, "and then, in the morning,");
  });
});
