import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod";
import { AgentRegistry, type AgentTool, delegationTools } from "../../../src/agent/index.ts";
import { withNotes } from "../../../src/extension/approvals/planMode.ts";
import { agentAfter } from "../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Chats } from "../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import { openSessionStorage } from "../../../src/extension/sessions/storage.ts";
import { user } from "../../support/events.ts";
import { call, fail, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";
import { openWindow } from "../changes/support/mortalWindow.ts";

const before = "one\ntwo\nthree\n";

describe("a run whose edit was interrupted", () => {
  let folder: string;
  let storage: Map<string, string>;
  let files: Map<string, string>;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    storage = new Map();
    files = new Map([["a.ts", before]]);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A window over the same session, storage and files as the one before it. */
  async function windowWith(script: Script, edited = async () => {}) {
    const { model, streamFn, requests } = scriptedModel(script);
    const review = await openWindow({ storage, files });
    const tool: AgentTool = {
      name: "edit_file",
      description: "Edits.",
      schema: z.object({}),
      async execute(_args, { callId, agent }) {
        const changes = [{ path: "a.ts", before, after: before.replace("one", "ONE") }];
        await review.propose(changes, agent.name, callId);
        await edited();
        return { content: "Edited." };
      },
    };
    const registry = new AgentRegistry();
    registry.register({ name: "edit", description: "Edits." }, () => ({ systemPrompt: "edit", tools: [tool] }));
    const chats = new Chats({
      sessions: openSessionStorage({ folder, onTrouble: assert.fail }),
      createAgent(chat) {
        chat.own({ dispose: () => review.journal.release("chat") });
        const agent = agentAfter(chat.earlier, { name: "main", model, streamFn, tools: [tool] });
        agent.addToolboxes(delegationTools({ agent, registry, onError: "collect" }));
        return agent;
      },
      configure: () => {},
      addNotes: (_agent, message) => withNotes(message, ["<mode>planning</mode>"]),
      noticeFor: runNotice,
      onActivity: () => {},
      interruptedEdits: (_id, hasResult) => review.interrupted(hasResult),
      warn: assert.fail,
    });
    return { chats, review, requests, bodies: () => requests.map(({ messages }) => JSON.stringify(messages)) };
  }

  /** The id of a chat that was closed while its edit waited. */
  async function interruptedChat(): Promise<string> {
    const first = await windowWith([call("edit_file", {}, "call-1"), text("Never.")]);
    const chat = first.chats.create();
    void chat.send(user("u1", "Edit it"), "queue");
    while (first.review.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.chats.dispose();
    return chat.id;
  }

  const hostOf = (chat: Chat) => foldLog(chat.log.entriesAfter(0) ?? []).host;
  const rootOf = (chat: Chat) => {
    const { tree } = foldLog(chat.log.entriesAfter(0) ?? []);
    return tree.nodes[tree.roots[0] ?? ""];
  };
  const resultIn = (chat: Chat) => JSON.stringify(rootOf(chat)?.tools["call-1"]?.result);

  it("goes on when it is resumed and answered, with the outcome as the call's result", async () => {
    const id = await interruptedChat();
    const { chats, review, bodies } = await windowWith([text("Done.")]);
    const chat = await chats.open(id);
    assert.equal(chat.openApprovalCount, 1);
    assert.match(resultIn(chat), /has not answered yet/);
    const resumed = chat.retry();
    assert.equal(chat.isAboutToResume, true);
    assert.match(
      hostOf(chat)
        .notices.map((notice) => notice.text)
        .join(),
      /continues once you have answered/,
    );
    await review.reviews.accept({});
    await resumed;
    assert.equal(files.get("a.ts"), before.replace("one", "ONE"));
    assert.equal(bodies().length, 1);
    assert.match(bodies()[0] ?? "", /Accepted by the user and written/);
    assert.doesNotMatch(bodies()[0] ?? "", /has not answered yet/);
    assert.match(resultIn(chat), /Accepted by the user and written/);
    assert.deepEqual(hostOf(chat).notices, []);
    const messages = rootOf(chat)?.messages.map(({ role }) => role);
    await chats.dispose();

    const next = await windowWith([]);
    const again = await next.chats.open(id);
    assert.deepEqual(
      rootOf(again)?.messages.map(({ role }) => role),
      messages,
    );
    assert.match(resultIn(again), /Accepted by the user and written/);
    assert.equal(again.openApprovalCount, 0);
    await next.chats.dispose();
  });

  it("goes on with the sub-agent whose edit it was, which gets the outcome itself", async () => {
    const task = { agent: "edit", task: "Edit it", context: "" };
    const first = await windowWith([
      call("delegate_to_agent", task, "delegation"),
      call("edit_file", {}, "call-1"),
      text("Never."),
    ]);
    const begun = first.chats.create();
    void begun.send(user("u1", "Edit it"), "queue");
    while (first.review.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.chats.dispose();

    const { chats, review, requests, bodies } = await windowWith([
      text("It is edited."),
      fail("No credit", { errorKind: "billing" }),
      text("All done."),
    ]);
    const chat = await chats.open(begun.id);
    const resumed = chat.retry();
    assert.equal(chat.isAboutToResume, true);
    await review.reviews.accept({});
    await resumed;
    assert.equal(files.get("a.ts"), before.replace("one", "ONE"));
    assert.equal(requests[0]?.systemPrompt, "edit");
    assert.match(bodies()[0] ?? "", /Accepted by the user and written/);
    assert.match(bodies()[1] ?? "", /It is edited\./);
    assert.doesNotMatch(bodies()[1] ?? "", /interrupted/);
    await chat.retry();
    assert.doesNotMatch(bodies()[2] ?? "", /interrupted/, "its own result stays");
    await chats.dispose();
  });

  it("keeps what its sub-agent said after the reload, though the edit may still be undone", async () => {
    const task = { agent: "edit", task: "Edit it", context: "" };
    const written = Promise.withResolvers<void>();
    const script = [call("delegate_to_agent", task, "delegation"), call("edit_file", {}, "call-1")];
    const first = await windowWith(script, () => {
      written.resolve();
      return new Promise(() => {});
    });
    const begun = first.chats.create();
    void begun.send(user("u1", "Edit it"), "queue");
    while (first.review.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.review.reviews.accept({});
    await written.promise;
    await first.chats.dispose();

    const noCredit = fail("No credit", { errorKind: "billing" });
    const { chats, bodies } = await windowWith([text("It is edited."), noCredit, text("All done."), text("Yes.")]);
    const chat = await chats.open(begun.id);
    await chat.retry();
    assert.match(bodies()[0] ?? "", /the user may still undo it/);
    await chat.retry();
    await chat.send(user("u2", "Really?"), "queue");
    assert.equal(bodies().length, 4);
    for (const body of bodies().slice(1)) {
      assert.match(body, /It is edited\./);
      assert.doesNotMatch(body, /interrupted/);
    }
    await chats.dispose();
  });

  it("gets a message before the answer, and the answer with the next message", async () => {
    const id = await interruptedChat();
    const { chats, review, bodies } = await windowWith([text("I wait."), text("I see."), text("Yes.")]);
    const chat = await chats.open(id);
    const resumed = chat.retry();
    await chat.send(user("u2", "What about it?"), "queue");
    await resumed;
    assert.equal(bodies().length, 1, "the message takes the place of resuming");
    assert.match(bodies()[0] ?? "", /has not answered yet.*What about it\?/);
    assert.equal(chat.openApprovalCount, 1);
    await review.reviews.reject({}, "Not like this.");
    await chat.send(user("u3", "And now?"), "queue");
    // The mode is looked for in a message's last part.
    assert.match(
      bodies()[1] ?? "",
      /And now\?.*interrupted_edits.*Rejected by the user saying: .*Not like this\.[^}]*\}[^}]*<mode>/,
    );
    await chat.send(user("u4", "Heard?"), "queue");
    assert.equal(bodies()[2]?.match(/Not like this/g)?.length, 1, "it is told once");
    await chats.dispose();
  });

  it("is not one when the call had its result, though the window ended before that was tidied up", async () => {
    const first = await windowWith([call("edit_file", {}, "call-1"), text("Done.")]);
    const chat = first.chats.create();
    const sent = chat.send(user("u1", "Edit it"), "queue");
    while (first.review.store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.review.reviews.accept({});
    await sent;
    await first.chats.dispose();
    assert.ok(storage.size > 0, "nothing tidied it up");

    const second = await windowWith([text("Again.")]);
    const again = await second.chats.open(chat.id);
    assert.equal(again.openApprovalCount, 0);
    await again.send(user("u2", "Once more"), "queue");
    assert.doesNotMatch(second.bodies()[0] ?? "", /interrupted/);
    await second.chats.dispose();
    assert.deepEqual(
      [...storage.keys()].filter((path) => path.includes("journal")),
      [],
    );
  });

  it("leaves the editor with its chat, and comes back with it", async () => {
    const id = await interruptedChat();
    const { chats, review } = await windowWith([]);
    await chats.close(await chats.open(id));
    assert.deepEqual(review.store.proposals, []);
    const again = await chats.open(id);
    assert.equal(again.openApprovalCount, 1);
    assert.equal(review.store.proposals.length, 1);
    await chats.dispose();
  });

  it("asks about nothing any more once its message was rewound", async () => {
    const id = await interruptedChat();
    const { chats, review } = await windowWith([text("Anew.")]);
    const chat = await chats.open(id);
    await review.reviews.inTurn(() => chat.rewindTo("u1"));
    assert.equal(chat.openApprovalCount, 0);
    assert.deepEqual(hostOf(chat).approvals, []);
    await chat.send(user("u2", "Something else"), "queue");
    assert.equal(files.get("a.ts"), before);
    await chats.dispose();
    const next = await windowWith([]);
    assert.equal((await next.chats.open(id)).openApprovalCount, 0);
    await next.chats.dispose();
  });

  it("can be resumed again after another reload, with its edit still waiting", async () => {
    const id = await interruptedChat();
    const second = await windowWith([]);
    const chat = await second.chats.open(id);
    const resumed = chat.retry();
    await second.chats.dispose();
    await resumed;
    assert.equal(second.requests.length, 0);

    const third = await windowWith([text("Done.")]);
    const again = await third.chats.open(id);
    assert.equal(again.openApprovalCount, 1);
    assert.deepEqual(
      hostOf(again).notices.flatMap(({ actions }) => actions),
      ["resume"],
    );
    await third.review.reviews.accept({});
    await again.retry();
    assert.match(third.bodies()[0] ?? "", /Accepted by the user and written/);
    await third.chats.dispose();
  });
});
