import assert from "node:assert/strict";
import type { Attachment, ImageAttachment } from "../../../../src/protocol/attachments.ts";
import type { Intent } from "../../../../src/protocol/messages.ts";
import {
  type Command,
  type Composer,
  composerKey,
  createComposer,
} from "../../../../src/webview/features/composer/composer.ts";
import { manualTiming } from "../../support/manualTiming.ts";

interface Setting {
  draft?: string;
  draftTypedAt?: number;
  chatId?: string;
  command?: Command;
}

function composer({ command, ...saved }: Setting = {}) {
  const posted: Intent[] = [];
  const timing = manualTiming();
  const post = (intent: Intent) => posted.push(intent);
  const subject: Composer = createComposer({ post, timing, saved, ...(command && { command }) });
  return { composer: subject, posted, timing };
}

const file: Attachment = { kind: "file", path: "src/a.ts" };
const picture: ImageAttachment = { kind: "image", name: "shot.png", mimeType: "image/png", data: "AAAA" };
const empty = { text: "", attachments: [] };

describe("composer", () => {
  it("sends the words with what is attached, and is empty then", () => {
    const { composer: subject, posted } = composer({ draft: "  Fix it\n" });
    subject.attach(file);
    assert.equal(subject.send("queue"), true);
    assert.deepEqual(posted, [
      { type: "send", text: "Fix it", attachments: [file], whenBusy: "queue" },
      { type: "draft", text: "", attachments: [], typedAt: 0 },
    ]);
    assert.equal(subject.isEmpty, true);
  });

  it("sends messages to the agent that answers, unless they say themselves who does", () => {
    const { composer: subject, posted } = composer();
    subject.answerer.value = "reviewer";
    const sent = (text: string, ...attachments: Attachment[]) => {
      subject.type(text);
      for (const each of attachments) subject.attach(each);
      subject.send("queue");
      const intent = posted.findLast(({ type }) => type === "send");
      return intent?.type === "send" ? intent.attachments : undefined;
    };
    assert.deepEqual(sent("look"), [{ kind: "agent", name: "reviewer" }]);
    assert.deepEqual(sent("again"), [{ kind: "agent", name: "reviewer" }]);
    assert.deepEqual(sent("@edit do it"), []);
    assert.deepEqual(sent("/team audit x"), []);
    assert.deepEqual(sent("do it", { kind: "agent", name: "edit" }), [{ kind: "agent", name: "edit" }]);
    subject.answerer.value = undefined;
    assert.deepEqual(sent("look"), []);
  });

  it("sends what is attached without words, and nothing at all when there is nothing", () => {
    const { composer: subject, posted } = composer({ draft: " \n " });
    assert.equal(subject.send("queue"), false);
    assert.deepEqual(posted, []);
    subject.attach(picture);
    subject.send("queue");
    assert.deepEqual(posted[0], { type: "send", text: "", attachments: [picture], whenBusy: "queue" });
  });

  it("does what a command asks instead, and keeps what the command does not take along", () => {
    const intents: Intent[] = [{ type: "newChat" }];
    const command: Command = (text) => (text === "/new" ? { intents, takesAttachments: false } : undefined);
    const { composer: subject, posted } = composer({ draft: "/new", command });
    subject.attach(file);
    subject.send("queue");
    assert.deepEqual(posted[0], { type: "newChat" });
    assert.equal(subject.text.value, "");
    assert.deepEqual(subject.attachments.value, [file]);
    subject.type("/newer");
    subject.send("queue");
    assert.equal(posted.at(-2)?.type, "send");
  });

  it("posts what is typed, once the typing rests", () => {
    const { composer: subject, posted, timing } = composer();
    subject.type("a");
    subject.type("ab");
    assert.deepEqual(posted, []);
    timing.runLater();
    assert.deepEqual(posted, [{ type: "draft", text: "ab", typedAt: 0 }]);
  });

  it("posts what is attached once, not with each word after it", () => {
    const { composer: subject, posted, timing } = composer();
    subject.attach(picture);
    timing.runLater();
    subject.type("a");
    timing.runLater();
    assert.deepEqual(posted, [
      { type: "draft", text: "", attachments: [picture], typedAt: 0 },
      { type: "draft", text: "a", typedAt: 0 },
    ]);
  });

  it("neither posts nor keeps a very long text with each key", () => {
    const { composer: subject, posted, timing } = composer();
    const long = "x".repeat(1_000_000);
    subject.type(long);
    subject.type(`${long}y`);
    assert.equal(subject.savedText.value, "");
    assert.deepEqual(posted, []);
    timing.runLater();
    assert.equal(subject.savedText.value.length, 1_000_001);
    assert.equal(posted.length, 1);
  });

  it("posts no draft of what was sent meanwhile", () => {
    const { composer: subject, posted, timing } = composer();
    subject.type("ab");
    subject.send("steer");
    timing.runLater();
    assert.deepEqual(
      posted.map((intent) => (intent.type === "draft" ? intent.text : intent.type)),
      ["send", ""],
    );
  });

  it("posts the beginning of a text however steadily the typing goes on, and the rest when it rests", () => {
    const { composer: subject, posted, timing } = composer();
    subject.type("F");
    // Due now, as it was when the first letter was typed.
    const begun = timing.waiting();
    subject.type("Fi");
    subject.type("Fix");
    assert.deepEqual(timing.waiting(), begun);
    timing.runLater();
    subject.type("Fix i");
    const resting = timing.waiting();
    subject.type("Fix it");
    assert.notDeepEqual(timing.waiting(), resting);
    timing.runLater();
    assert.deepEqual(
      posted.map((intent) => intent.type === "draft" && intent.text),
      ["Fix", "Fix it"],
    );
  });

  it("posts at once what waits when the page is closed", () => {
    const { composer: subject, posted, timing } = composer();
    subject.flush();
    assert.deepEqual(posted, []);
    subject.type("ab");
    subject.flush();
    timing.runLater();
    assert.deepEqual(posted, [{ type: "draft", text: "ab", typedAt: 0 }]);
  });

  it("attaches nothing twice, and removes", () => {
    const { composer: subject } = composer();
    subject.attach(file);
    subject.attach({ kind: "file", path: "src/a.ts" });
    assert.deepEqual(subject.attachments.value, [file]);
    subject.detach(file);
    assert.deepEqual(subject.attachments.value, []);
  });

  it("takes no more pictures than the host takes with one message, wherever they come from", () => {
    const { composer: subject } = composer();
    const pictures = Array.from({ length: 12 }, (_, index): Attachment => ({ ...picture, data: `AAA${index}` }));
    subject.compose("", pictures);
    subject.attach(file);
    assert.equal(subject.attachments.value.length, 11);
  });

  it("has one agent do the work: the one picked last", () => {
    const { composer: subject } = composer();
    subject.attach({ kind: "agent", name: "explore" });
    subject.attach({ kind: "agent", name: "edit" });
    assert.deepEqual(subject.attachments.value, [{ kind: "agent", name: "edit" }]);
  });

  it("takes the mention out of the text with its attachment", () => {
    const { composer: subject } = composer({ draft: "Compare @src/a.ts with @src/a.tsx, and (@src/a.ts)" });
    subject.attach(file);
    subject.detach(file);
    assert.equal(subject.text.value, "Compare with @src/a.tsx, and ()");
  });

  it("puts a text from elsewhere in front of what was typed, which stays", () => {
    const { composer: subject } = composer({ draft: "half a thought" });
    subject.compose("Explain this", [file]);
    assert.equal(subject.text.value, "Explain this\nhalf a thought");
    assert.deepEqual(subject.attachments.value, [file]);
  });

  it("recalls what was sent, newest first, and comes back to what was typed", () => {
    const { composer: subject } = composer({ draft: "new" });
    const sent = ["first", "second"];
    const seen = ([1, 1, 1, -1, -1, -1] as const).map((step) => [subject.recall(step, sent), subject.text.value]);
    assert.deepEqual(seen, [
      [true, "second"],
      [true, "first"],
      [false, "first"],
      [true, "second"],
      [true, "new"],
      [false, "new"],
    ]);
  });
});

describe("the draft of a chat", () => {
  it("comes back after a reload: the page's text, which is newer, and the host's attachments", () => {
    const { composer: subject, posted } = composer({ chatId: "a", draft: "newer text" });
    subject.showChat("a", { text: "newer", attachments: [file, picture] }, false);
    assert.equal(subject.text.value, "newer text");
    assert.deepEqual(subject.attachments.value, [file, picture]);
    assert.deepEqual(posted, []);
  });

  it("is the host's where the page kept none", () => {
    const { composer: subject } = composer();
    subject.showChat("a", { text: "kept", attachments: [file] }, false);
    assert.equal(subject.text.value, "kept");
  });

  it("stays with its chat while another one is shown, to the last letter", () => {
    const { composer: subject, posted, timing } = composer();
    subject.showChat("a", empty, true);
    subject.type("of a");
    subject.attach(file);
    subject.showChat("b", { text: "of b", attachments: [picture] }, false);
    assert.deepEqual(posted, [{ type: "draft", chatId: "a", text: "of a", attachments: [file], typedAt: 0 }]);
    assert.equal(subject.text.value, "of b");
    assert.deepEqual(subject.attachments.value, [picture]);
    timing.runLater();
    assert.equal(posted.length, 1);
    subject.showChat("a", { text: "of a", attachments: [file] }, false);
    assert.equal(subject.text.value, "of a");
  });

  it("is empty in a chat that has none", () => {
    const { composer: subject } = composer();
    subject.showChat("a", empty, true);
    subject.type("of a");
    subject.showChat("b", empty, false);
    assert.equal(subject.isEmpty, true);
  });

  it("goes along into a new chat", () => {
    const { composer: subject, posted } = composer();
    subject.showChat("a", empty, true);
    subject.type("half a thought");
    subject.attach(file);
    subject.showChat("b", empty, true);
    assert.equal(subject.text.value, "half a thought");
    assert.deepEqual(posted.slice(1), [
      { type: "draft", chatId: "a", text: "", attachments: [] },
      { type: "draft", chatId: "b", text: "half a thought", attachments: [file], typedAt: 0 },
    ]);
  });

  it("is not touched when the host sends the same chat again", () => {
    const { composer: subject } = composer();
    subject.showChat("a", empty, true);
    subject.type("half");
    subject.attach(picture);
    subject.showChat("a", { text: "ha", attachments: [] }, false);
    assert.equal(subject.text.value, "half");
    assert.deepEqual(subject.attachments.value, [picture]);
  });

  it("that the page kept of another chat goes to that one", () => {
    const { composer: subject, posted } = composer({ chatId: "old", draft: "of old" });
    subject.showChat("b", { text: "of b", attachments: [] }, false);
    assert.deepEqual(posted, [{ type: "draft", chatId: "old", text: "of old", typedAt: 0 }]);
    assert.equal(subject.text.value, "of b");
  });
});

describe("keys of the composer", () => {
  const key = { key: "Enter", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false };
  const place = { isRunning: false, isEmpty: false, isAtStart: false, isAtEnd: true };

  it("Enter sends, also while a run goes on: the host queues", () => {
    assert.equal(composerKey(key, place), "send");
    assert.equal(composerKey(key, { ...place, isRunning: true }), "send");
  });

  it("Ctrl+Enter steers a run, and sends when there is none", () => {
    assert.equal(composerKey({ ...key, ctrlKey: true }, { ...place, isRunning: true }), "steer");
    assert.equal(composerKey({ ...key, metaKey: true }, { ...place, isRunning: true }), "steer");
    assert.equal(composerKey({ ...key, ctrlKey: true }, place), "send");
  });

  it("Ctrl+Enter with nothing written is left to an approval", () => {
    assert.equal(composerKey({ ...key, ctrlKey: true }, { ...place, isEmpty: true, isRunning: true }), undefined);
  });

  it("leaves Shift+Enter and whatever an input method composes to the text", () => {
    assert.equal(composerKey({ ...key, shiftKey: true }, place), undefined);
    assert.equal(composerKey({ ...key, isComposing: true }, place), undefined);
  });

  it("recalls with the arrows only from the ends of the text", () => {
    assert.equal(composerKey({ ...key, key: "ArrowUp" }, { ...place, isAtStart: true }), "older");
    assert.equal(composerKey({ ...key, key: "ArrowUp" }, place), undefined);
    assert.equal(composerKey({ ...key, key: "ArrowDown" }, place), "newer");
    assert.equal(composerKey({ ...key, key: "ArrowDown" }, { ...place, isAtEnd: false }), undefined);
  });

  it("is the newer of the page's text and the host's", () => {
    const newer = composer({ chatId: "a", draft: "typed after the host's", draftTypedAt: 2 }).composer;
    newer.showChat("a", { text: "typed", attachments: [], typedAt: 1 }, false);
    assert.equal(newer.text.value, "typed after the host's");
    const older = composer({ chatId: "a", draft: "saved before the window ended", draftTypedAt: 1 }).composer;
    older.showChat("a", { text: "typed since", attachments: [], typedAt: 2 }, false);
    assert.equal(older.text.value, "typed since");
    assert.equal(older.typedAt(), 2);
  });

  it("is empty when the page still has a text that the host got since", () => {
    const { composer: subject } = composer({ chatId: "a", draft: "sent", draftTypedAt: 1 });
    subject.showChat("a", { text: "", attachments: [], typedAt: 2 }, false);
    assert.equal(subject.text.value, "");
  });
});
