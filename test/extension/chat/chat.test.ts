import assert from "node:assert/strict";
import * as z from "zod";
import { Agent, type AgentTool, emptyTree, reduceTree } from "../../../src/agent/index.ts";
import { chatNotes } from "../../../src/extension/chat/agents/chatAgents.ts";
import { Chat } from "../../../src/extension/chat/chat.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import type { ArborSettings } from "../../../src/extension/settings/settings.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { user } from "../../support/events.ts";
import { call, calls, fail, hang, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

/** A tool that runs until it is asked to end. */
function gateTool(): { tool: AgentTool; started: Promise<void>; open(): void } {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const tool: AgentTool = {
    name: "wait",
    description: "Waits.",
    schema: z.object({}),
    execute: () => {
      started.resolve();
      return gate.promise;
    },
  };
  return { tool, started: started.promise, open: () => gate.resolve("done") };
}

function chatWith(script: Script, options: { tools?: AgentTool[]; maxTurns?: number } = {}) {
  const { model, streamFn, requests } = scriptedModel(script);
  const activity: boolean[] = [];
  const logged: string[] = [];
  const chat = new Chat({
    createAgent: () => new Agent({ name: "main", model, streamFn, ...options }),
    configure: () => {},
    noticeFor: runNotice,
    onActivity: (shown) => activity.push(shown.isRunning),
    warn: (message) => logged.push(message),
  });
  const entries = () => chat.log.entriesAfter(0) ?? [];
  return {
    chat,
    requests,
    activity,
    logged,
    tree: () =>
      entries().reduce((tree, entry) => ("agent" in entry ? reduceTree(tree, entry.agent) : tree), emptyTree()),
    host: () =>
      entries().reduce((state, entry) => ("host" in entry ? reduceHost(state, entry.host) : state), emptyHostState()),
  };
}

describe("a chat", () => {
  it("answers, takes its title from the first message and notifies when it runs", async () => {
    const { chat, host, activity } = chatWith([text("It is in a.ts.")]);
    const summary = await chat.send(user("u1", "Where is it?\nSomewhere?"), "queue");
    assert.deepEqual(summary, { reason: "done", text: "It is in a.ts." });
    assert.equal(host().title, "Where is it?");
    assert.deepEqual(activity, [true, false]);
    chat.rename("Somewhere");
    assert.deepEqual(activity, [true, false, false]);
  });

  it("disposes of what is made for it with it, and of what comes too late at once", async () => {
    const { chat } = chatWith([]);
    const disposed: string[] = [];
    chat.own({ dispose: () => disposed.push("process") });
    await chat.dispose();
    assert.deepEqual(disposed, ["process"]);
    chat.own({ dispose: () => disposed.push("late") });
    assert.deepEqual(disposed, ["process", "late"]);
  });

  it("shows what a provider warns of, once however often it comes, and logs it each time", async () => {
    const warning = { type: "warning" as const, message: "Answered by other-model." };
    const { chat, host, logged } = chatWith([{ ...text("Yes."), first: [warning, warning] }]);
    await chat.send(user("u1", "Is it so?"), "queue");
    const [notice, ...others] = host().notices;
    assert.deepEqual([notice?.level, notice?.text, others], ["info", "Answered by other-model.", []]);
    assert.deepEqual(logged, [warning.message, warning.message]);
  });

  it("says what to do about an answer that reached its length limit", async () => {
    const { chat, host } = chatWith([{ ...text("The first half"), stopReason: "length" }]);
    await chat.send(user("u1", "Write it all"), "queue");
    const [notice] = host().notices;
    assert.match(notice?.text ?? "", /reached its length limit\. Ask for the rest, or pick a model/);
    assert.deepEqual(notice?.actions, ["selectModel", "retry"]);
  });

  it("gives the agent its notes beside the user's text, and shows that text alone", async () => {
    const settings = { permissionMode: "plan" } as ArborSettings;
    const { model, streamFn, requests } = scriptedModel([text("A plan."), text("Done.")]);
    const chat = new Chat({
      createAgent: () => new Agent({ name: "main", model, streamFn }),
      configure: () => {},
      addNotes: chatNotes({
        settings: () => settings,
        surroundings: { notesFor: () => ["<environment>\n</environment>"] },
        reviewNoteFor: () => undefined,
      }),
      noticeFor: runNotice,
      onActivity: () => {},
    });
    await chat.send(user("u1", "Rename it"), "queue");
    settings.permissionMode = "ask";
    await chat.send(user("u2", "Go on"), "queue");
    assert.equal(chat.title, "Rename it");
    const heard = requests.map(({ messages }) => JSON.stringify(messages));
    assert.match(heard[0] ?? "", /Rename it.*<environment>.*Plan mode is on/);
    assert.match(heard[1] ?? "", /Plan mode is on.*A plan\..*Go on.*Plan mode is off/);
  });

  it("queues what is said while it runs, shows it, and sends it when the agent has nothing else to do", async () => {
    const gate = gateTool();
    const { chat, host, requests } = chatWith([call("wait"), text("first"), text("second")], { tools: [gate.tool] });
    const first = chat.send(user("u1", "one"), "queue");
    await gate.started;
    const second = chat.send(user("u2", "two"), "queue");
    assert.deepEqual(host().queue, [{ id: "u2", text: "two", kind: "followUp" }]);
    gate.open();
    await first;
    assert.equal((await second).text, "second");
    assert.deepEqual(host().queue, []);
    assert.equal(requests.length, 3);
  });

  it("steers at the next turn, before what is queued", async () => {
    const gate = gateTool();
    const { chat, requests } = chatWith([call("wait"), text("steered"), text("followed")], { tools: [gate.tool] });
    const run = chat.send(user("u1", "one"), "queue");
    await gate.started;
    void chat.send(user("u2", "later"), "queue");
    void chat.send(user("u3", "now"), "steer");
    gate.open();
    await run;
    const seen = requests.map(({ messages }) => messages.at(-1)).map((last) => (last?.role === "user" ? last.id : ""));
    assert.deepEqual(seen, ["u1", "u3", "u2"]);
  });

  it("shows a message to a sub-agent until it is delivered, and can cancel it", async () => {
    const gate = gateTool();
    const model = scriptedModel([call("wait"), text("heard")]);
    const explore = new Agent({
      ...{ name: "explore", description: "Looks.", model: model.model, streamFn: model.streamFn },
      tools: [gate.tool],
    });
    const { chat, host, tree } = chatWith([call("explore", { input: "look" }), text("done")], {
      tools: [explore.asTool()],
    });
    const run = chat.send(user("u1", "one"), "queue");
    await gate.started;
    const child = Object.values(tree().nodes).find(({ meta }) => meta.depth === 1)?.meta.id ?? "";
    assert.ok(chat.steer(child, user("u2", "taxes too")));
    assert.ok(chat.steer(child, user("u3", "never mind")));
    assert.deepEqual(
      host().queue.map(({ id, kind, to }) => [id, kind, to]),
      [
        ["u2", "steering", "explore"],
        ["u3", "steering", "explore"],
      ],
    );
    assert.equal(chat.removeQueued("u3")?.id, "u3");
    gate.open();
    await run;
    assert.deepEqual(host().queue, []);
    const steered = host().steered.map(({ messageId, agentId, to, text, parentId }) => ({
      ...{ messageId, agentId, to, text, parentId },
    }));
    // The panel knows by this order that it was not removed.
    const events = (chat.log.entriesAfter(0) ?? []).flatMap((entry) => ("host" in entry ? [entry.host] : []));
    const delivered = events.findIndex(({ type }) => type === "agent_steered");
    const left = events.findLastIndex((event) => event.type === "queue_changed" && event.items.length === 0);
    assert.ok(delivered >= 0 && delivered < left, `${delivered} ${left}`);
    const parentId = chat.rootId;
    assert.deepEqual(steered, [{ messageId: "u2", agentId: child, to: "explore", text: "taxes too", parentId }]);
    const heard = model.requests.at(-1)?.messages.flatMap((message) => (message.role === "user" ? [message.id] : []));
    assert.ok(heard?.includes("u2") && !heard.includes("u3"), String(heard));
  });

  it("takes a queued message back", async () => {
    const gate = gateTool();
    const { chat, host, requests } = chatWith([call("wait"), text("only")], { tools: [gate.tool] });
    const run = chat.send(user("u1", "one"), "queue");
    await gate.started;
    void chat.send(user("u2", "two"), "queue");
    chat.removeQueued("u2");
    assert.deepEqual(host().queue, []);
    gate.open();
    await run;
    assert.equal(requests.length, 2);
  });

  it("lets a queued message steer instead of waiting, and does nothing once it was delivered", async () => {
    const gate = gateTool();
    const script = [call("wait"), text("steered"), text("followed")];
    const { chat, host, requests } = chatWith(script, { tools: [gate.tool] });
    const run = chat.send(user("u1", "one"), "queue");
    await gate.started;
    void chat.send(user("u2", "later"), "queue");
    void chat.send(user("u3", "now"), "queue");
    void chat.sendQueued("u3");
    assert.deepEqual(
      host().queue.map(({ id, kind }) => [id, kind]),
      [
        ["u2", "followUp"],
        ["u3", "steering"],
      ],
    );
    gate.open();
    await run;
    const seen = requests.map(({ messages }) => messages.at(-1)).map((last) => (last?.role === "user" ? last.id : ""));
    assert.deepEqual(seen, ["u1", "u3", "u2"]);
    await chat.sendQueued("u3");
    assert.equal(chat.removeQueued("u3"), undefined);
    assert.equal(requests.length, 3);
  });

  it("stops at once, keeps the words so far and can go on", async () => {
    const { chat, tree } = chatWith([hang({ text: "half an" }), text("whole")]);
    const run = chat.send(user("u1", "one"), "queue");
    await until(() => JSON.stringify(tree()).includes("half an"));
    await chat.stop();
    assert.equal((await run).reason, "aborted");
    assert.equal(chat.isRunning, false);
    const [root] = tree().roots;
    assert.equal(tree().nodes[root ?? ""]?.status, "aborted");
    assert.equal((await chat.send(user("u2", "again"), "queue")).text, "whole");
  });

  it("never gives an earlier answer for a question that was stopped before it was answered", async () => {
    const { chat } = chatWith([text("first"), hang()]);
    await chat.send(user("u1", "one"), "queue");
    const run = chat.send(user("u2", "two"), "queue");
    const queued = chat.send(user("u3", "three"), "queue");
    await chat.stop();
    assert.deepEqual(await run, { reason: "aborted", text: "", error: (await run).error });
    assert.deepEqual(await queued, { reason: "aborted", text: "" });
  });

  it("says what failed in one sentence with ways out, and asks again on retry", async () => {
    const { chat, host, requests } = chatWith([fail("The key was not accepted."), text("fine")]);
    const summary = await chat.send(user("u1", "one"), "queue");
    assert.equal(summary.reason, "error");
    const [notice] = host().notices;
    assert.equal(notice?.text, "The key was not accepted.");
    assert.ok(notice?.actions.includes("retry"));
    await chat.retry();
    assert.deepEqual(host().notices, []);
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.messages.length, 1, "the failed answer is not sent again");
  });

  it("names the limit that ended a run, and the setting that raises it", async () => {
    const { chat, host } = chatWith(() => calls({ name: "nothing" }), { maxTurns: 2 });
    await chat.send(user("u1", "one"), "queue");
    assert.match(host().notices[0]?.text ?? "", /arbor\.limits\.maxTurns/);
    assert.ok(host().notices[0]?.actions.includes("openSettings"));
  });

  it("measures the context of each request by category", async () => {
    const { chat, host, tree } = chatWith([text("yes", { usage: { input: 100, output: 5 } })]);
    await chat.send(user("u1", "a question"), "queue");
    const context = host().contexts[tree().roots[0] ?? ""];
    const sum = context === undefined ? 0 : context.system + context.tools + context.messages;
    assert.ok(Math.abs(sum - 100) <= 2, `${sum} of 100`);
    assert.equal(context?.window, 1000);
  });

  it("hands out an agent's transcript with what is streaming right now", async () => {
    const { chat, tree } = chatWith([hang({ text: "so far" })]);
    const run = chat.send(user("u1", "one"), "queue");
    const id = () => tree().roots[0] ?? "";
    await until(() => JSON.stringify(chat.transcriptOf(id()) ?? "").includes("so far"));
    assert.deepEqual(
      chat.transcriptOf(id())?.messages.map(({ role }) => role),
      ["user", "assistant"],
    );
    await chat.stop();
    await run;
    assert.equal(chat.transcriptOf("nobody"), undefined);
  });
});

/** Lets other work go on until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
