import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Drafts, draftsFile, draftsIn } from "../../../../src/extension/chat/compose/drafts.ts";
import type { Attachment } from "../../../../src/protocol/attachments.ts";
import { eventually } from "../../../host/eventually.ts";

const file: Attachment = { kind: "file", path: "a.ts" };
const picture: Attachment = { kind: "image", name: "shot", mimeType: "image/png", data: "AAAA" };

describe("drafts", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-drafts-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const stored = () => readFile(path.join(folder, draftsFile), "utf8");

  /** Those of a window. */
  async function opened(): Promise<Drafts> {
    const drafts = draftsIn(folder, (error) => assert.fail(String(error)));
    await drafts.load();
    return drafts;
  }

  it("belong to a chat, text and attachments", async () => {
    const subject = await opened();
    subject.keep("a", "hello", [file, picture]);
    subject.keep("b", "other");
    subject.keep("a", "hello you");
    assert.deepEqual(subject.of("a"), { text: "hello you", attachments: [file, picture] });
    assert.deepEqual(subject.of("b"), { text: "other", attachments: [] });
    assert.equal(subject.of("c"), undefined);
    await eventually(async () => assert.match(await stored(), /hello you/));
  });

  it("outlive the window, but for pictures and what is very long", async () => {
    const long: Attachment = { kind: "text", name: "log", text: "x".repeat(300_000) };
    (await opened()).keep("a", "hello", [file, picture, long]);
    await eventually(async () => assert.deepEqual((await opened()).of("a"), { text: "hello", attachments: [file] }));
  });

  it("have their time, also when they were sent, and give way to no older one", async () => {
    const subject = await opened();
    subject.keep("a", "sent later", undefined, 10);
    subject.keep("a", "", undefined, 20);
    assert.deepEqual(subject.of("a"), { text: "", attachments: [], typedAt: 20 });
    subject.keep("a", "sent", undefined, 10);
    assert.equal(subject.of("a")?.text, "");
    await eventually(async () => assert.equal((await opened()).of("a")?.typedAt, 20));
    subject.keep("a", "new", undefined, 30);
    assert.equal(subject.of("a")?.text, "new");
  });

  it("have a message that was sent and not delivered in the next window, before what is written since", async () => {
    const subject = await opened();
    subject.keep("a", "", [], 20);
    const first = subject.hold("a", "m1", { text: "Do it", attachments: [file] });
    const second = subject.hold("a", "m2", { text: "And that", attachments: [file] });
    subject.keep("a", "next words", [], 30);
    assert.equal(subject.of("a")?.text, "next words", "in this window it is shown as sent");
    await eventually(async () =>
      assert.deepEqual((await opened()).of("a"), {
        text: "Do it\nAnd that\nnext words",
        attachments: [file],
        // The page has the newest words alone.
        typedAt: 31,
      }),
    );
    first.dispose();
    second.dispose();
    await eventually(async () => assert.equal((await opened()).of("a")?.text, "next words"));
  });

  it("end up on disk as they were last, however quickly they change", async () => {
    const subject = await opened();
    for (let index = 0; index <= 100; index++) subject.keep("a", `text ${index}`);
    await eventually(async () => assert.match(await stored(), /"text 100"/));
  });

  it("are gone when they are empty, or all are forgotten", async () => {
    const subject = await opened();
    subject.keep("a", "hello", [file]);
    subject.keep("b", "other");
    await eventually(async () => assert.match(await stored(), /other/));
    subject.keep("a", "", []);
    assert.equal(subject.of("a"), undefined);
    subject.forgetAll();
    assert.equal(subject.of("b"), undefined);
    await eventually(async () => assert.equal(await stored(), "[]"));
  });

  it("are kept for the chats written last", async () => {
    const subject = await opened();
    for (let index = 0; index < 40; index++) subject.keep(`c${index}`, "x");
    assert.equal(subject.of("c9"), undefined);
    assert.notEqual(subject.of("c10"), undefined);
    await eventually(async () => assert.match(await stored(), /c39/));
  });

  it("of this window win over those on disk", async () => {
    await writeFile(path.join(folder, draftsFile), JSON.stringify([{ chatId: "a", text: "old", attachments: [] }]));
    const subject = draftsIn(folder, (error) => assert.fail(String(error)));
    subject.keep("a", "new");
    await subject.load();
    assert.equal(subject.of("a")?.text, "new");
    await eventually(async () => assert.match(await stored(), /new/));
  });

  it("are none where the file holds something else", async () => {
    for (const damaged of [
      "",
      "3",
      "{",
      '[{"chatId":1}]',
      '[{"chatId":"a","text":"x","attachments":[{"kind":"?"}]}]',
    ]) {
      await writeFile(path.join(folder, draftsFile), damaged);
      assert.equal((await opened()).of("a"), undefined);
    }
  });

  describe("that a window left which is gone", () => {
    let left: string;
    beforeEach(async () => {
      left = path.join(folder, "left");
      await mkdir(left);
    });
    const leave = (...drafts: object[]) => writeFile(path.join(left, draftsFile), JSON.stringify(drafts));
    const inLeft = async () => {
      const names = await readdir(left);
      return Promise.all(names.map(async (name) => [name, await readFile(path.join(left, name), "utf8")]));
    };
    const any = () => true;

    it("are taken up, saved here and removed there", async () => {
      await leave({ chatId: "a", text: "there", attachments: [file] });
      const subject = await opened();
      subject.keep("b", "here");
      await subject.adopt(left, any);
      assert.deepEqual(subject.of("a"), { text: "there", attachments: [file] });
      assert.deepEqual(await inLeft(), []);
      const again = await opened();
      assert.equal(again.of("a")?.text, "there");
      assert.equal(again.of("b")?.text, "here");
    });

    it("stay there where the chat has one here, or may not be taken, and come when it has none any more", async () => {
      const [one, other] = ["a", "b"].map((chatId) => ({ chatId, text: `${chatId} there`, attachments: [] }));
      await leave(one ?? {}, other ?? {}, { chatId: "c", text: "c there", attachments: [] });
      const subject = await opened();
      subject.keep("a", "a here");
      await subject.adopt(left, (chatId) => chatId !== "b");
      assert.deepEqual(
        [subject.of("a")?.text, subject.of("b"), subject.of("c")?.text],
        ["a here", undefined, "c there"],
      );
      assert.deepEqual(await inLeft(), [[draftsFile, JSON.stringify([one, other])]]);
      await subject.adopt(left, (chatId) => chatId !== "b");
      assert.deepEqual(await inLeft(), [[draftsFile, JSON.stringify([one, other])]]);
      subject.keep("a", "");
      await subject.adopt(left, any);
      assert.deepEqual([subject.of("a")?.text, subject.of("b")?.text], ["a there", "b there"]);
      assert.deepEqual(await inLeft(), []);
    });

    it("are not taken up again when they could not be removed there", async () => {
      await leave({ chatId: "a", text: "there", attachments: [] });
      await (await opened()).adopt(left, any);
      await leave({ chatId: "a", text: "there", attachments: [] });
      const next = await opened();
      next.keep("a", "");
      await next.adopt(left, any);
      assert.equal(next.of("a"), undefined);
      assert.deepEqual(await inLeft(), []);
    });

    it("are set aside when they can't be read", async () => {
      await writeFile(path.join(left, draftsFile), '[{"chatId":"a","te');
      const subject = await opened();
      await subject.adopt(left, any);
      const [[name, text] = [], ...more] = await inLeft();
      assert.match(name ?? "", /drafts\.json\.unreadable-/);
      assert.equal(text, '[{"chatId":"a","te');
      assert.deepEqual(more, []);
    });

    it("stay there while they can't be saved here", async () => {
      await leave({ chatId: "a", text: "there", attachments: [] });
      const subject = draftsIn(path.join(left, draftsFile), () => {});
      await assert.rejects(subject.adopt(left, any));
      assert.equal((await inLeft()).length, 1);
    });
  });
});
