import assert from "node:assert/strict";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StreamedUpdate } from "../../../src/agent/types.ts";
import { restoreChat } from "../../../src/extension/chat/restore/restoredChat.ts";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import type { Later } from "../../../src/extension/sessions/writer.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { chatLog } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";

/** What would be done a little later is done when the test says so. */
function heldBack() {
  const due = new Set<() => void>();
  const later: Later = (run) => {
    due.add(run);
    return { dispose: () => void due.delete(run) };
  };
  const pass = () => {
    for (const run of due) {
      due.delete(run);
      run();
    }
  };
  return { later, pass, due };
}

/** The first part of a run: the root agent says so many words, and a sub-agent's call prints. */
function saying(words: string): LogEntry[] {
  const { entries } = chatLog().run("first", [{ text: words }]);
  const end = entries.findLastIndex((entry) => "agent" in entry && entry.agent.type === "message_end");
  return entries.slice(0, end);
}

async function restored(storage: SessionStorage, id: string) {
  const { entries, lastSeq, unfinished = [], writer } = await storage.open(id);
  await writer?.close();
  return restoreChat({ id, entries, lastSeq, unfinished, showsInterruption: true });
}

const wordsOf = (chat: Awaited<ReturnType<typeof restored>>) => {
  const last = chat.root?.messages.at(-1);
  return last?.role === "assistant" ? last.content.map((part) => ("text" in part ? part.text : "")).join("") : "";
};

describe("an answer that grows", () => {
  it("is in the session's file up to the last half second, and cut off when nothing ends it", async () => {
    await using folder = await testFolder();
    const { later, pass, due } = heldBack();
    const writer = await folder.storage({ later }).create("a");
    const entries = saying("The quick brown fox jumps over the lazy dog.");
    for (const entry of entries.slice(0, -3)) writer.append(entry);
    assert.equal(due.size, 1);
    pass();
    for (const entry of entries.slice(-3, -1)) writer.append(entry);
    pass();
    for (const entry of entries.slice(-1)) writer.append(entry);
    // One who opens the file now finds it as a killed process leaves it.
    await using other = await testFolder();
    await cp(join(folder.path, "a.jsonl"), join(other.path, "a.jsonl"));
    const chat = await restored(other.storage(), "a");
    assert.equal(wordsOf(chat), "The quick brown fox jumps over the lazy do");
    const last = chat.root?.messages.at(-1);
    assert.ok(last?.role === "assistant" && last.stopReason === "aborted");
    await writer.close();
  });

  it("adds to the file what is new each time, and nothing when it ends at once", async () => {
    await using folder = await testFolder();
    const { later, pass } = heldBack();
    const quick = await folder.storage({ later }).create("quick");
    for (const entry of chatLog().run("first", [{ text: "Short." }]).entries) quick.append(entry);
    pass();
    await quick.close();
    assert.doesNotMatch(await readFile(join(folder.path, "quick.jsonl"), "utf8"), /growing/);

    const words = "word ".repeat(20_000);
    const writer = await folder.storage({ later }).create("long");
    for (const entry of saying(words)) {
      writer.append(entry);
      if (entry.seq % 100 === 0) pass();
    }
    pass();
    const { size } = await stat(join(folder.path, "long.jsonl"));
    assert.ok(size < 2 * words.length, `${size} bytes for ${words.length}`);
    await writer.close();
    assert.equal(wordsOf(await restored(folder.storage(), "long")), words);
  });

  it("is replaced by its end, so that nothing is read twice", async () => {
    await using folder = await testFolder();
    const { later, pass } = heldBack();
    const log = chatLog().run("first", [
      { text: "One two three.", calls: [{ prints: ["a", "b"], child: [{ text: "Hm" }] }] },
    ]);
    const writer = await folder.storage({ later }).create("a");
    for (const entry of log.entries) {
      writer.append(entry);
      pass();
    }
    await writer.close();
    assert.match(await readFile(join(folder.path, "a.jsonl"), "utf8"), /"growing":\{/);
    const { entries, unfinished, problems } = await folder.storage().open("a");
    assert.deepEqual([unfinished, problems], [[], []]);
    await using plain = await testFolder();
    const other = await plain.storage().create("a");
    for (const entry of log.entries) other.append(entry);
    await other.close();
    assert.deepEqual(entries, (await plain.storage().open("a")).entries);
  });

  it("of a sub-agent, and what a call has printed, come back too", async () => {
    await using folder = await testFolder();
    const { later, pass } = heldBack();
    const { entries } = chatLog().begin("first", {
      prints: ["line 1\n", "line 2\n"],
      child: [{ text: "Let me look." }],
    });
    const end = entries.findLastIndex((entry) => "agent" in entry && entry.agent.type === "message_end");
    const writer = await folder.storage({ later }).create("a");
    for (const entry of entries.slice(0, end)) {
      writer.append(entry);
      pass();
    }
    await writer.close();
    const { closing } = await restored(folder.storage(), "a");
    const child = closing.agents.find(({ type, agent }) => type === "message_end" && agent.depth === 1);
    assert.ok(child?.type === "message_end" && child.message.role === "assistant");
    assert.deepEqual(child.message.content, [{ type: "text", text: "Let me look." }]);
    const printed = closing.agents.find(({ type }) => type === "tool_execution_update");
    assert.ok(printed?.type === "tool_execution_update");
    assert.equal(printed.output, "line 1\nline 2\n");
  });

  it("has cost what the provider had reported, with an estimate of what was said", async () => {
    await using folder = await testFolder();
    const { later, pass } = heldBack();
    const price = { input: 1_000_000, output: 2_000_000 };
    const usage = { input: 120, output: 1, cacheRead: 30, cacheWrite: 0, reasoning: 0, cost: 150 };
    const writer = await folder.storage({ later }).create("a");
    for (const entry of saying("x".repeat(40))) {
      if (!("agent" in entry) || entry.agent.type !== "message_update" || entry.agent.delta.type !== "text_start") {
        writer.append(entry);
        continue;
      }
      const agent: StreamedUpdate = { ...entry.agent, reported: { usage, price } };
      writer.append({ seq: entry.seq, agent });
    }
    pass();
    await writer.close();
    const { closing, root } = await restored(folder.storage(), "a");
    const spent = closing.agents.find(({ type }) => type === "usage");
    assert.ok(spent?.type === "usage");
    assert.deepEqual(spent.delta, { ...usage, output: 10, isEstimate: true, cost: 120 + 30 + 20 });
    assert.equal(root?.total.input, 120);
  });

  it("of whose request nothing was reported has cost an estimate that is marked as one", async () => {
    await using folder = await testFolder();
    const writer = await folder.storage().create("a");
    for (const entry of saying("x".repeat(40))) writer.append(entry);
    await writer.close();
    const spent = (await restored(folder.storage(), "a")).closing.agents.find(({ type }) => type === "usage");
    assert.ok(spent?.type === "usage");
    assert.partialDeepStrictEqual(spent.delta, { output: 10, isEstimate: true });
  });
});

describe("a session whose file is deleted while it is open", () => {
  it("is written again with all that was in it, and says so", async () => {
    await using folder = await testFolder();
    const log = chatLog().run("first");
    const half = log.entries.length;
    log.run("second");
    const path = join(folder.path, "a.jsonl");
    for (const isReopened of [false, true]) {
      const storage = folder.storage();
      const writer = isReopened ? (await storage.open("a")).writer : await storage.create("a");
      if (!isReopened) for (const entry of log.entries.slice(0, half)) writer?.append(entry);
      const before = await readFile(path, "utf8");
      await rm(path);
      const next = isReopened ? [] : log.entries.slice(half);
      for (const entry of next) writer?.append(entry);
      writer?.append({ seq: 5_000 + Number(isReopened), host: { type: "chat_titled", title: "Still here" } });
      await writer?.close();
      assert.ok((await readFile(path, "utf8")).startsWith(before));
      assert.deepEqual(storage.warnings, [
        "The file of this chat was deleted while the chat was open. Arbor has written it again.",
      ]);
    }
    const { summary, problems } = await folder.storage().open("a");
    assert.deepEqual([summary.title, summary.messageCount, problems], ["Still here", 2, []]);
  });

  it("goes on where its whole folder was deleted, and no other window may write it", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const writer = await storage.create("a");
    const log = chatLog().run("first").run("second");
    for (const [at, entry] of log.entries.entries()) {
      if (at === 10) await rm(folder.path, { recursive: true });
      writer.append(entry);
    }
    assert.equal((await folder.storage().open("a")).writer, undefined);
    await writer.close();
    assert.equal((await folder.storage().open("a")).summary.messageCount, 2);
  });

  it("puts away another file that is in its place", async () => {
    await using folder = await testFolder();
    const writer = await folder.storage().create("a");
    const log = chatLog().run("first").run("second");
    for (const [at, entry] of log.entries.entries()) {
      if (at === 10) {
        await rm(join(folder.path, "a.jsonl"));
        await writeFile(join(folder.path, "a.jsonl"), "Something else\n");
      }
      writer.append(entry);
    }
    await writer.close();
    assert.equal((await folder.storage().open("a")).summary.messageCount, 2);
    const [name = ""] = await readdir(join(folder.path, "unreadable"));
    assert.equal(await readFile(join(folder.path, "unreadable", name), "utf8"), "Something else\n");
  });
});
