import assert from "node:assert/strict";
import fc from "fast-check";
import { emptyTree, reduceTree } from "../../../../src/agent/tree.ts";
import type { AgentEvent, AgentMeta } from "../../../../src/agent/types.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../../src/extension/panel/channel/channel.ts";
import { coalesce } from "../../../../src/extension/panel/channel/entryBatch.ts";
import type { HostMessage } from "../../../../src/protocol/messages.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { assistant, childMeta, eventSource, rootMeta, textDelta } from "../../../support/events.ts";
import { panelStatus, receivedMessage } from "../../../support/hostMessages.ts";

/** A channel whose panel folds each post; `post` ends the frame. */
function connected() {
  const log = new EventLog();
  const posts: string[] = [];
  let state = emptyChatState();
  const asked: unknown[] = [];
  const chat = {
    id: "chat",
    log,
    draft: { text: "", attachments: [] },
    transcriptOf: (agentId: string) => ({ messages: state.tree.nodes[agentId]?.messages ?? [], upToSeq: 0 }),
  };
  const postMessage = (json: string) => {
    posts.push(json);
    const folded = applyHostMessage(state, receivedMessage(json));
    state = folded.state;
    if (folded.ask !== undefined) asked.push(folded.ask);
  };
  const channel = new Channel(chat, { postMessage });
  channel.show(chat, panelStatus);
  return { log, channel, posts, asked, state: () => state, post: () => channel.closeAgent("none") };
}

const messageOf = (meta: AgentMeta) => (meta === rootMeta ? "a" : "b");

function starts(next: ReturnType<typeof eventSource>): AgentEvent[] {
  return [rootMeta, childMeta].flatMap((meta) => [
    next(meta, { type: "agent_start" }),
    next(meta, { type: "message_start", message: assistant(messageOf(meta), "") }),
  ]);
}

type Step = "root" | "child" | "thinking" | "second part" | "usage" | "post";

describe("more text of a part that the panel has the beginning of", () => {
  it("folds to the same tree as its events, whatever is between the deltas and wherever a post ends", async () => {
    const step = fc.constantFrom<Step>("root", "child", "thinking", "second part", "usage", "post");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { log, channel, state, post, asked } = connected();
        const next = eventSource();
        const events: AgentEvent[] = [];
        const append = (...added: AgentEvent[]) => {
          for (const event of added) {
            events.push(event);
            log.appendAgent(event);
          }
        };
        append(...starts(next));
        post();
        await channel.openAgent(childMeta.id);
        const parts = { root: 0, child: 0 };
        const opened = new Set<string>();
        const write = (meta: AgentMeta, type: "text" | "thinking", index: number) => {
          const messageId = messageOf(meta);
          if (!opened.has(`${messageId} ${index}`)) {
            opened.add(`${messageId} ${index}`);
            append(next(meta, { type: "message_update", messageId, delta: { type: `${type}_start`, index } }));
          }
          const delta = { type: `${type}_delta`, index, delta: `${events.length} ` } as const;
          append(next(meta, { type: "message_update", messageId, delta }));
        };
        for (const each of steps) {
          if (each === "root") write(rootMeta, "text", 2 * parts.root);
          else if (each === "child") write(childMeta, "text", 0);
          else if (each === "thinking") {
            // A part of another kind, and after it the next text.
            write(rootMeta, "thinking", 2 * parts.root + 1);
            parts.root++;
            write(rootMeta, "text", 2 * parts.root);
          } else if (each === "second part")
            append(next(rootMeta, { type: "message_end", message: assistant("x", "end") }));
          else if (each === "usage") append(next(childMeta, { type: "turn_start", index: 0 }));
          else post();
        }
        post();
        assert.deepEqual(state().tree.nodes, events.reduce(reduceTree, emptyTree()).nodes);
        assert.deepEqual(asked, []);
        channel.dispose();
      }),
    );
  });

  it("is sent with less than its words again for what is around it", () => {
    const { log, channel, posts, post } = connected();
    const next = eventSource();
    for (const event of starts(next)) log.appendAgent(event);
    const words = "words of some tokens".repeat(4);
    for (let index = 0; index < 10; index++) {
      log.appendAgent(next(rootMeta, textDelta("a", words)));
      post();
    }
    const last = posts.at(-1) ?? "";
    assert.ok(last.includes(words));
    assert.ok(last.length < 2.5 * words.length, `${last.length} characters`);
    channel.dispose();
  });

  it("is joined once for each post, and copied for none", () => {
    const { log, channel, posts, post } = connected();
    const next = eventSource();
    for (const event of starts(next)) log.appendAgent(event);
    post();
    log.appendAgent(next(rootMeta, textDelta("a", "First ")));
    post();
    const before = posts.length;
    const { join } = Array.prototype;
    let joins = 0;
    Array.prototype.join = function (...given) {
      joins += 1;
      return join.apply(this, given);
    };
    try {
      for (let index = 0; index < 200; index++) {
        log.appendAgent(next(rootMeta, textDelta("a", `${index} `)));
        if (index % 50 === 49) post();
      }
    } finally {
      Array.prototype.join = join;
    }
    assert.equal(posts.length - before, 4);
    assert.equal(joins, 4);
    // Joined when it is asked for, as by a panel that comes back.
    const [kept] =
      log.entriesAfter(0)?.filter((entry) => "agent" in entry && entry.agent.type === "message_update") ?? [];
    assert.match(JSON.stringify(kept), /First/);
    channel.dispose();
  });

  it("makes a panel that lacks the beginning ask for what it has missed", () => {
    const { state } = connected();
    const message: HostMessage = {
      ...{ type: "entries", chatId: "chat", afterSeq: 0, upToSeq: 1 },
      ...{ entries: [], texts: [[1, 1, "constructor", "a", 0, "more"]] },
    };
    const folded = applyHostMessage(state(), message);
    assert.deepEqual(folded.ask, { type: "ready", chatId: "chat", lastSeq: 0 });
    assert.equal(folded.state.isBehind, true);
  });
});

describe("Entries that are joined", () => {
  it("are moved behind those of other agents, and not across what the host says", () => {
    const next = eventSource();
    const delta = (seq: number, meta: AgentMeta, text: string) => ({
      seq,
      agent: next(meta, textDelta(meta.id, text)),
    });
    const approval = { seq: 4, host: { type: "approval_closed", approvalId: "a", outcome: "accepted" } } as const;
    const [first, other, second] = [
      delta(1, childMeta, "one "),
      delta(2, rootMeta, "root"),
      delta(3, childMeta, "two"),
    ];
    const later = delta(5, childMeta, " three");
    const joined = coalesce([first, other, second, approval, later]);
    assert.deepEqual(
      joined.map(({ seq }) => seq),
      [2, 3, 4, 5],
    );
    const texts = joined.map((entry) => JSON.stringify(entry));
    assert.ok(texts[1]?.includes('"one two"') && texts[3]?.includes('" three"'));
  });
});
