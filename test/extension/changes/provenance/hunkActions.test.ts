import assert from "node:assert/strict";
import { EditHistory } from "../../../../src/extension/changes/history/editHistory.ts";
import { createHunkActions } from "../../../../src/extension/changes/provenance/hunkActions.ts";
import {
  emitWritten,
  pathsOf,
  writtenBy,
  writtenStates,
} from "../../../../src/extension/changes/provenance/writtenEdits.ts";
import { editOrigins, sendUndoReason } from "../../../../src/extension/chat/agents/editOrigins.ts";
import { WrittenStatesBoard } from "../../../../src/extension/panel/status/writtenStatesBoard.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../../src/protocol/hostState.ts";
import { applying } from "../support/applying.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

function writing(files: Record<string, string> = { "a.ts": text, "b.ts": text }) {
  const workspace = new TextWorkspace(files);
  let count = 0;
  const newId = () => `w${++count}`;
  const saved = { read: async () => undefined, write: async () => {}, setAside: async () => {} };
  const history = new EditHistory({ workspace, saved, newId, onError: assert.ifError });
  const session = applying(files, workspace, history);
  const { store, reviews: written } = session;
  const actions = createHunkActions({ store, history, written, inTurn: (step) => step(), newId });
  const hunks = () => history.all.flatMap((file) => file.hunks);
  const states = async () => {
    await history.refresh();
    return history.all.flatMap((file) => [...writtenStates(file, store).values()]);
  };
  after(() => history.dispose());
  return { ...session, history, actions, hunks, states };
}

const ids = (...hunks: ({ id: string } | undefined)[]) => new Set(hunks.flatMap((hunk) => hunk?.id ?? []));

describe("what is done with written hunks by their ids", () => {
  it("undoes one that was kept, and redoes it as one that waits", async () => {
    const { edit, actions, hunks, reviews, states, textOf } = writing();
    await edit("a.ts", "two", "2");
    await edit("a.ts", "four", "4");
    await reviews.keep({});
    assert.deepEqual(await states(), ["kept", "kept"]);
    const { left, authors, paths } = await actions.undo(ids(hunks()[0]));
    assert.equal(textOf("a.ts"), "one\ntwo\nthree\n4\nfive\n");
    assert.deepEqual([left, authors.length, paths], [0, 1, ["a.ts"]]);
    assert.deepEqual(await states(), ["undone", "kept"]);
    assert.equal(await reviews.redo(), 0);
    assert.equal(textOf("a.ts"), "one\n2\nthree\n4\nfive\n");
    assert.deepEqual(await states(), ["written", "kept"]);
  });

  it("undoes one that was kept beside another of its edit that waits still", async () => {
    const { apply, actions, hunks, reviews, states, textOf } = writing();
    await apply([{ path: "a.ts", before: text, after: text.replace("two", "2").replace("four", "4") }]);
    await reviews.keep({ hunkId: hunks()[0]?.id ?? "" });
    assert.deepEqual(await states(), ["kept", "written"]);
    assert.equal((await actions.undo(ids(hunks()[0]))).left, 0);
    assert.equal(textOf("a.ts"), text.replace("four", "4"));
    assert.deepEqual(await states(), ["undone", "written"]);
  });

  it("leaves one whose lines the user changed, and it stays kept", async () => {
    const { edit, actions, hunks, reviews, states, type, history, textOf } = writing();
    await edit("a.ts", "two\nthree", "2\n3");
    await reviews.keep({});
    type("a.ts", "one\n2\n3 mine\nfour\nfive\n");
    history.setWrittenText("a.ts", "one\n2\n3 mine\nfour\nfive\n");
    assert.equal((await actions.undo(ids(hunks()[0]))).left, 1);
    assert.equal(textOf("a.ts"), "one\n2\n3 mine\nfour\nfive\n");
    assert.deepEqual(await states(), ["kept"]);
  });

  it("undoes files that were added and deleted, whether they wait or were kept", async () => {
    const { apply, actions, hunks, reviews, states, textOf } = writing();
    await apply([{ path: "new.ts", after: "new\n" }]);
    await apply([{ path: "b.ts", before: text }]);
    await reviews.keep({ path: "b.ts" });
    assert.deepEqual((await states()).toSorted(), ["kept", "written"]);
    assert.equal((await actions.undo(ids(...hunks()))).left, 0);
    assert.deepEqual([textOf("new.ts"), textOf("b.ts")], [undefined, text]);
    assert.deepEqual(await states(), ["undone", "undone"]);
  });

  it("answers what an agent wrote over its own as one, and calls what is replaced superseded", async () => {
    const { edit, actions, hunks, states, pending, textOf } = writing();
    await edit("a.ts", "two", "2");
    await edit("a.ts", "2\n", "2.1\n");
    assert.deepEqual(await states(), ["superseded", "written"]);
    assert.equal(pending().length, 1);
    await actions.undo(ids(hunks()[1]));
    assert.equal(textOf("a.ts"), text);
  });

  it("calls what was in a file that an agent deleted superseded", async () => {
    const { apply, edit, reviews, states, textOf } = writing();
    await edit("a.ts", "two", "2");
    await reviews.keep({});
    await apply([{ path: "a.ts", before: textOf("a.ts") ?? "" }], "main/edit");
    assert.deepEqual(await states(), ["superseded", "written"]);
  });

  it("undoes what waits in a file for which the history has no room", async () => {
    const long = `${"line\n".repeat(10_001)}two\n`;
    const { edit, actions, store, history, textOf } = writing({ "long.ts": long });
    await edit("long.ts", "two", "2");
    assert.equal(history.find("long.ts"), undefined);
    const [hunk] = store.files.flatMap((file) => file.hunks);
    assert.deepEqual((await actions.undo(ids(hunk))).paths, ["long.ts"]);
    assert.equal(textOf("long.ts"), long);
  });

  it("shows files without them, beside what they are", async () => {
    const { edit, actions, hunks, reviews } = writing();
    await edit("a.ts", "two", "2");
    await edit("a.ts", "four", "4");
    await reviews.keep({});
    assert.deepEqual(await actions.diff(ids(hunks()[1])), [
      { path: "a.ts", before: text.replace("two", "2"), isThere: true },
    ]);
  });
});

describe("a chat", () => {
  it("has what each call wrote, and what becomes of it", async () => {
    const { edit, store, history, reviews, actions, hunks, workspace } = writing();
    await edit("a.ts", "two", "2", "main/edit");
    let host = emptyHostState();
    const emit = (event: HostEvent) => {
      host = reduceHost(host, event);
    };
    const agent = { id: "edit", prefix: "edit", depth: 1 };
    const call = { callId: "call", agent, agentPath: ["main", "edit"] };
    assert.deepEqual(writtenBy({ store, history }, { ...call, agent: { ...agent, id: "other" } }).files, []);
    emitWritten(emit, { ...call, ...writtenBy({ store, history }, call) }, new Set());
    const [hunk] = hunks();
    const id = hunk?.id ?? "";
    assert.deepEqual(host.writtenEdits[0]?.files, [
      {
        path: "a.ts",
        change: "update",
        hunks: [{ id, line: 2, added: 1, removed: 1, oldLines: ["two"], newLines: ["2"] }],
      },
    ]);
    assert.deepEqual(host.writtenStates, { [id]: "written" });
    const later: (() => void)[] = [];
    const chat = {
      isReadOnly: false,
      emit,
      get host() {
        return host;
      },
    };
    const board = new WrittenStatesBoard({
      ...{ store, history, chats: () => [chat] },
      later: (run) => {
        later.splice(0, 1, run);
        return { dispose: () => {} };
      },
    });
    await reviews.keep({});
    later[0]?.();
    assert.deepEqual(host.writtenStates, { [id]: "kept" });
    await workspace.move("a.ts", "renamed.ts");
    history.followRename("a.ts", "renamed.ts");
    later[0]?.();
    assert.deepEqual(
      host.writtenEdits.map(({ files }) => files.map(({ path }) => path)),
      [["renamed.ts"]],
    );
    await actions.undo(new Set([id]));
    await history.refresh();
    later[0]?.();
    assert.deepEqual(host.writtenStates, { [id]: "undone" });
    board.dispose();
  });

  it("has no lines of a sensitive file", async () => {
    const { edit, store, history } = writing();
    await edit("a.ts", "two", "secret");
    const events: HostEvent[] = [];
    const call = { callId: "call", agent: { id: "main", prefix: "main", depth: 0 }, agentPath: ["main"] };
    emitWritten((event) => events.push(event), { ...call, ...writtenBy({ store, history }, call) }, new Set(["a.ts"]));
    assert.doesNotMatch(JSON.stringify(events), /secret|two/);
  });

  it("reads why a call was made again where that failed, and for each agent", async () => {
    const asked: string[] = [];
    const origins = editOrigins({
      async messagesOf(_chatId, agentId = "") {
        asked.push(agentId);
        if (asked.length === 1) throw new Error("busy");
        const content = [{ type: "text" as const, text: `Ask ${agentId}` }];
        return [{ id: "m", role: "user" as const, content, timestamp: 1 }];
      },
    });
    const author = (id: string) => ({ agentIds: [id], agentPath: [id], editId: "1", callId: "call", chatId: "c" });
    await assert.rejects(origins.of(author("a")), /busy/);
    assert.deepEqual(await origins.of(author("a")), { prompt: "Ask a" });
    assert.deepEqual(await origins.of(author("b")), { prompt: "Ask b" });
    await origins.of(author("a"));
    assert.deepEqual(asked, ["a", "a", "b"]);
  });

  it("knows a moved file by where it was and where it is", async () => {
    const { apply, store, history } = writing();
    await apply([{ path: "a.ts", before: text, after: text.replace("two", "2"), movedTo: ".env" }]);
    const call = { callId: "call", agent: { id: "main", prefix: "main", depth: 0 } };
    assert.ok(pathsOf(writtenBy({ store, history }, call)).includes(".env"));
  });

  it("sends why an edit was undone to its agent, or to one that works, or for the next message", () => {
    const said: string[] = [];
    const events: string[] = [];
    const author = { agentIds: ["m", "e"], agentPath: ["main", "edit"], editId: "1" };
    const send = (running: readonly string[]) =>
      sendUndoReason(
        {
          steer: (id, message) => {
            const [part] = message.content;
            if (running.includes(id)) said.push(`${id}: ${part?.type === "text" ? part.text : ""}`);
            return running.includes(id);
          },
        },
        { addEvent: (id, event) => events.push(`${id}: ${event}`) },
        { authors: [author, author], paths: ["a.ts"], reason: " too long " },
      );
    send(["m", "e"]);
    send(["m"]);
    send([]);
    assert.deepEqual(said, [
      "e: The user undid your edits in a.ts, and says why: too long",
      "m: The user undid edits of main › edit in a.ts, and says why: too long",
    ]);
    assert.deepEqual(events, ["m: The user undid edits of main › edit in a.ts, and says why: too long"]);
  });
});
