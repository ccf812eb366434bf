import assert from "node:assert/strict";
import { createDrafts } from "../../../src/extension/chat/drafts.ts";
import type { Attachment } from "../../../src/protocol/attachments.ts";

const file: Attachment = { kind: "file", path: "a.ts" };
const picture: Attachment = { kind: "image", name: "shot", mimeType: "image/png", data: "AAAA" };

/** The editor's memory of a workspace; what is in it has been through JSON. */
function memory(stored?: unknown) {
  const values = new Map<string, string>();
  if (stored !== undefined) values.set("arbor.drafts", JSON.stringify(stored));
  return {
    updates: 0,
    get: (key: string): unknown => JSON.parse(values.get(key) ?? "null"),
    async update(key: string, value: unknown) {
      this.updates++;
      values.set(key, JSON.stringify(value));
    },
  };
}

const drafts = (kept = memory()) => createDrafts(kept, (error) => assert.fail(String(error)));

describe("drafts", () => {
  it("belong to a chat, text and attachments", () => {
    const subject = drafts();
    subject.keep("a", "hello", [file, picture]);
    subject.keep("b", "other");
    subject.keep("a", "hello you");
    assert.deepEqual(subject.of("a"), { text: "hello you", attachments: [file, picture] });
    assert.deepEqual(subject.of("b"), { text: "other", attachments: [] });
    assert.equal(subject.of("c"), undefined);
  });

  it("outlive the window, but for pictures and what is very long", () => {
    const kept = memory();
    drafts(kept).keep("a", "hello", [file, picture, { kind: "text", name: "log", text: "x".repeat(300_000) }]);
    assert.deepEqual(drafts(kept).of("a"), { text: "hello", attachments: [file] });
  });

  it("are gone when they are empty", () => {
    const kept = memory();
    const subject = drafts(kept);
    subject.keep("a", "hello", [file]);
    subject.keep("a", "", []);
    assert.equal(subject.of("a"), undefined);
    assert.equal(drafts(kept).of("a"), undefined);
  });

  it("are written only when what is written changes", () => {
    const kept = memory();
    const subject = drafts(kept);
    subject.keep("a", "hello", [picture]);
    subject.keep("a", "hello", [picture, picture]);
    assert.equal(kept.updates, 1);
  });

  it("are kept for the chats written last", () => {
    const subject = drafts();
    for (let index = 0; index < 40; index++) subject.keep(`c${index}`, "x");
    assert.equal(subject.of("c9"), undefined);
    assert.notEqual(subject.of("c10"), undefined);
  });

  it("are none where the editor's memory holds something else", () => {
    for (const stored of [3, {}, [{ chatId: 1 }], [{ chatId: "a", text: "x", attachments: [{ kind: "strange" }] }]]) {
      assert.equal(drafts(memory(stored)).of("a"), undefined);
    }
  });
});
