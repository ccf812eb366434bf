import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { type AgentMessage, AgentRegistry, type AgentTree, delegationTools, textOf } from "../../../src/agent/index.ts";
import { agentAfter } from "../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Chats } from "../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import { openSessionStorage } from "../../../src/extension/sessions/storage.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { tool } from "../../support/agents.ts";
import { user } from "../../support/events.ts";
import { foldSession, memorySessions } from "../../support/memorySessions.ts";
import { call, calls, type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";

const task = (agent: string) => ({ agent, task: `Work of ${agent}`, context: "" });
const spawn = (...agents: string[]) => call("spawn_agents", { tasks: agents.map(task) });
const delegate = (agent: string) => ({ name: "delegate_to_agent", args: task(agent) });
const note = { name: "note" };

/** What each agent answers, one request after the other: three levels, several at once, and tools beside delegations. */
const plan: Record<string, readonly Reply[]> = {
  main: [calls(note), spawn("north", "east", "west"), calls(delegate("south"), note), text("main is done")],
  north: [calls(note), calls(delegate("peak"), note, delegate("ridge")), text("north is done")],
  east: [calls(note), calls(note), text("east is done")],
  west: [spawn("coast", "reef"), text("west is done")],
  south: [text("south is done")],
  peak: [calls(note), text("peak is done")],
  ridge: [text("ridge is done")],
  coast: [calls(note), calls(note), text("coast is done")],
  reef: [text("reef is done")],
};
const allSteps = Object.values(plan).flat().length;
const inputTokens = 100;

const isGood = (message: AgentMessage) =>
  message.role === "assistant" && message.stopReason !== "aborted" && message.stopReason !== "error";

/** A window in which agents follow the plan, each from wherever its transcript is. */
function windowOver(sessions: SessionStorage, { names = Object.keys(plan), notes = () => {} } = {}) {
  const { model, streamFn, requests } = scriptedModel(({ systemPrompt, messages }) => {
    const step = messages.filter(isGood).length;
    const reply = plan[systemPrompt]?.[step] ?? assert.fail(`${systemPrompt} is asked too often`);
    const made = reply.calls?.map((each, at) => ({ ...each, id: `${systemPrompt}-${step}-${at}` }));
    return { ...reply, ...(made && { calls: made }), usage: { input: inputTokens } };
  });
  const noteTool = tool("note", async () => {
    notes();
    return "Noted.";
  });
  const registry = new AgentRegistry();
  for (const name of names) {
    registry.register({ name, description: name }, () => ({ systemPrompt: name, tools: [noteTool] }));
  }
  const chats = new Chats({
    sessions,
    createAgent(chat) {
      const agent = agentAfter(chat.earlier, {
        name: "main",
        systemPrompt: "main",
        model,
        streamFn,
        tools: [noteTool],
      });
      agent.addToolboxes(delegationTools({ agent, registry, onError: "collect" }));
      return agent;
    },
    configure: () => {},
    noticeFor: runNotice,
    onActivity: () => {},
    warn: assert.fail,
  });
  return { chats, requests };
}

/** Every agent of the plan came to its end once, with each of its answers once and a result for each call. */
function assertDone(tree: AgentTree): void {
  const names = Object.values(tree.nodes).map(({ meta }) => meta.name);
  assert.deepEqual(names.toSorted(), Object.keys(plan).toSorted(), "each agent once");
  for (const { meta, messages, status } of Object.values(tree.nodes)) {
    const name = meta.name ?? "";
    assert.equal(status, "done", name);
    const answers = messages.filter(isGood);
    assert.equal(answers.length, plan[name]?.length, `${name} gave each answer once`);
    assert.equal(textOf(answers.at(-1) ?? assert.fail()), `${name} is done`);
    const asked = answers.flatMap((each) =>
      each.role === "assistant" ? each.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])) : [],
    );
    const given = messages.flatMap((each) => (each.role === "toolResult" ? [each.callId] : []));
    assert.deepEqual(given.toSorted(), asked.toSorted(), `${name}: one result for each call`);
  }
}

const rootOf = ({ nodes, roots }: AgentTree) => nodes[roots[0] ?? ""] ?? assert.fail("no root");
const hostOf = (chat: Chat) => foldLog(chat.log.entriesAfter(0) ?? []).host;
const resultsOf = (messages: readonly AgentMessage[]) =>
  messages.flatMap((each) => (each.role === "toolResult" && each.toolName !== "note" ? [textOf(each)] : []));

/** The log of the plan, undisturbed. */
async function wholeLog(): Promise<LogEntry[]> {
  const sessions = memorySessions();
  const { chats } = windowOver(sessions);
  const chat = chats.create();
  await chat.send(user("u1", "Go"), "queue");
  await chats.dispose();
  return sessions.written(chat.id);
}

const wasAnswered = (entry: LogEntry) =>
  "agent" in entry && entry.agent.type === "message_end" && isGood(entry.agent.message);

/** Different ones, in another order each time. */
function randomPoints(first: number, last: number, count: number): number[] {
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  assert.ok(all.length >= count, `${all.length} points to choose from`);
  const [points = []] = fc.sample(fc.shuffledSubarray(all, { minLength: count, maxLength: count }), 1);
  return points;
}

describe("a run whose agents the end of the editor cut off", () => {
  let whole: readonly LogEntry[];
  before(async () => {
    whole = await wholeLog();
    assertDone(foldLog(whole).tree);
  });

  /** A window that was opened after the log had come to this point. */
  async function reopened(entries: readonly LogEntry[], options?: Parameters<typeof windowOver>[1]) {
    const sessions = memorySessions();
    const id = await sessions.importFrom(JSON.stringify(entries));
    const { chats, requests } = windowOver(sessions, options);
    return { chat: await chats.open(id), chats, requests, tree: () => foldSession(sessions.written(id)) };
  }

  it("goes on with each of them from its own messages, wherever it was cut off", async () => {
    const first = whole.findIndex((entry) => "agent" in entry && entry.agent.type === "message_end");
    const last = whole.findLastIndex(wasAnswered);
    const points = randomPoints(first + 1, last, 50);
    for (const point of points) {
      const kept = whole.slice(0, point);
      const { chat, chats, requests, tree } = await reopened(kept);
      assert.equal(chat.isInterrupted, true, `at ${point}`);
      await chat.retry();
      const after = tree();
      assertDone(after);
      const paid = kept.filter(wasAnswered).length;
      assert.equal(requests.length, allSteps - paid, `at ${point}: nothing is asked twice`);
      const cutOff = Object.values(after.nodes).flatMap(({ messages }) =>
        messages.flatMap((each) => (each.role === "assistant" && !isGood(each) ? [each.usage?.input ?? 0] : [])),
      );
      const lost = cutOff.reduce((sum, input) => sum + input, 0);
      const root = rootOf(after);
      const counted = kept.filter((entry) => "agent" in entry && entry.agent.type === "usage").length;
      const spent = inputTokens * (counted + requests.length) + lost;
      assert.equal(root.total.input, spent, `at ${point}: what was spent counts once`);
      assert.deepEqual(resultsOf(root.messages), resultsOf(rootOf(foldLog(whole).tree).messages), `at ${point}`);
      assert.deepEqual(hostOf(chat).interrupted, []);
      await chats.dispose();
    }
  });

  it("can be cut off again and again", async () => {
    let entries: readonly LogEntry[] = whole.slice(0, 40);
    for (let round = 0; round < 6; round++) {
      const sessions = memorySessions();
      const id = await sessions.importFrom(JSON.stringify(entries));
      const { chats } = windowOver(sessions);
      const chat = await chats.open(id);
      const opened = sessions.written(id).length;
      await chat.retry();
      assertDone(foldSession(sessions.written(id)));
      entries = sessions.written(id).slice(0, opened + 15);
      await chats.dispose();
    }
    const { chat, chats, tree } = await reopened(entries);
    await chat.retry();
    assertDone(tree());
    await chats.dispose();
  });

  it("goes on once, however often Resume is pressed", async () => {
    const { chat, chats, requests, tree } = await reopened(whole.slice(0, 60));
    await Promise.all([chat.retry(), chat.retry(), chat.retry()]);
    assertDone(tree());
    assert.equal(requests.length, allSteps - whole.slice(0, 60).filter(wasAnswered).length);
    await chats.dispose();
  });

  /** Up to where the named agent has begun. */
  const untilBegun = (name: string) =>
    whole.slice(
      0,
      whole.findIndex((each) => "agent" in each && each.agent.type === "turn_start" && each.agent.agent.name === name) +
        1,
    );

  it("shows one as stopped whose call is not in the conversation, and loses nothing of it", async () => {
    const strayed = untilBegun("reef").map((entry) => {
      if (!("agent" in entry) || entry.agent.agent.name !== "east") return entry;
      const agent = { ...entry.agent.agent, toolCallId: "unknown" };
      return { ...entry, agent: { ...entry.agent, agent } };
    });
    const { chat, chats, tree } = await reopened(strayed);
    const east = () => Object.values(tree().nodes).filter(({ meta }) => meta.name === "east");
    assert.deepEqual(
      hostOf(chat).interrupted.length,
      Object.values(tree().nodes).filter(({ status }) => status === "aborted").length,
    );
    const before = east()[0]?.messages.length ?? 0;
    await chat.retry();
    const [old, fresh] = east();
    assert.equal(old?.status, "aborted");
    assert.ok((old?.messages.length ?? 0) >= before);
    assert.equal(fresh?.status, "done", "its work is done by another");
    assert.deepEqual(hostOf(chat).interrupted, [], "it is stopped, not interrupted");
    await chats.dispose();
  });

  it("says so to the parent where an agent can't be made any more, and shows it as stopped", async () => {
    const { chat, chats, tree } = await reopened(untilBegun("reef"), {
      names: Object.keys(plan).filter((name) => name !== "east"),
    });
    await chat.retry();
    const nodes = Object.values(tree().nodes);
    assert.equal(nodes.find(({ meta }) => meta.name === "east")?.status, "aborted");
    assert.match(resultsOf(rootOf(tree()).messages)[0] ?? "", /Unknown agent \\"east\\"/);
    assert.equal(nodes.find(({ meta }) => meta.name === "reef")?.status, "done");
    await chats.dispose();
  });

  describe("on a disk", () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it("goes on with all of them, also where only the log's last page is there", async () => {
      const last = whole.findLastIndex(wasAnswered);
      const small = {
        page: { bytes: 1_000_000, entries: 12 },
        snapshotEvery: { bytes: 1_000_000, entries: 6, maxShare: 100 },
      };
      for (const point of [last - 20, last - 60, last - 120]) {
        const kept = whole.slice(0, point);
        const sessions = openSessionStorage({
          folder: path.join(folder, `${point}`),
          onTrouble: assert.fail,
          ...small,
        });
        const writer = await sessions.create("long");
        for (const entry of kept) writer.append(entry);
        await writer.close();
        const { chats, requests } = windowOver(sessions);
        const chat = await chats.open("long");
        assert.equal(chat.past?.hasEarlier, true);
        await chat.retry();
        assert.equal(requests.length, allSteps - kept.filter(wasAnswered).length, `at ${point}`);
        const { tree } = foldLog(chat.log.entriesAfter(0) ?? []);
        for (const { meta, status } of Object.values(tree.nodes)) assert.equal(status, "done", meta.name);
        await chats.dispose();
        const messages = await sessions.messagesOf("long", rootOf(tree).meta.id);
        assert.deepEqual(resultsOf(messages), resultsOf(rootOf(foldLog(whole).tree).messages));
      }
    });

    it("keeps what a call gave whose siblings had not ended, and runs none twice", async () => {
      const open = () => openSessionStorage({ folder, onTrouble: assert.fail });
      const ran: string[] = [];
      let hold = true;
      const script = ({ systemPrompt, messages }: { systemPrompt: string; messages: readonly AgentMessage[] }) => {
        const step = messages.filter(isGood).length;
        if (systemPrompt === "main") return step === 0 ? calls({ ...delegate("child"), id: "d" }) : text("All done.");
        return step === 0 ? calls({ name: "quick", id: "q" }, { name: "slow", id: "s" }) : text("Child done.");
      };
      function opened() {
        const { model, streamFn, requests } = scriptedModel(script);
        const quick = tool("quick", () => `ran ${ran.push("quick")}`);
        const slow = tool("slow", async () => {
          ran.push("slow");
          if (hold) await new Promise(() => {});
          return "slow";
        });
        const registry = new AgentRegistry();
        registry.register({ name: "child", description: "c" }, () => ({ systemPrompt: "child", tools: [quick, slow] }));
        const chats = new Chats({
          sessions: open(),
          createAgent(chat) {
            const options = { name: "main", systemPrompt: "main", model, streamFn, abortGraceMs: 0 };
            const agent = agentAfter(chat.earlier, options);
            agent.addToolboxes(delegationTools({ agent, registry, onError: "collect" }));
            return agent;
          },
          configure: () => {},
          noticeFor: runNotice,
          onActivity: () => {},
          warn: assert.fail,
        });
        return { chats, requests };
      }
      const first = opened();
      const chat = first.chats.create();
      void chat.send(user("u1", "Go"), "queue");
      while (ran.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await first.chats.dispose();

      hold = false;
      const second = opened();
      const again = await second.chats.open(chat.id);
      await again.retry();
      assert.deepEqual(ran, ["quick", "slow"], "what may have done something is not done again");
      const [request] = second.requests;
      assert.equal(second.requests.length, 2);
      assert.equal(request?.systemPrompt, "child");
      const [quick, slow] = (request?.messages ?? []).filter(({ role }) => role === "toolResult").map(textOf);
      assert.equal(quick, "ran 1");
      assert.match(slow ?? "", /^This call was interrupted/);
      assert.match(JSON.stringify(rootOf(foldLog(again.log.entriesAfter(0) ?? []).tree).messages), /Child done\./);
      await second.chats.dispose();

      const child = Object.values(foldLog(again.log.entriesAfter(0) ?? []).tree.nodes).find(
        ({ meta }) => meta.name === "child",
      );
      assert.deepEqual(
        (await open().messagesOf(chat.id, child?.meta.id ?? "")).map(({ role }) => role),
        ["user", "assistant", "toolResult", "toolResult", "assistant"],
      );
    });
  });
});
