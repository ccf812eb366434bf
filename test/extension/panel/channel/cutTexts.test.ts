import assert from "node:assert/strict";
import fc from "fast-check";
import { emptyTree, reduceTree } from "../../../../src/agent/tree.ts";
import type { AgentMessage, AgentTree, ToolResultMessage } from "../../../../src/agent/types.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../../src/extension/panel/channel/channel.ts";
import { cutMessage, maxShownCharacters } from "../../../../src/extension/panel/channel/cutTexts.ts";
import { wholeMessageText, wholeText } from "../../../../src/extension/panel/wholeTexts.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { omittedIn, omittedOf } from "../../../../src/protocol/messageTexts.ts";
import { namedArguments } from "../../../../src/protocol/namedArguments.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { assistant, childMeta, eventSource, rootMeta, textDelta, user } from "../../../support/events.ts";
import { receivedMessage, panelStatus as status } from "../../../support/hostMessages.ts";

const long = "Ein Wort, 漢字 und 🌳.\n".repeat(150_000);

function chatOf(log: EventLog) {
  return { id: "chat", log, draft: { text: "", attachments: [] }, transcriptOf: () => undefined };
}

/** What a panel has that follows the log, and how much was posted to it. */
function followed(log: EventLog) {
  let tree: AgentTree = emptyTree();
  let posted = 0;
  const fold = (entries: readonly LogEntry[]) => {
    for (const entry of entries) if ("agent" in entry) tree = reduceTree(tree, entry.agent);
  };
  const channel = new Channel(chatOf(log), {
    postMessage: (json) => {
      posted += json.length;
      const message = receivedMessage(json);
      if (message.type === "chat" || message.type === "entries") fold(message.entries);
    },
  });
  channel.resume(undefined, status);
  return {
    channel,
    posted: () => posted,
    messages: () => tree.nodes.root?.messages ?? [],
    tools: () => tree.nodes.root?.tools ?? {},
  };
}

function toolResult(callId: string, text: string): ToolResultMessage {
  const content: ToolResultMessage["content"] = [{ type: "text", text }];
  return {
    role: "toolResult",
    id: `result of ${callId}`,
    callId,
    toolName: "read",
    content,
    isError: false,
    timestamp: 0,
  };
}

describe("a text that is too long for a panel", () => {
  it("comes as its beginning, with what is missing; all of it is there to be shown and copied", async () => {
    const next = eventSource();
    const log = new EventLog();
    const call = {
      type: "toolCall",
      id: "call",
      name: "write_file",
      arguments: { path: "a.ts", content: long },
    } as const;
    const messages: AgentMessage[] = [
      user("u", long),
      { ...assistant("a", long), content: [{ type: "thinking", text: long }, { type: "text", text: long }, call] },
      toolResult("call", long),
      { role: "agentResponse", id: "r", from: { id: "other" }, text: long, timestamp: 0 },
    ];
    log.appendAgent(next(rootMeta, { type: "agent_start" }));
    for (const message of messages) log.appendAgent(next(rootMeta, { type: "message_end", message }));
    const panel = followed(log);
    const shown = panel.messages();
    assert.equal(shown.length, messages.length);
    assert.ok(JSON.stringify(shown).length < 6 * maxShownCharacters);
    const chat = chatOf(log);
    for (const [index, message] of shown.entries()) {
      assert.notEqual(omittedIn(message), undefined, message.role);
      const whole = messages[index];
      for (const [at, part] of "content" in message ? message.content.entries() : []) {
        const omitted = omittedOf(part);
        assert.ok(omitted !== undefined, `${message.role} ${at}`);
        const original = part.type === "toolCall" ? namedArguments(call.arguments) : long;
        assert.equal(await wholeText(chat, omitted.source), original);
        if (part.type === "image") continue;
        const here = part.type === "toolCall" ? namedArguments(part.arguments) : part.text;
        assert.ok(original.startsWith(here));
        assert.equal(omitted.bytes, Buffer.byteLength(original) - Buffer.byteLength(here));
      }
      if (whole === undefined || message.role === "toolResult") continue;
      const copied = await wholeMessageText(chat, "root", message.id);
      assert.equal(copied, message.role === "assistant" ? long.trim() : long);
    }
    panel.channel.dispose();
  });

  it("is posted no further while it is written than a panel shows, and ends with what is missing", async () => {
    const next = eventSource();
    const log = new EventLog();
    log.appendAgent(next(rootMeta, { type: "agent_start" }));
    const panel = followed(log);
    log.appendAgent(next(rootMeta, { type: "message_start", message: assistant("a", "") }));
    for (let at = 0; at < long.length; at += 50_000)
      log.appendAgent(next(rootMeta, textDelta("a", long.slice(at, at + 50_000))));
    panel.channel.closeAgent("flush");
    assert.ok(panel.posted() < 2 * maxShownCharacters, `${panel.posted()} characters`);
    log.appendAgent(next(rootMeta, { type: "message_end", message: assistant("a", long) }));
    panel.channel.closeAgent("flush");
    const [message] = panel.messages();
    assert.ok(message !== undefined && (omittedIn(message)?.bytes ?? 0) > 0);
    assert.ok(panel.posted() < 4 * maxShownCharacters, `${panel.posted()} characters`);
    panel.channel.dispose();
  });

  it("never has a gap while it is written, whenever it is opened or the panel comes back", async () => {
    const piece = long.slice(0, 300_000);
    const step = fc.constantFrom("write", "write", "write", "open", "close", "come back", "reload", "post");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
        const next = eventSource();
        const log = new EventLog();
        let [state, written] = [emptyChatState(), ""];
        const shown = () => {
          const [message] = state.tree.nodes.child?.messages ?? [];
          return message?.role === "assistant" && message.content[0]?.type === "text" ? message.content[0].text : "";
        };
        const chat = {
          ...chatOf(log),
          transcriptOf: () => ({ messages: [assistant("b", written)], upToSeq: 0 }),
        };
        const asked: unknown[] = [];
        const channel = new Channel(chat, {
          postMessage(json) {
            const folded = applyHostMessage(state, receivedMessage(json));
            state = folded.state;
            asked.push(...(folded.ask === undefined ? [] : [folded.ask]));
          },
        });
        channel.show(chat, status);
        log.appendAgent(next(rootMeta, { type: "agent_start" }));
        log.appendAgent(next(childMeta, { type: "agent_start" }));
        log.appendAgent(next(childMeta, { type: "message_start", message: assistant("b", "") }));
        let isOpened = false;
        for (const each of steps) {
          if (each === "write") {
            log.appendAgent(next(childMeta, textDelta("b", piece)));
            written += piece;
          } else if (each === "close") {
            channel.closeAgent("child");
            isOpened = false;
          } else if (each === "come back") {
            channel.resume({ chatId: "chat", lastSeq: state.lastSeq }, status);
          } else if (each === "open" || each === "reload") {
            if (each === "reload") channel.resume(undefined, status);
            await channel.openAgent("child");
            isOpened = true;
          } else channel.closeAgent("none");
          if (!isOpened) continue;
          assert.ok(written.startsWith(shown()));
          assert.ok(shown().length <= maxShownCharacters);
        }
        assert.deepEqual(asked, []);
        log.appendAgent(next(childMeta, { type: "message_end", message: assistant("b", written) }));
        await channel.openAgent("child");
        const [message] = state.tree.nodes.child?.messages ?? [];
        const missing = Buffer.byteLength(written) - Buffer.byteLength(shown());
        assert.equal((message && omittedIn(message)?.bytes) ?? 0, missing);
        channel.dispose();
      }),
      { numRuns: 15 },
    );
  });

  it("is the same object when it is short enough, and never longer than the limit otherwise", () => {
    const texts = fc.array(fc.tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), fc.nat(150_000)), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(texts, (pieces) => {
        const parts = pieces.map(([piece, times]) => ({ type: "text", text: piece.repeat(times) }) as const);
        const message = { ...assistant("a", ""), content: parts };
        const cut = cutMessage(message, "root");
        const total = parts.reduce((sum, { text }) => sum + text.length, 0);
        assert.equal(cut === message, total <= maxShownCharacters);
        assert.ok(cut.role === "assistant");
        let length = 0;
        for (const [index, part] of cut.content.entries()) {
          assert.ok(part.type === "text");
          length += part.text.length;
          const whole = parts[index]?.text ?? "";
          assert.ok(whole.startsWith(part.text));
          assert.ok(part.text.isWellFormed() || !whole.isWellFormed());
          const missing = Buffer.byteLength(whole) - Buffer.byteLength(part.text);
          assert.equal(omittedOf(part)?.bytes ?? 0, missing);
        }
        assert.ok(length <= maxShownCharacters);
      }),
      { numRuns: 30 },
    );
  });
});
