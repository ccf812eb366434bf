import assert from "node:assert/strict";
import type { Notice } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage, Intent, LogEntry } from "../../../src/protocol/messages.ts";
import { scenes } from "../gallery/scenes.ts";
import { chatId, recording, status, text } from "../support/recording.ts";
import { type TestPanel, testPanel } from "../support/testPanel.ts";

interface Bench extends TestPanel {
  posted: Intent[];
  receive(message: HostMessage): void;
}

function bench(state?: unknown): Bench {
  const posted: Intent[] = [];
  const made = testPanel((intent) => posted.push(intent), state);
  const receive = (message: HostMessage) => {
    made.panel.receive({ data: JSON.stringify(message) });
    made.timing.runFrame();
  };
  return { ...made, posted, receive };
}

function running(): HostMessage {
  const [message] = scenes.running?.().messages ?? [];
  assert.ok(message !== undefined);
  return message;
}

describe("the panel", () => {
  it("asks for the chat it had shown before its page was created again", () => {
    const fresh = bench();
    fresh.panel.start();
    const known = bench({ chatId });
    known.panel.start();
    assert.deepEqual([...fresh.posted, ...known.posted], [{ type: "ready" }, { type: "ready", chatId }]);
  });

  it("shows the timeline and the tree by their commands, and saves which", () => {
    const { panel, receive, saved } = bench();
    receive(running());
    receive({ type: "focus", target: "timeline" });
    assert.equal(panel.besides.isTimeline.value, true);
    assert.equal(saved().view, "timeline");
    // A tree that is not shown can't have the focus.
    receive({ type: "focus", target: "tree" });
    assert.equal(panel.besides.isTimeline.value, false);
    assert.equal(saved().view, undefined);
  });

  describe("a rewind that puts a question back into the composer", () => {
    const question = "First question";

    function rewound() {
      const made = bench();
      const { panel, receive } = made;
      const log = recording();
      const main = log.agent("main");
      log.user(main, question);
      log.answer(main, [text("An answer.")]);
      log.end(main, "done");
      receive(log.chat());
      const [message] = panel.chat.root.value?.messages ?? [];
      assert.ok(message?.role === "user");
      const { draft } = panel.composer;
      draft.type("half a thought");
      draft.attach({ kind: "file", path: "own.ts" });
      const follow = (undoable: { messageId: string; what: "both" } | undefined) => {
        const seq = log.lastSeq;
        log.host({ type: "rewind_changed", ...(undoable && { undoable }) });
        receive(log.since(seq));
      };
      panel.composer.editAndResend(message);
      follow({ messageId: message.id, what: "both" });
      assert.equal(draft.text.value, `${question}\nhalf a thought`);
      return { ...made, log, draft, undo: () => follow(undefined) };
    }

    it("gives way to what was written before when it is undone, with what was attached before and since", () => {
      const { draft, undo } = rewound();
      draft.attach({ kind: "file", path: "later.ts" });
      undo();
      assert.equal(draft.text.value, "half a thought");
      assert.deepEqual(draft.attachments.value, [
        { kind: "file", path: "own.ts" },
        { kind: "file", path: "later.ts" },
      ]);
    });

    it("stays where it was changed before the undo", () => {
      const { draft, undo } = rewound();
      draft.type(`${question}, changed`);
      undo();
      assert.equal(draft.text.value, `${question}, changed`);
    });

    it("goes along into a new chat with what was written before", () => {
      const { draft, log, receive } = rewound();
      receive({ ...log.chat(), chatId: "new", entries: [], upToSeq: 0 } as HostMessage);
      assert.equal(draft.text.value, `${question}\nhalf a thought`);
      assert.deepEqual(draft.attachments.value, [{ kind: "file", path: "own.ts" }]);
    });
  });

  it("recalls the prompts of all chats, the latest first, and then what was being written", () => {
    const { panel, receive } = bench();
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Mine");
    receive(log.chat());
    const at = panel.chat.root.value?.messages[0]?.timestamp ?? assert.fail();
    const items = [
      { at: at + 2, text: "Later" },
      { at: at + 1, text: "Mine" },
      { at: at - 1, text: "Earlier" },
    ];
    receive({ type: "prompts", items });
    const { draft } = panel.composer;
    draft.type("half");
    const older = [1, 2, 3, 4].map(() => [panel.composer.recall(1), draft.text.value]);
    const last = [true, "Earlier"];
    assert.deepEqual(older, [[true, "Later"], [true, "Mine"], last, [false, "Earlier"]]);
    const newer = [1, 2, 3].map(() => [panel.composer.recall(-1), draft.text.value]);
    assert.deepEqual(newer, [
      [true, "Mine"],
      [true, "Later"],
      [true, "half"],
    ]);
  });

  it("shows what many posts brought once in a frame", () => {
    const { panel, timing } = bench();
    const log = recording();
    const start = log.chat();
    const main = log.agent("main");
    log.user(main, "Hello");
    panel.receive({ data: JSON.stringify(start) });
    panel.receive({ data: JSON.stringify(log.since(0)) });
    const shown = () => panel.chat.root.value?.messages.length;
    assert.equal(shown(), undefined);
    timing.runFrame();
    assert.equal(shown(), 1);
  });

  it("looks at the rows of the tree a few times a second, however often something comes", () => {
    const { panel, timing, receive } = bench();
    receive(running());
    timing.runLater();
    const before = panel.tree.rows.value;
    let seq = 10_000;
    for (const text of ["one ", "two "]) {
      const notice: Notice = { id: text, level: "info", text, actions: [] };
      const entries: LogEntry[] = [{ seq: ++seq, host: { type: "notice_shown", notice } }];
      receive({ type: "entries", chatId, afterSeq: 0, upToSeq: seq, entries });
      assert.equal(panel.tree.rows.value, before);
    }
  });

  it("fetches the transcript of the agent that is shown, and gives it up for the next", () => {
    const { panel, posted, receive } = bench();
    receive(running());
    const ids = panel.tree.rows.value.map((row) => row.id);
    panel.chat.select(ids[1] ?? "");
    panel.chat.select(ids[1] ?? "");
    panel.chat.select(ids[2] ?? "");
    panel.chat.select(ids[0] ?? "");
    assert.deepEqual(posted, [
      { type: "openAgent", agentId: ids[1] },
      { type: "closeAgent", agentId: ids[1] },
      { type: "openAgent", agentId: ids[2] },
      { type: "closeAgent", agentId: ids[2] },
    ]);
    assert.equal(panel.chat.selected.value?.meta.name, "main");
  });

  it("opens the shown agent again when the host has started afresh", () => {
    const { panel, posted, receive } = bench();
    receive(running());
    const id = panel.tree.rows.value[1]?.id ?? "";
    panel.chat.select(id);
    receive(running());
    assert.deepEqual(posted.slice(1), [{ type: "openAgent", agentId: id }]);
    assert.equal(panel.chat.selected.value?.meta.id, id);
  });

  it("keeps draft, chat, shown agent and collapsed rows over a reload", () => {
    const first = bench();
    first.receive(running());
    const ids = first.panel.tree.rows.value.map((row) => row.id);
    first.panel.chat.select(ids[2] ?? "");
    first.panel.tree.setExpanded([ids[1] ?? ""], false);
    first.panel.composer.draft.type("half a thought");
    const second = bench(first.saved());
    second.receive(running());
    assert.equal(second.panel.composer.draft.text.value, "half a thought");
    assert.equal(second.panel.chat.selected.value?.meta.id, ids[2]);
    assert.equal(second.panel.tree.rows.value[1]?.isExpanded, false);
  });

  it("survives whatever an earlier version saved", () => {
    for (const state of [null, 3, "x", { chatId: 4, collapsed: "no", draft: {} }, { collapsed: [1, "a"] }]) {
      assert.equal(bench(state).panel.composer.draft.text.value, "");
    }
  });

  it("forgets selection and collapsed rows with the chat they belong to", () => {
    const { panel, receive } = bench();
    receive(running());
    panel.chat.select(panel.tree.rows.value[1]?.id ?? "");
    panel.tree.setExpanded(["main"], false);
    const log = recording();
    const main = log.agent("main");
    log.agent("explore", main, "c1");
    receive({ ...log.chat(), chatId: "chat-2" } as HostMessage);
    assert.equal(panel.chat.selected.value?.meta.id, "main");
    assert.equal(panel.tree.rows.value.length, 2);
  });

  it("never replaces what is being typed when it resumes the same chat", () => {
    const { panel, receive } = bench();
    receive(recording().chat({}, "the host's draft"));
    assert.equal(panel.composer.draft.text.value, "the host's draft");
    panel.composer.draft.type("typed since");
    receive(recording().chat({}, "the host's draft"));
    assert.equal(panel.composer.draft.text.value, "typed since");
  });

  it("puts what another part of the editor composes into the composer and asks for the focus", () => {
    const { panel, receive } = bench();
    receive({ type: "compose", text: "Explain", attachments: [{ kind: "file", path: "a.ts" }] });
    assert.equal(panel.composer.draft.text.value, "Explain");
    assert.deepEqual(panel.focusRequest.value, { target: "composer" });
    assert.equal(panel.composer.focusRequest.value, panel.focusRequest.value);
  });

  it("leaves the history for what somebody asks or composes elsewhere, and for what waits", () => {
    const { panel, receive } = bench();
    const elsewhere: HostMessage[] = [
      { type: "showConversation" },
      { type: "compose", text: "Explain", attachments: [] },
      { type: "focus", target: "waiting" },
    ];
    for (const message of elsewhere) {
      receive({ type: "focus", target: "history" });
      assert.equal(panel.history.isOpen.value, true);
      receive(message);
      assert.equal(panel.history.isOpen.value, false, message.type);
    }
  });

  it("sends messages to main again once the agent that answered is removed", () => {
    const { panel, posted, receive } = bench();
    const log = recording();
    const agents = [{ name: "reviewer", description: "Reviews" }];
    const send = (text: string) => {
      panel.composer.draft.type(text);
      panel.composer.send("queue");
      const sent = posted.findLast(({ type }) => type === "send");
      return sent?.type === "send" && sent.text === text ? sent.attachments : undefined;
    };
    receive(log.chat({ agents }));
    panel.composer.draft.answerer.value = "reviewer";
    assert.deepEqual(send("one"), [{ kind: "agent", name: "reviewer" }]);
    receive({ type: "status", status: status({ agents: [] }) });
    assert.deepEqual(send("two"), []);
  });

  it("answers no approval that is behind the history", () => {
    const { panel, posted, receive, timing } = bench();
    for (const message of scenes.approval?.().messages ?? []) receive(message);
    const answers = () => posted.filter(({ type }) => type === "decide").length;
    panel.approvals.guard.setInView("a1", true);
    timing.runLater();
    panel.history.open();
    receive({ type: "answer", decision: "accepted" });
    assert.equal(answers(), 0);
    panel.history.leave();
    receive({ type: "answer", decision: "accepted" });
    assert.equal(answers(), 1);
  });

  it("turns to the agent that answers when somebody asks elsewhere while another one is read", () => {
    const { panel, receive } = bench();
    const log = recording();
    const main = log.agent("main");
    const child = log.agent("explore", main);
    log.end(child, "done");
    log.end(main, "done");
    receive(log.chat());
    panel.chat.select(child.id);
    assert.equal(panel.chat.liveSelected.value?.meta.id, child.id);
    receive({ type: "showConversation" });
    assert.equal(panel.chat.liveSelected.value?.meta.id, main.id);
  });

  it("asks again when a post was lost", () => {
    const { panel, posted, receive } = bench();
    const log = recording();
    receive(log.chat());
    const main = log.agent("main");
    const lost = log.lastSeq;
    log.answer(main, [text("Late")]);
    receive(log.since(lost));
    assert.deepEqual(posted, [{ type: "ready", chatId, lastSeq: 0 }]);
    assert.equal(panel.chat.root.value, undefined);
  });
});
