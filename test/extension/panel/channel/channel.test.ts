import assert from "node:assert/strict";
import { mock } from "node:test";
import fc from "fast-check";
import { emptyTree, reduceTree } from "../../../../src/agent/tree.ts";
import type { AgentEvent, AgentMeta, AgentTree } from "../../../../src/agent/types.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../../src/extension/panel/channel/channel.ts";
import { coalesce } from "../../../../src/extension/panel/channel/entryBatch.ts";
import { stripEntry } from "../../../../src/extension/panel/channel/stripEntry.ts";
import type { HostMessage, LogEntry } from "../../../../src/protocol/messages.ts";
import { assistant, childMeta, eventSource, rootMeta, textDelta, user } from "../../../support/events.ts";
import { receivedMessage, panelStatus as status } from "../../../support/hostMessages.ts";

function foldEntries(entries: readonly LogEntry[], tree: AgentTree = emptyTree()): AgentTree {
  return entries.reduce((folded, entry) => ("agent" in entry ? reduceTree(folded, entry.agent) : folded), tree);
}

function logOf(events: readonly AgentEvent[]): EventLog {
  const log = new EventLog();
  for (const event of events) log.appendAgent(event);
  return log;
}

function chatOf(log: EventLog) {
  return { id: "chat", log, draft: { text: "", attachments: [] }, transcriptOf: () => undefined };
}

/** The messages that the log holds deltas of. */
function updatedMessages(log: EventLog): string[] {
  return (log.entriesAfter(0) ?? []).flatMap((entry) =>
    "agent" in entry && entry.agent.type === "message_update" ? [entry.agent.messageId] : [],
  );
}

/** Two agents that stream at once, each with one message. */
function streamingEvents(): AgentEvent[] {
  const next = eventSource();
  return [
    next(rootMeta, { type: "agent_start" }),
    next(rootMeta, { type: "message_start", message: user("u", "hi") }),
    next(rootMeta, { type: "message_end", message: user("u", "hi") }),
    next(rootMeta, { type: "message_start", message: assistant("a", "") }),
    next(childMeta, { type: "agent_start" }),
    next(childMeta, { type: "message_start", message: assistant("b", "") }),
    next(rootMeta, textDelta("a", "one ")),
    next(childMeta, textDelta("b", "eins ")),
    next(rootMeta, textDelta("a", "two")),
    next(childMeta, textDelta("b", "zwei")),
  ];
}

describe("the chat's log", () => {
  it("folds to the same tree as all its events, whatever it dropped", () => {
    const next = eventSource();
    const events = [
      ...streamingEvents(),
      ...[assistant("a", "one two")].map((message) => ({
        ...next(rootMeta, { type: "message_end", message }),
        seq: 10,
      })),
    ];
    const log = logOf(events);
    assert.deepEqual(foldEntries(log.entriesAfter(0) ?? []), events.reduce(reduceTree, emptyTree()));
  });

  it("forgets the deltas of a finished message", () => {
    const log = logOf(streamingEvents());
    log.appendAgent({
      ...eventSource()(rootMeta, { type: "message_end", message: assistant("a", "one two") }),
      seq: 10,
    });
    assert.deepEqual(updatedMessages(log), ["b"]);
  });

  it("holds a message that is being written as a few entries, however many deltas it came in", () => {
    const next = eventSource();
    const log = logOf([
      next(rootMeta, { type: "agent_start" }),
      next(rootMeta, { type: "message_start", message: assistant("a", "") }),
    ]);
    for (let index = 0; index < 10_000; index++) log.appendAgent(next(rootMeta, textDelta("a", "word ")));
    assert.ok((log.entriesAfter(0)?.length ?? 0) < 20);
    const [message] = foldEntries(log.entriesAfter(0) ?? []).nodes.root?.messages ?? [];
    assert.deepEqual(message, assistant("a", "word ".repeat(10_000)));
  });

  it("gives what came since a panel last read, and says that all is needed when no panel read up to there", () => {
    const log = logOf(streamingEvents());
    log.divide();
    const next = eventSource();
    for (const word of ["three", "four"]) log.appendAgent({ ...next(rootMeta, textDelta("a", word)), seq: 10 });
    assert.equal(log.entriesAfter(10)?.length, 1);
    assert.equal(log.entriesAfter(11), undefined);
    assert.deepEqual(log.entriesAfter(12), []);
  });

  it("says that all is needed when live output was merged across the asked number", () => {
    const next = eventSource();
    const output = (text: string) =>
      next(rootMeta, { type: "tool_execution_update", callId: "c", toolName: "t", output: text });
    const log = logOf([
      next(rootMeta, { type: "agent_start" }),
      next(rootMeta, { type: "tool_execution_start", callId: "c", toolName: "t", args: {} }),
      output("a"),
      output("b"),
      next(rootMeta, {
        type: "tool_execution_end",
        callId: "c",
        toolName: "t",
        result: { content: "ab" },
        isError: false,
        durationMs: 1,
      }),
    ]);
    assert.equal(log.entriesAfter(3), undefined);
    assert.equal(log.entriesAfter(4)?.length, 1);
    assert.equal(foldEntries(log.entriesAfter(0) ?? []).nodes.root?.tools.c?.output, "ab");
  });
});

describe("coalescing", () => {
  it("changes nothing of what the entries fold to, for any cut into frames", () => {
    const events = streamingEvents();
    const entries = events.map((agent, index): LogEntry => ({ seq: index + 1, agent }));
    const whole = foldEntries(entries);
    fc.assert(
      fc.property(fc.array(fc.nat(entries.length)), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), entries.length];
        const frames = edges.slice(1).map((end, index) => entries.slice(edges[index], end));
        const folded = frames.reduce((tree, frame) => foldEntries(coalesce(frame), tree), emptyTree());
        assert.deepEqual(folded, whole);
      }),
    );
  });

  it("joins the deltas of two agents that stream at once to one entry each", () => {
    const entries = streamingEvents().map((agent, index): LogEntry => ({ seq: index + 1, agent }));
    assert.equal(coalesce(entries).length, entries.length - 2);
  });
});

describe("stripping", () => {
  const unopened = () => false;

  it("keeps the deltas of the root and of opened children only", () => {
    const next = eventSource();
    const of = (agent: AgentMeta): LogEntry => ({ seq: 1, agent: next(agent, textDelta("m", "x")) });
    assert.notEqual(stripEntry(of(rootMeta), unopened), undefined);
    assert.equal(stripEntry(of(childMeta), unopened), undefined);
    assert.notEqual(
      stripEntry(of(childMeta), (id) => id === "child"),
      undefined,
    );
  });

  it("leaves out what the provider has counted of an unfinished request", () => {
    const next = eventSource();
    const update = next(rootMeta, textDelta("a", "one"));
    const agent = { ...update, reported: { usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } } };
    assert.deepEqual(
      stripEntry({ seq: 1, agent }, () => true),
      { seq: 1, agent: update },
    );
  });

  it("cuts a long message of an unopened child to a preview", () => {
    const event = eventSource()(childMeta, { type: "message_end", message: assistant("m", "x".repeat(10_000)) });
    assert.ok(JSON.stringify(stripEntry({ seq: 1, agent: event }, unopened)).length < 1_000);
  });
});

describe("the channel", () => {
  it("brings a panel that was away to exactly the tree of one that stayed", () => {
    const events = streamingEvents();
    const log = logOf(events.slice(0, 7));
    const posts: HostMessage[] = [];
    const channel = new Channel(chatOf(log), { postMessage: (json) => posts.push(receivedMessage(json)) });
    channel.resume(undefined, status);
    channel.pause();
    for (const event of events.slice(7)) log.appendAgent(event);
    const first = posts[0];
    assert.ok(first?.type === "chat");
    channel.resume({ chatId: "chat", lastSeq: first.upToSeq }, status);
    const second = posts[1];
    assert.ok(second?.type === "chat" && !second.reset);
    const resumed = foldEntries(second.entries, foldEntries(first.entries));
    channel.resume(undefined, status);
    const third = posts[2];
    assert.ok(third?.type === "chat" && third.reset);
    assert.deepEqual(resumed.nodes, foldEntries(third.entries).nodes);
    channel.dispose();
  });

  it("sends all to a panel that knows another chat or a later number", () => {
    const log = logOf(streamingEvents());
    const posts: HostMessage[] = [];
    const channel = new Channel(chatOf(log), { postMessage: (json) => posts.push(receivedMessage(json)) });
    channel.resume({ chatId: "another", lastSeq: 2 }, status);
    channel.resume({ chatId: "chat", lastSeq: 2_000 }, status);
    channel.dispose();
    assert.deepEqual(
      posts.map((post) => post.type === "chat" && post.reset),
      [true, true],
    );
  });

  describe("in a second of one agent's writing", () => {
    const deltas = 250;
    const paceMs = 4;

    beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
    afterEach(() => mock.timers.reset());

    function posted(append: (log: EventLog, next: ReturnType<typeof eventSource>) => void): HostMessage[] {
      const next = eventSource();
      const log = logOf([
        next(rootMeta, { type: "agent_start" }),
        next(rootMeta, { type: "message_start", message: assistant("a", "") }),
      ]);
      const posts: HostMessage[] = [];
      const channel = new Channel(chatOf(log), { postMessage: (json) => posts.push(receivedMessage(json)) });
      channel.show(chatOf(log), status);
      posts.length = 0;
      append(log, next);
      channel.dispose();
      return posts;
    }

    it("posts the first words with the next frame, and then thirty times", () => {
      const counts: number[] = [];
      const posts = posted((log, next) => {
        for (let index = 0; index < deltas; index++) {
          log.appendAgent(next(rootMeta, textDelta("a", "word ")));
          mock.timers.tick(paceMs);
        }
      });
      for (const post of posts) if (post.type === "entries") counts.push(post.upToSeq);
      assert.ok((counts[0] ?? 0) <= 2 + 17 / paceMs + 1, `the first post has all up to ${counts[0]}`);
      assert.ok(posts.length <= 30, `${posts.length} posts`);
      assert.ok(posts.length >= 25, `${posts.length} posts`);
    });

    it("lets nothing else wait for a second frame, and takes the words along", () => {
      const posts = posted((log, next) => {
        log.appendAgent(next(rootMeta, textDelta("a", "one ")));
        mock.timers.tick(17);
        log.appendAgent(next(rootMeta, textDelta("a", "two")));
        log.appendAgent(next(rootMeta, { type: "tool_execution_start", callId: "c", toolName: "t", args: {} }));
        mock.timers.tick(17);
      });
      assert.deepEqual(
        posts.map((post) => post.type === "entries" && [post.entries.length, post.texts?.length]),
        [
          [1, undefined],
          [1, 1],
        ],
      );
    });
  });
});
