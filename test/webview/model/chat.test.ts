import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import {
  applyHostMessage,
  type ChatState,
  emptyChatState,
  type FoldedMessage,
} from "../../../src/webview/model/chat.ts";
import { chatId, type Recording, recording, text } from "../support/recording.ts";

function conversation(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Prices" });
  const main = log.agent("main");
  log.user(main, "Where?");
  log.answer(main, [text("Here.")]);
  log.spend(main, { input: 100, output: 10 }, 1);
  return log;
}

function stateAfter(...messages: HostMessage[]): FoldedMessage {
  let step: FoldedMessage = { state: emptyChatState() };
  for (const message of messages) step = applyHostMessage(step.state, message);
  return step;
}

/** What a person could see of the state. */
function shown({ tree, host, lastSeq }: ChatState): unknown {
  return { nodes: tree.nodes, host, lastSeq };
}

describe("the chat as the host sends it", () => {
  it("is the fold of the log", () => {
    const { state, ask } = stateAfter(conversation().chat());
    assert.equal(state.host.title, "Prices");
    assert.deepEqual(
      state.tree.nodes.main?.messages.map((message) => message.role),
      ["user", "assistant"],
    );
    assert.equal(state.chatId, chatId);
    assert.equal(ask, undefined);
  });

  it("is the same whether the log came at once or in pieces", () => {
    const log = recording();
    const start = log.chat();
    const main = log.agent("main");
    const first = log.since(0);
    const firstSeq = log.lastSeq;
    log.user(main, "Where?");
    const second = log.since(firstSeq);
    assert.deepEqual(shown(stateAfter(start, first, second).state), shown(stateAfter(log.chat()).state));
  });

  it("takes nothing twice when a post is repeated", () => {
    const log = conversation();
    const once = stateAfter(log.chat());
    const twice = applyHostMessage(once.state, log.since(0));
    assert.deepEqual(shown(twice.state), shown(once.state));
    assert.equal(twice.ask, undefined);
  });

  it("asks for what is missing when a post was lost, once, and leaves the rest for the answer", () => {
    const log = conversation();
    const start = stateAfter(log.chat()).state;
    const known = log.lastSeq;
    const main = log.agent("main");
    const lost = log.lastSeq;
    log.user(main, "And then?");
    const late = log.since(lost);

    const gap = applyHostMessage(start, late);
    assert.deepEqual(gap.ask, { type: "ready", chatId, lastSeq: known });
    assert.deepEqual(gap.state.tree, start.tree);
    assert.equal(applyHostMessage(gap.state, late).ask, undefined);

    const missing = log.entries.filter((entry) => entry.seq > known);
    const answer: HostMessage = { ...log.chat(), reset: false, entries: missing } as HostMessage;
    const caughtUp = applyHostMessage(gap.state, answer);
    assert.deepEqual(shown(caughtUp.state), shown(stateAfter(log.chat()).state));
    assert.equal(caughtUp.state.isBehind, false);
  });

  it("takes a run that goes on after it was cut off for the one that it was", () => {
    const log = recording();
    const main = log.agent("main");
    log.spend(main, { input: 100 });
    log.event(main, { type: "agent_start" });
    log.spend(main, { input: 50 });
    log.end(main, "aborted");
    const { runs } = stateAfter(log.chat()).state;
    assert.equal(runs.starts.length, 2);
    assert.equal(runs.before?.input, 100);
    log.event(main, { type: "agent_start", resumes: true });
    assert.deepEqual(stateAfter(log.chat()).state.runs, runs);
    log.event(main, { type: "agent_start" });
    const next = stateAfter(log.chat()).state.runs;
    assert.deepEqual([next.starts.length, next.before?.input], [3, 150]);
  });

  it("does not take gaps between entries for a loss: the host leaves out what is not needed", () => {
    const log = conversation();
    const message = log.chat();
    assert.ok(message.type === "chat");
    const thinned: HostMessage = { ...message, entries: message.entries.filter((entry) => entry.seq % 2 === 0) };
    const step = applyHostMessage(emptyChatState(), thinned);
    assert.equal(step.ask, undefined);
    assert.equal(step.state.lastSeq, log.lastSeq);
  });

  it("forgets the chat before when the host starts another or resets", () => {
    const other: HostMessage = { ...recording().chat(), chatId: "chat-2" } as HostMessage;
    assert.deepEqual(stateAfter(conversation().chat(), other).state.tree.roots, []);
    assert.deepEqual(stateAfter(conversation().chat(), recording().chat()).state.tree.roots, []);
  });

  it("drops entries of another chat", () => {
    const log = conversation();
    const stray: HostMessage = { type: "entries", chatId: "chat-9", afterSeq: 900, upToSeq: 901, entries: [] };
    const before = stateAfter(log.chat());
    const step = applyHostMessage(before.state, stray);
    assert.equal(step.state, before.state);
    assert.equal(step.ask, undefined);
  });

  it("puts the fetched transcript of an opened agent in place of its previews", () => {
    const log = conversation();
    const main = log.agent("main");
    const child = log.agent("explore", main, "c1");
    log.answer(child, [text("A preview…")]);
    const start = stateAfter(log.chat()).state;
    const whole = { role: "summary" as const, id: "s", text: "All of it", timestamp: 0 };
    const patched = applyHostMessage(start, {
      type: "agentTranscript",
      chatId,
      agentId: child.id,
      messages: [whole],
      upToSeq: 3,
    });
    assert.deepEqual(patched.state.tree.nodes[child.id]?.messages, [whole]);
    assert.equal(patched.state.tree.nodes.main, start.tree.nodes.main);
    const stray: HostMessage = { type: "agentTranscript", chatId, agentId: "nobody", messages: [], upToSeq: 3 };
    assert.equal(applyHostMessage(start, stray).state, start);
  });
});
