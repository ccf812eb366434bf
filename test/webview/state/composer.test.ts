import assert from "node:assert/strict";
import type { Intent } from "../../../src/protocol/messages.ts";
import { type Composer, createComposer } from "../../../src/webview/state/composer.ts";
import { composerKey } from "../../../src/webview/state/composerKeys.ts";
import { manualTiming } from "../support/manualTiming.ts";

function composer(saved = ""): { composer: Composer; posted: Intent[]; timing: ReturnType<typeof manualTiming> } {
  const posted: Intent[] = [];
  const timing = manualTiming();
  return { composer: createComposer((intent) => posted.push(intent), timing, saved), posted, timing };
}

const file = { kind: "file" as const, path: "src/a.ts" };

describe("composer", () => {
  it("sends the words with what is attached, and is empty then", () => {
    const { composer: subject, posted } = composer("  Fix it\n");
    subject.attach(file);
    subject.send("queue");
    assert.deepEqual(posted, [
      { type: "send", text: "Fix it", attachments: [file], whenBusy: "queue" },
      { type: "draft", text: "" },
    ]);
    assert.equal(subject.isEmpty, true);
  });

  it("sends nothing when there are no words", () => {
    const { composer: subject, posted } = composer(" \n ");
    subject.send("queue");
    assert.deepEqual(posted, []);
  });

  it("tells the host what is typed, once the typing rests", () => {
    const { composer: subject, posted, timing } = composer();
    subject.type("a");
    subject.type("ab");
    assert.deepEqual(posted, []);
    timing.runLater();
    assert.deepEqual(posted, [{ type: "draft", text: "ab" }]);
  });

  it("tells no draft of what was sent meanwhile", () => {
    const { composer: subject, posted, timing } = composer();
    subject.type("ab");
    subject.send("steer");
    timing.runLater();
    assert.deepEqual(
      posted.map((intent) => (intent.type === "draft" ? intent.text : intent.type)),
      ["send", ""],
    );
  });

  it("attaches nothing twice, and takes back", () => {
    const { composer: subject } = composer();
    subject.attach(file);
    subject.attach({ ...file });
    assert.deepEqual(subject.attachments.value, [file]);
    subject.detach(file);
    assert.deepEqual(subject.attachments.value, []);
  });

  it("puts a text from elsewhere in front of what was typed, which stays", () => {
    const { composer: subject } = composer("half a thought");
    subject.compose("Explain this", [file]);
    assert.equal(subject.text.value, "Explain this\nhalf a thought");
    assert.deepEqual(subject.attachments.value, [file]);
  });

  it("shows the draft of another chat, or keeps what is there when that has none", () => {
    const { composer: subject } = composer("typed");
    subject.turnTo("");
    assert.equal(subject.text.value, "typed");
    subject.turnTo("its draft");
    assert.equal(subject.text.value, "its draft");
  });

  it("recalls what was sent, newest first, and comes back to what was typed", () => {
    const { composer: subject } = composer("new");
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
});
