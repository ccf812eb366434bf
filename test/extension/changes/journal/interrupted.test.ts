import assert from "node:assert/strict";
import type { CallRecord } from "../../../../src/extension/changes/journal/callRecord.ts";
import type { ProposedChange } from "../../../../src/extension/changes/model/change.ts";
import type { ReviewMode } from "../../../../src/extension/changes/reviewByMode.ts";
import { journalIn, openWindow } from "../support/mortalWindow.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "ONE\ntwo\nthree\nfour\nFIVE\n";
const update = { path: "a.ts", before, after };

describe("edits of calls that the end of a window cut off", () => {
  let storage: Map<string, string>;
  let files: Map<string, string>;
  beforeEach(() => {
    storage = new Map();
    files = new Map([["a.ts", before]]);
  });

  const open = (o: Partial<Parameters<typeof openWindow>[0]> = {}) => openWindow({ storage, files, ...o });

  /** A proposal is open, in a window that goes on no further. */
  async function proposed(changes: ProposedChange[], agent?: string) {
    const window = await open();
    void window.propose(changes, agent);
    while (window.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return window;
  }
  /** Resolves when what is kept is so. */
  async function left(isSo: (records: CallRecord[]) => boolean): Promise<void> {
    const kept = journalIn(storage);
    while (!isSo(await kept.read("chat"))) await new Promise((resolve) => setImmediate(resolve));
  }
  const hunksOf = (window: Awaited<ReturnType<typeof open>>) =>
    window.host().approvals.flatMap((card) => card.files.flatMap((file) => file.hunks));

  it("wait again, hunk by hunk, and are written by an answer alone", async () => {
    await proposed([update]);
    const window = await open();
    const edits = await window.restored();
    assert.deepEqual(
      hunksOf(window).map(({ decision, onDisk }) => [decision, onDisk]),
      [
        ["pending", undefined],
        ["pending", undefined],
      ],
    );
    assert.equal(files.get("a.ts"), before);
    assert.match(edits?.resultOf("call-main")?.text ?? "", /the user has not answered yet/);
    const [first, second] = hunksOf(window);
    await window.reviews.accept({ hunkId: first?.id ?? "" });
    await window.reviews.reject({ hunkId: second?.id ?? "" }, "Leave it.");
    assert.equal(files.get("a.ts"), before.replace("one", "ONE"));
    assert.deepEqual(window.host().approvals, []);
    const result = edits?.resultOf("call-main");
    assert.match(
      result?.text ?? "",
      /Accepted by the user and written[\s\S]*\+ONE[\s\S]*saying: "Leave it\."[\s\S]*\+FIVE/,
    );
    assert.equal(result?.isOpen, false);
  });

  it("are in conflict where their lines changed meanwhile, and follow their lines elsewhere", async () => {
    await proposed([update]);
    files.set("a.ts", `zero\n${before.replace("one", "changed by hand")}`);
    const window = await open();
    const edits = await window.restored();
    await window.reviews.accept({});
    assert.equal(files.get("a.ts"), "zero\nchanged by hand\ntwo\nthree\nfour\nFIVE\n");
    assert.match(edits?.resultOf("call-main")?.text ?? "", /Not written: the lines changed meanwhile/);
  });

  it("of a file that is gone are in conflict, and can be rejected", async () => {
    await proposed([update]);
    files.delete("a.ts");
    const window = await open();
    const edits = await window.restored();
    await assert.rejects(window.reviews.accept({}), /a\.ts does not exist/);
    assert.deepEqual([...files], []);
    assert.match(edits?.resultOf("call-main")?.text ?? "", /Not written: the lines changed meanwhile/);
    await window.reviews.reject({});
    assert.deepEqual(window.host().approvals, []);
  });

  it("say which hunk is on disk, and keep or undo it", async () => {
    for (const answer of ["kept", "undone"] as const) {
      files.set("a.ts", before);
      const earlier = await proposed([update]);
      await earlier.reviews.accept({ hunkId: hunksOf(earlier)[0]?.id ?? "" });
      const window = await open();
      const edits = await window.restored();
      assert.deepEqual(
        hunksOf(window).map(({ decision, onDisk }) => [decision, onDisk]),
        [
          ["accepted", "undecided"],
          ["pending", undefined],
        ],
      );
      const [card] = window.host().approvals;
      const [onDisk, waiting] = hunksOf(window);
      assert.ok(card !== undefined && onDisk !== undefined && waiting !== undefined);
      await window.reviews.reject({ hunkId: waiting.id });
      assert.equal(window.host().approvals.length, 1, "the card stays until the written hunk is decided about");
      assert.equal(await edits?.decide(card.id, undefined, answer === "kept" ? "accepted" : "rejected"), true);
      assert.equal(files.get("a.ts"), answer === "kept" ? before.replace("one", "ONE") : before);
      assert.deepEqual(window.host().approvals, []);
      assert.match(
        edits?.resultOf("call-main")?.text ?? "",
        answer === "kept" ? /kept by the user[\s\S]*\+ONE/ : /then undone by the user[\s\S]*\+ONE/,
      );

      // The next window does not ask again.
      const next = await open();
      const again = await next.restored();
      assert.deepEqual(next.host().approvals, []);
      assert.deepEqual(next.store.files, []);
      assert.equal(again?.resultOf("call-main")?.text, edits?.resultOf("call-main")?.text);
      storage = new Map();
    }
  });

  it("are the answer of the agent above, where a sub-agent made them", async () => {
    const earlier = await proposed([update], "edit");
    await earlier.reviews.accept({ hunkId: hunksOf(earlier)[0]?.id ?? "" });
    const window = await open();
    const edits = await window.restored();
    assert.deepEqual(window.host().approvals[0]?.agentPath, ["main", "edit"]);
    assert.match(
      edits?.resultOf("delegation")?.text ?? "",
      /main › edit, edit_file:\na\.ts:\n- Written before the interruption[\s\S]*\+ONE[\s\S]*has not answered yet[\s\S]*\+FIVE/,
    );
    assert.deepEqual(edits?.rootCalls, ["delegation"]);
  });

  it("are reported with what the sub-agent's finished calls had said", async () => {
    const earlier = await proposed([update], "edit");
    await earlier.reviews.accept({});
    earlier.journal.finish("chat", {
      ...{ callId: "call-edit", toolName: "edit_file", isRoot: false },
      result: "Edited a.ts: 2 changes.",
    });
    await left((records) => records.every(({ kind }) => kind === "finished"));
    const window = await open();
    const edits = await window.restored();
    assert.match(edits?.resultOf("delegation")?.text ?? "", /main › edit, edit_file:\nEdited a\.ts: 2 changes\./);
    assert.deepEqual(window.host().approvals, []);
    edits?.markInformed(["delegation"]);
    while ((await (await open()).journal.left("chat")).length > 0)
      await new Promise((resolve) => setImmediate(resolve));
  });

  it("of two agents that proposed the same are one question", async () => {
    const earlier = await proposed([update], "left");
    void earlier.propose([update], "right");
    while (earlier.host().approvals[0]?.others === undefined) await new Promise((resolve) => setImmediate(resolve));
    await earlier.journal.save(earlier.store.proposals.map(({ id }) => id));
    const window = await open();
    const edits = await window.restored();
    assert.deepEqual(window.host().approvals[0]?.others?.[0]?.agentPath, ["main", "right"]);
    await window.reviews.accept({});
    assert.equal(files.get("a.ts"), after);
    for (const call of ["call-left", "call-right"]) assert.match(edits?.resultOf(call)?.text ?? "", /\+ONE/);
  });

  it("write on when nothing can be kept, and say so once", async () => {
    const window = await open({ failing: Object.assign(new Error("no space left"), { code: "ENOSPC" }) });
    void window.propose([update]);
    while (window.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await window.reviews.accept({});
    assert.equal(files.get("a.ts"), after);
    assert.equal(window.errors.length, 1);
  });

  /** What each file holds and what is reported of it agree. */
  function assertTruth(told: string, changes: readonly ProposedChange[], isRecorded: boolean): void {
    for (const { path, before: old, after: now, movedTo } of changes) {
      const text = files.get(path);
      const isDone = movedTo === undefined ? text === now && text !== old : files.has(movedTo);
      const isUndone = movedTo === undefined ? text === old : files.has(path);
      assert.ok(isDone || isUndone || text === before.replace("one", "ONE"), `${path} holds ${text}`);
      if (!isRecorded) {
        assert.ok(isUndone, `${path} is written, and nobody knows`);
        continue;
      }
      const part = told.slice(told.indexOf(`${path}`));
      const [, states = ""] = /^.*:\n([\s\S]*?)(?=\n\S+( \(.*\))?:\n|$)/.exec(part) ?? [];
      assert.match(states, isUndone ? /^- Not written/ : /^- (Written before|Accepted)/, `${path}: ${told}`);
    }
  }

  const several: ProposedChange[] = [
    { path: "a.ts", before, after },
    { path: "new.ts", after: "new\n" },
    { path: "old.ts", before: "old\n" },
    { path: "here.ts", movedTo: "there.ts" },
  ];

  for (const mode of ["before", "after", "off"] satisfies ReviewMode[]) {
    it(`are reported as they are on disk, wherever the process dies (${mode})`, async () => {
      for (let diesAfter = 0, isOver = false; !isOver; diesAfter++) {
        storage = new Map();
        files.clear();
        for (const [path, text] of [
          ["a.ts", before],
          ["old.ts", "old\n"],
          ["here.ts", "here\n"],
        ] as const)
          files.set(path, text);
        const window = await open({ mode, diesAfter });
        const work = window.propose(several).then(() => "done");
        const answering = mode === "before" ? answered(window) : work;
        isOver = (await Promise.race([answering, window.dead])) !== "dead";

        const next = await open({ mode });
        const held = new Map(files);
        const edits = await next.restored();
        assert.deepEqual(files, held, "a restart writes nothing");
        assertTruth(edits?.resultOf("call-main")?.text ?? "", several, edits !== undefined);
        if (mode === "off") continue;
        // What is on disk can be undone, in one go.
        const undecided = next.store.files.flatMap(({ hunks }) => hunks).length;
        if (undecided > 0) await next.applied.undo({});
        if (mode === "before") await next.reviews.reject({});
        assert.deepEqual(
          [...files].sort(),
          [
            ["a.ts", before],
            ["here.ts", "here\n"],
            ["old.ts", "old\n"],
          ],
          `${diesAfter}`,
        );
        await next.saved.flush();
      }
    });
  }

  async function answered(window: Awaited<ReturnType<typeof open>>): Promise<string> {
    while (window.store.proposals.length === 0) {
      const turn = new Promise<string>((resolve) => setImmediate(resolve, "turn"));
      if ((await Promise.race([window.dead, turn])) === "dead") return "dead";
    }
    const path = (name: string) => window.reviews.accept({ path: name });
    await window.reviews.accept({ hunkId: hunksOf(window)[0]?.id ?? "" });
    for (const name of ["new.ts", "old.ts", "here.ts", "a.ts"]) await path(name);
    return "done";
  }
});
