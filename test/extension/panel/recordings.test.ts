import assert from "node:assert/strict";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { Recordings } from "../../../src/extension/panel/recordings.ts";
import { SessionGone } from "../../../src/extension/sessions/session.ts";
import type { HostMessage, LogEntry, TimedEntry } from "../../../src/protocol/messages.ts";
import { chatLog } from "../sessions/support/chatLog.ts";

type Recording = Extract<HostMessage, { type: "recording" }>;

/** A panel whose chat has this log; what is later runs by `tick`. */
function setUp(
  entries: readonly LogEntry[],
  readAll: ConstructorParameters<typeof Recordings>[0]["sessions"]["readAll"],
) {
  const log = new EventLog();
  for (const entry of entries) {
    if ("agent" in entry) log.appendAgent(entry.agent);
    else log.appendHost(entry.host);
  }
  const sent: Recording[] = [];
  const due: (() => void)[] = [];
  const recordings = new Recordings({
    sessions: { readAll },
    now: () => 5_000,
    later(run) {
      due.push(run);
      return { dispose: () => due.splice(due.indexOf(run), 1) };
    },
  });
  // A panel as far as recordings use one.
  const panel = { chat: { id: "chat", log }, send: (message: Recording) => sent.push(message) };
  return {
    ...{ log, sent, recordings },
    panel: panel as unknown as Parameters<Recordings["follow"]>[0],
    tick() {
      for (const run of due.splice(0)) run();
    },
    seqs: () => sent.flatMap((message) => message.entries.map(({ entry }) => entry.seq)),
  };
}

describe("the recording that a panel asks for", () => {
  const stored = chatLog().run("Hello", [{ text: "One." }, { text: "Two.", calls: [{ prints: ["a", "b"] }] }]).entries;
  const timed = stored.map((entry, index): TimedEntry => ({ at: 1_000 + index, entry }));

  it("is what the session holds, and then what is added, each entry once and in order", async () => {
    const { log, sent, recordings, panel, tick, seqs } = setUp(stored, async (_id, take) => {
      await take(timed.slice(0, 3));
      // Written while the file is read: it may be in the file already, or not.
      log.appendHost({ type: "chat_titled", title: "Read too" });
      await take([
        ...timed.slice(3),
        { at: 4_000, entry: { seq: log.lastSeq, host: { type: "chat_titled", title: "Read too" } } },
      ]);
      log.appendHost({ type: "chat_titled", title: "Not read" });
    });
    await recordings.follow(panel, "all");
    assert.equal(sent[0]?.isFirst, true);
    assert.equal(sent.at(-1)?.isWhole, true);
    assert.deepEqual(
      seqs(),
      Array.from({ length: stored.length + 2 }, (_, index) => index + 1),
    );
    log.appendHost({ type: "chat_titled", title: "Later" });
    tick();
    assert.deepEqual(sent.at(-1)?.entries, [
      { at: 5_000, entry: { seq: log.lastSeq, host: { type: "chat_titled", title: "Later" } } },
    ]);
    recordings.leave(panel);
    log.appendHost({ type: "chat_titled", title: "Left" });
    tick();
    assert.equal(seqs().at(-1), stored.length + 3);
  });

  it("has no contents where only times are asked for", async () => {
    const secret = "what is no time";
    const { entries } = chatLog().run(secret, [{ text: secret, calls: [{ prints: [secret] }] }, { text: secret }]);
    const { sent, recordings, panel } = setUp(entries, async (_id, take) => take(entries.map((entry) => ({ entry }))));
    await recordings.follow(panel, "times");
    const types = sent.flatMap((message) =>
      message.entries.map(({ entry }) => ("agent" in entry ? entry.agent.type : entry.host.type)),
    );
    assert.ok(types.includes("tool_execution_start") && types.includes("message_end") && types.includes("agent_end"));
    assert.ok(!JSON.stringify(sent).includes(secret));
  });

  it("is not followed where the session can't be read", async () => {
    const { log, sent, recordings, panel, tick } = setUp(stored, async () => {
      throw new Error("The disk is gone.");
    });
    await assert.rejects(recordings.follow(panel, "all"), /The disk is gone/);
    const known = sent.length;
    log.appendHost({ type: "chat_titled", title: "Later" });
    tick();
    assert.equal(sent.length, known);
    await assert.rejects(recordings.follow(panel, "all"), /The disk is gone/);
  });

  it("is what is in memory where no session could be made", async () => {
    const { recordings, panel, seqs } = setUp(stored, async () => {
      throw new SessionGone("There is none.");
    });
    await recordings.follow(panel, "all");
    assert.ok(seqs().length > 5);
    assert.deepEqual(
      seqs(),
      [...seqs()].sort((a, b) => a - b),
    );
  });
});
