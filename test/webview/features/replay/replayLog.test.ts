import assert from "node:assert/strict";
import fc from "fast-check";
import { forkMoment } from "../../../../src/protocol/forkMoment.ts";
import type { HostMessage, LogEntry, TimedEntry } from "../../../../src/protocol/messages.ts";
import { forkText } from "../../../../src/webview/features/replay/moment.ts";
import { createReplayLog, type ReplayLog } from "../../../../src/webview/features/replay/replayLog.ts";
import { applyHostMessage, type ChatState, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { chatLog } from "../../../extension/sessions/support/chatLog.ts";
import { testFolder } from "../../../extension/sessions/support/folder.ts";
import { logOf, randomChat } from "../../../extension/sessions/support/randomLogs.ts";
import { writeSession } from "../../../extension/sessions/support/writeSession.ts";
import { timeLimitMs } from "../../../support/soak.ts";

const shownOf = ({ tree, host, runs, activity }: ChatState) => ({ tree, host, runs, activity });
const timed = (entries: readonly LogEntry[]): TimedEntry[] => entries.map((entry) => ({ entry }));

/** As the panel folds a log that comes to it entry by entry. */
function* liveStates(entries: readonly LogEntry[]): Generator<ChatState> {
  let state: ChatState = { ...emptyChatState(), chatId: "chat" };
  for (const entry of entries) {
    const { seq } = entry;
    const message: HostMessage = {
      ...{ type: "entries", chatId: "chat", afterSeq: state.lastSeq, upToSeq: seq, entries: [entry] },
    };
    state = applyHostMessage(state, message).state;
    yield state;
  }
}

describe("the replay of a log", function () {
  this.timeout(timeLimitMs(120_000));

  it("is at each event of 100 recorded sessions what the panel showed, from wherever it is looked at", async () => {
    await using folder = await testFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(randomChat, fc.integer({ min: 1, max: 9 }), async (chat, snapshotEvery) => {
        const storage = folder.storage({ snapshotEvery: { bytes: 2_000, entries: 4, maxShare: 100 } });
        const id = `chat-${++count}`;
        await writeSession(storage, id, { entries: logOf(chat) });
        const log = createReplayLog({ snapshotEvery });
        await storage.readAll(id, async (piece) => log.add(piece));
        const live = [...liveStates(log.entries)];
        assert.equal(live.length, log.count);
        // Forward, back, and from both ends in turns.
        const forward = live.map((_, index) => index + 1);
        const turns = forward.map((position, index) => (index % 2 === 0 ? position : log.count + 1 - position));
        for (const position of [...forward, ...forward.toReversed(), ...turns]) {
          assert.deepEqual(shownOf(log.stateAt(position)), shownOf(live[position - 1] as ChatState), `at ${position}`);
        }
        assert.deepEqual(shownOf(log.stateAt(0)), shownOf(emptyChatState()));
      }),
      { numRuns: 100 },
    );
  });

  it("folds at most 400 of 20,000 events for a moment, however far away", () => {
    const { entries } = chatLog().run(
      "Hello",
      Array.from({ length: 1_700 }, () => ({ text: "Words.", calls: [{}] })),
    );
    const many = Array.from({ length: Math.ceil(20_000 / entries.length) }, () => entries).flat();
    const all = many.slice(0, 20_000).map((entry, index) => ({ ...entry, seq: index + 1 }));
    let folded = 0;
    const log = createReplayLog({ onFold: (count) => (folded += count) });
    for (let from = 0; from < all.length; from += 1_000) log.add(timed(all.slice(from, from + 1_000)));
    assert.equal(log.count, 20_000);
    assert.ok(folded <= 20_000, `${folded} folded once`);
    for (const position of [19_999, 399, 12_345, 400, 20_000, 1, 7_777]) {
      folded = 0;
      log.stateAt(position);
      assert.ok(folded < 400, `${folded} at ${position}`);
    }
    // What is played goes on from where it was.
    log.stateAt(12_345);
    folded = 0;
    log.stateAt(12_346);
    assert.equal(folded, 1);
  });

  it("goes from request to request, tool to tool, and to what was asked and edited", () => {
    const { entries } = chatLog()
      .host({ type: "chat_titled", title: "Work" })
      .run("Look", [{ text: "I look.", calls: [{}] }, { text: "Seen." }])
      .host({
        type: "approval_requested",
        approval: {
          ...{ id: "1", agentId: "root", agentPath: ["main"], callId: "call-1", toolName: "run_command", files: [] },
          request: { kind: "command", text: "ls" },
        },
      });
    const log = createReplayLog();
    log.add(timed(entries));
    const tool = log.step(0, "tool", 1) ?? 0;
    const entry = log.entries[tool - 1];
    assert.ok(entry !== undefined && "agent" in entry && entry.agent.type === "tool_execution_start");
    assert.equal(log.step(tool, "tool", 1), undefined);
    assert.equal(log.step(log.count, "tool", -1), tool);
    assert.equal(log.step(0, "approval", 1), log.count);
    assert.equal(log.step(0, "edit", 1), undefined);
    assert.equal(log.step(0, "event", 1), 1);
    assert.equal(log.step(1, "event", -1), 0);
    assert.equal(log.step(0, "event", -1), undefined);
    assert.equal(log.step(log.count, "event", 1), undefined);
  });

  it("has no times where an old session has none, and goes on where a clock was set back", () => {
    const log = createReplayLog();
    const title = (seq: number): LogEntry => ({ seq, host: { type: "chat_titled", title: `${seq}` } });
    log.add([{ entry: title(1) }, { entry: title(2) }]);
    assert.equal(log.start, undefined);
    assert.equal(log.timeAt(2), 0);
    log.add([
      { at: 100_000, entry: title(3) },
      { at: 50_000, entry: title(4) },
      { at: 51_000, entry: title(5) },
    ]);
    assert.equal(log.start, 100_000);
    assert.deepEqual([log.timeAt(3), log.timeAt(4), log.timeAt(5)], [100_000, 100_000, 101_000]);
  });
});

describe("a fork at a moment", () => {
  const { entries } = chatLog()
    .run("First", [{ text: "One.", calls: [{ child: [{ text: "Child." }] }] }])
    .run("Second", [{ text: "Two." }]);
  const isRootEvent = (entry: LogEntry, type: string) =>
    "agent" in entry && entry.agent.agent.depth === 0 && entry.agent.type === type;
  const starts = entries.flatMap((entry, index) => (isRootEvent(entry, "agent_start") ? [index] : []));
  const ends = entries.flatMap((entry, index) => (isRootEvent(entry, "agent_end") ? [index] : []));
  const textOf = (position: number) => JSON.stringify(forkMoment(entries, position)?.message?.content);

  it("is between two runs where the moment is, and else ahead of the message that started the run", () => {
    assert.equal(forkMoment(entries, 0), undefined);
    assert.equal(forkMoment(entries, starts[0] ?? 0), undefined);
    const inFirst = forkMoment(entries, (ends[0] ?? 0) - 1);
    assert.deepEqual([inFirst?.beforeSeq, inFirst?.isFirst], [entries[starts[0] ?? 0]?.seq, true]);
    assert.match(textOf((ends[0] ?? 0) - 1), /First/);
    const between = forkMoment(entries, (ends[0] ?? 0) + 1);
    assert.deepEqual([between?.beforeSeq, between?.message], [entries[(ends[0] ?? 0) + 1]?.seq, undefined]);
    const inSecond = forkMoment(entries, (starts[1] ?? 0) + 1);
    assert.deepEqual([inSecond?.beforeSeq, inSecond?.isFirst], [entries[starts[1] ?? 0]?.seq, false]);
    assert.match(textOf((starts[1] ?? 0) + 1), /Second/);
    assert.deepEqual(forkMoment(entries, entries.length), {
      ...{ beforeSeq: undefined, isInRun: false, message: undefined, isFirst: false },
    });
  });

  it("says that it is ahead of a run that no message started", () => {
    const start = starts[1] ?? 0;
    const isOfMessage = (entry: LogEntry) =>
      "agent" in entry && entry.agent.type === "message_end" && entry.agent.message.role === "user";
    const goesOn = entries.filter((entry, index) => index < start || !isOfMessage(entry));
    const log = { entries: goesOn } as unknown as ReplayLog;
    assert.equal(forkMoment(goesOn, start + 2)?.isInRun, true);
    assert.match(forkText(log, start + 2) ?? "", /ends before it started/);
    assert.match(forkText(log, start) ?? "", /everything until this moment/);
  });

  it("is ahead of a run that was cut off", () => {
    const cut = chatLog()
      .run("First", [{ text: "One." }])
      .begin("Second").entries;
    const moment = forkMoment(cut, cut.length);
    assert.equal(moment?.isFirst, false);
    assert.match(JSON.stringify(moment?.message?.content), /Second/);
  });
});
