import assert from "node:assert/strict";
import type { Notice } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage, Intent, LogEntry } from "../../../src/protocol/messages.ts";
import { createHost, type SavedState } from "../../../src/webview/host.ts";
import { createStore, type Store } from "../../../src/webview/shell/store.ts";
import { scenes } from "../gallery/scenes.ts";
import { type ManualTiming, manualTiming } from "../support/manualTiming.ts";
import { chatId, recording, text } from "../support/recording.ts";

interface Bench {
  store: Store;
  posted: Intent[];
  saved(): SavedState;
  timing: ManualTiming;
  receive(message: HostMessage): void;
}

function bench(state?: unknown): Bench {
  const posted: Intent[] = [];
  let saved: unknown = state;
  const timing = manualTiming();
  const api = {
    // What is posted is JSON; the panel sends nothing but intents.
    postMessage: (message: unknown) => void posted.push(message as Intent),
    getState: () => saved,
    setState: (next: unknown) => {
      saved = next;
    },
  };
  const store = createStore(createHost(api), timing);
  const receive = (message: HostMessage) => {
    store.receive(JSON.stringify(message));
    timing.runFrame();
  };
  return { store, posted, timing, receive, saved: () => saved as SavedState };
}

function running(): HostMessage {
  const [message] = scenes.running?.().messages ?? [];
  assert.ok(message !== undefined);
  return message;
}

describe("store of the panel", () => {
  it("asks for the chat it had shown before its page was made anew", () => {
    const fresh = bench();
    fresh.store.start();
    const known = bench({ chatId });
    known.store.start();
    assert.deepEqual([...fresh.posted, ...known.posted], [{ type: "ready" }, { type: "ready", chatId }]);
  });

  it("shows what many posts brought once in a frame", () => {
    const { store, timing } = bench();
    const log = recording();
    const start = log.chat();
    const main = log.agent("main");
    log.user(main, "Hello");
    store.receive(JSON.stringify(start));
    store.receive(JSON.stringify(log.since(0)));
    const shown = () => store.root.value?.messages.length;
    assert.equal(shown(), undefined);
    timing.runFrame();
    assert.equal(shown(), 1);
  });

  it("looks at the rows of the tree a few times a second, however often something comes", () => {
    const { store, timing, receive } = bench();
    receive(running());
    timing.runLater();
    const before = store.rows.value;
    let seq = 10_000;
    for (const text of ["one ", "two "]) {
      const notice: Notice = { id: text, level: "info", text, actions: [] };
      const entries: LogEntry[] = [{ seq: ++seq, host: { type: "notice_shown", notice } }];
      receive({ type: "entries", chatId, afterSeq: 0, upToSeq: seq, entries });
      assert.equal(store.rows.value, before);
    }
  });

  it("fetches the transcript of the agent that is shown, and gives it up for the next", () => {
    const { store, posted, receive } = bench();
    receive(running());
    const ids = store.rows.value.map((row) => row.id);
    store.select(ids[1] ?? "");
    store.select(ids[1] ?? "");
    store.select(ids[2] ?? "");
    store.select(ids[0] ?? "");
    assert.deepEqual(posted, [
      { type: "openAgent", agentId: ids[1] },
      { type: "closeAgent", agentId: ids[1] },
      { type: "openAgent", agentId: ids[2] },
      { type: "closeAgent", agentId: ids[2] },
    ]);
    assert.equal(store.selected.value?.meta.name, "main");
  });

  it("opens the shown agent again when the host has started afresh", () => {
    const { store, posted, receive } = bench();
    receive(running());
    const id = store.rows.value[1]?.id ?? "";
    store.select(id);
    receive(running());
    assert.deepEqual(posted.slice(1), [{ type: "openAgent", agentId: id }]);
    assert.equal(store.selected.value?.meta.id, id);
  });

  it("keeps draft, chat, shown agent and collapsed rows over a reload", () => {
    const first = bench();
    first.receive(running());
    const ids = first.store.rows.value.map((row) => row.id);
    first.store.select(ids[2] ?? "");
    first.store.setExpanded([ids[1] ?? ""], false);
    first.store.composer.type("half a thought");
    const second = bench(first.saved());
    second.receive(running());
    assert.equal(second.store.composer.text.value, "half a thought");
    assert.equal(second.store.selected.value?.meta.id, ids[2]);
    assert.equal(second.store.rows.value[1]?.isExpanded, false);
  });

  it("survives whatever an earlier version saved", () => {
    for (const state of [null, 3, "x", { chatId: 4, collapsed: "no", draft: {} }, { collapsed: [1, "a"] }]) {
      assert.equal(bench(state).store.composer.text.value, "");
    }
  });

  it("forgets selection and collapsed rows with the chat they belong to", () => {
    const { store, receive } = bench();
    receive(running());
    store.select(store.rows.value[1]?.id ?? "");
    store.setExpanded(["main"], false);
    const log = recording();
    const main = log.agent("main");
    log.agent("explore", main, "c1");
    receive({ ...log.chat(), chatId: "chat-2" } as HostMessage);
    assert.equal(store.selected.value?.meta.id, "main");
    assert.equal(store.rows.value.length, 2);
  });

  it("never replaces what is being typed when it resumes the same chat", () => {
    const { store, receive } = bench();
    receive(recording().chat({}, "the host's draft"));
    assert.equal(store.composer.text.value, "the host's draft");
    store.composer.type("typed since");
    receive(recording().chat({}, "the host's draft"));
    assert.equal(store.composer.text.value, "typed since");
  });

  it("puts what another part of the editor composes into the composer and asks for the focus", () => {
    const { store, receive } = bench();
    receive({ type: "compose", text: "Explain", attachments: [{ kind: "file", path: "a.ts" }] });
    assert.equal(store.composer.text.value, "Explain");
    assert.deepEqual(store.focusRequest.value, { target: "composer" });
    assert.equal(store.composerFocus.value, store.focusRequest.value);
  });

  it("leaves the history for what somebody asks or composes elsewhere, and for what waits", () => {
    const { store, receive } = bench();
    const elsewhere: HostMessage[] = [
      { type: "showConversation" },
      { type: "compose", text: "Explain", attachments: [] },
      { type: "focus", target: "waiting" },
    ];
    for (const message of elsewhere) {
      receive({ type: "focus", target: "history" });
      assert.equal(store.history.isOpen.value, true);
      receive(message);
      assert.equal(store.history.isOpen.value, false, message.type);
    }
  });

  it("answers no approval that stands behind the history", () => {
    const { store, posted, receive } = bench();
    for (const message of scenes.approval?.().messages ?? []) receive(message);
    const answers = () => posted.filter(({ type }) => type === "decide").length;
    store.openHistory();
    receive({ type: "answer", decision: "accepted" });
    assert.equal(answers(), 0);
    store.closeHistory();
    receive({ type: "answer", decision: "accepted" });
    assert.equal(answers(), 1);
  });

  it("turns to the agent that answers when somebody asks elsewhere while another one is read", () => {
    const { store, receive } = bench();
    const log = recording();
    const main = log.agent("main");
    const child = log.agent("explore", main);
    log.end(child, "done");
    log.end(main, "done");
    receive(log.chat());
    store.select(child.id);
    assert.equal(store.shownNode.value?.meta.id, child.id);
    receive({ type: "showConversation" });
    assert.equal(store.shownNode.value?.meta.id, main.id);
  });

  it("asks again when a post was lost", () => {
    const { store, posted, receive } = bench();
    const log = recording();
    receive(log.chat());
    const main = log.agent("main");
    const lost = log.lastSeq;
    log.answer(main, [text("Late")]);
    receive(log.since(lost));
    assert.deepEqual(posted, [{ type: "ready", chatId, lastSeq: 0 }]);
    assert.equal(store.root.value, undefined);
  });
});
