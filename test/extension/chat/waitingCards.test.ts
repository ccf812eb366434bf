import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type AgentMessage, AgentRegistry, type AgentTool, delegationTools, textOf } from "../../../src/agent/index.ts";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import { AgentPaths } from "../../../src/extension/chat/agents/agentPaths.ts";
import { agentAfter } from "../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import { Chats } from "../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import { Runs } from "../../../src/extension/chat/runs/chatRuns.ts";
import { createIntentHandler, type IntentDependencies } from "../../../src/extension/panel/intents/intentHandlers.ts";
import type { Panel } from "../../../src/extension/panel/panel.ts";
import { openSessionStorage } from "../../../src/extension/sessions/storage.ts";
import { askUserTool } from "../../../src/extension/tools/askUser.ts";
import type { Intent } from "../../../src/protocol/intents.ts";
import type { BudgetLimits } from "../../../src/protocol/runs.ts";
import { tool } from "../../support/agents.ts";
import { user } from "../../support/events.ts";
import { calls, type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";

const isGood = (message: AgentMessage) =>
  message.role === "assistant" && message.stopReason !== "aborted" && message.stopReason !== "error";

const delegate = (agent: string) => ({
  name: "delegate_to_agent",
  args: { agent, task: `Work of ${agent}`, context: "" },
});
const spawn = (...agents: string[]) => ({
  name: "spawn_agents",
  args: { tasks: agents.map((agent) => ({ agent, task: `Work of ${agent}`, context: "" })) },
});

type Wants = Omit<PermissionRequest, "agent" | "callId" | "toolName">;
const wants = {
  command: { kind: "command", command: "npm test", cwd: "shop", folder: "/work/shop", version: "1" },
  fetch: { kind: "fetch", url: "https://example.org/a", host: "example.org", isPrivate: false, concerns: [] },
  read: { kind: "read", path: ".env" },
  mcp: {
    ...{ kind: "mcp", purpose: "call", server: "db", tool: "query", arguments: "{}", description: "", version: "1" },
    ...{ isChanged: false, claims: { readsOnly: false, destroys: false, reachesOut: false } },
  },
} satisfies Record<string, Wants & Record<string, unknown>>;
type Kind = keyof typeof wants | "question";
const kinds: readonly Kind[] = ["command", "fetch", "read", "mcp", "question"];
const toolFor = (kind: Kind) =>
  kind === "question" ? { name: "ask_user", args: { question: "Which?" } } : { name: kind, args: {} };

type Plan = Record<string, readonly Reply[]>;

/** Agents below each other, of whom the last one makes these calls. */
function planOf(depth: number, ...made: NonNullable<Reply["calls"]>): { plan: Plan; asker: string } {
  const names = ["main", "one", "two", "three"].slice(0, depth + 1);
  const asker = names[depth] ?? "main";
  const plan = names.map((name, at) => {
    const below = names[at + 1];
    return [name, [calls(...(below === undefined ? made : [delegate(below)])), text(`${name} is done`)]] as const;
  });
  return { plan: Object.fromEntries(plan), asker };
}

describe("what waits for the user when the window is reloaded", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  interface WindowOptions {
    /** What tools ask for instead. */
    wanted?: Partial<Record<keyof typeof wants, Record<string, unknown>>>;
    budget?: BudgetLimits;
    /** MCP tools are there once somebody has asked for them. */
    hasLateTools?: boolean;
    sessions?: Partial<Parameters<typeof openSessionStorage>[0]>;
  }

  /** A window over the sessions of the one before it. */
  function openWindow(
    plan: Plan,
    { wanted = {}, budget = {}, sessions = {}, hasLateTools = false }: WindowOptions = {},
  ) {
    const ran: string[] = [];
    let isReady = false;
    const { model, streamFn, requests } = scriptedModel(({ systemPrompt, messages }) => {
      const step = messages.filter(isGood).length;
      const reply = plan[systemPrompt]?.[step] ?? assert.fail(`${systemPrompt} is asked too often`);
      const made = reply.calls?.map((each, at) => ({ ...each, id: `${systemPrompt}-${step}-${at}` }));
      return { ...reply, ...(made && { calls: made }) };
    });
    let ids = 0;
    const newId = () => `${path.basename(folder)}-${requests.length}-${++ids}`;
    const paths = new AgentPaths();
    const permissions = new PermissionQueue({
      newId,
      agentPath: (id) => paths.of(id),
      lineage: (id) => paths.lineage(id),
    });
    const runs = new Runs<Chat>({
      compactionThreshold: () => 0,
      defaultBudget: () => budget,
      agentPath: (id) => paths.of(id),
      filesSeenBy: () => [],
      observe: () => {},
      now: Date.now,
      newId,
      showTrace: async () => {},
    });
    const toolsOf = (chat: Chat): AgentTool[] => [
      ...Object.entries(wants).map(([name, request]) =>
        tool(name, async (_args, { agent, callId, signal, ...context }) => {
          const asked = { ...request, ...wanted[name as keyof typeof wants], agent, callId, toolName: name };
          // Which request it is says its kind.
          const answer = await permissions.askFor(chat)(asked as unknown as PermissionRequest, signal);
          signal.throwIfAborted();
          if (!answer.allowed) return `The user said no: ${answer.reason ?? ""}`;
          ran.push(`${agent.name} ${callId}`);
          context.output("Running.");
          return `${name} ran`;
        }),
      ),
      tool("note", (_args, { agent }) => `noted ${ran.push(`${agent.name} note`)}`),
      askUserTool.create({
        showPlan: () => {},
        ask: ({ agent, options, ...asked }, signal) =>
          chat.questions.ask(
            { agentId: agent.id, agentPath: paths.of(agent.id), ...asked, options: [...options] },
            signal,
          ),
      }),
    ];
    const chats = new Chats({
      sessions: openSessionStorage({ folder, onTrouble: assert.fail, ...sessions }),
      createAgent(chat) {
        const registry = new AgentRegistry();
        for (const name of Object.keys(plan)) {
          registry.register({ name, description: name }, () => ({
            systemPrompt: name,
            ...runs.of(chat).subAgentParts(),
          }));
        }
        const agent = runs.of(chat).withRoot((parts) =>
          agentAfter(chat.earlier, {
            ...{ name: "main", systemPrompt: "main", model, streamFn, tools: toolsOf(chat), maxDepth: 4 },
            ...parts,
          }),
        );
        agent.addToolboxes(delegationTools({ agent, registry, onError: "collect" }));
        agent.subscribe((event) => paths.observe(event));
        return agent;
      },
      async beforeSend() {
        isReady = true;
      },
      configure(agent, chat) {
        if (hasLateTools && !isReady) agent.removeTool("mcp");
        else if (hasLateTools) agent.addTool(toolsOf(chat).find(({ name }) => name === "mcp") ?? assert.fail());
      },
      noticeFor: runNotice,
      onActivity: () => {},
      warn: assert.fail,
    });
    /** Of what an intent acts on, only what these need is there. */
    const dispatch = (chat: Chat, intent: Intent) =>
      createIntentHandler(
        () =>
          ({
            conversation: { current: chat },
            permissions,
            runs,
            review: {},
            history: {},
          }) as unknown as IntentDependencies,
        (error) => assert.fail(String(error)),
      )(intent, {} as Panel);
    return { chats, dispatch, permissions, requests, ran };
  }
  type Window = ReturnType<typeof openWindow>;

  const turn = () => new Promise((resolve) => setImmediate(resolve));
  async function until(condition: () => boolean): Promise<void> {
    const startedAt = performance.now();
    while (!condition()) {
      assert.ok(performance.now() - startedAt < 15_000, "it never comes");
      await turn();
    }
  }
  const cards = (chat: Chat) => {
    const { approvals, questions, runs } = chat.host;
    return [
      ...approvals.map(({ id, request, agentPath }) => [id, agentPath.join(" "), request?.text]),
      ...questions.map(({ id, agentPath, text: asked }) => [id, agentPath.join(" "), asked]),
      ...runs.questions.map(({ id, agentPath, figure }) => [id, agentPath.join(" "), figure]),
    ];
  };
  const idsOf = (chat: Chat) => cards(chat).map(([id = ""]) => id);
  const tree = (chat: Chat) => foldLog(chat.log.entriesAfter(0) ?? []).tree;
  const nodeOf = (chat: Chat, name: string) =>
    Object.values(tree(chat).nodes).find(({ meta }) => meta.name === name) ?? assert.fail(`no ${name}`);
  const finished = (chat: Chat) => until(() => !chat.isRunning && nodeOf(chat, "main").status === "done");
  const approve = (chat: Chat, window: Window, id: string, more: Partial<Extract<Intent, { type: "decide" }>> = {}) =>
    window.dispatch(chat, { type: "decide", approvalId: id, decision: "accepted", ...more });
  const answer = (chat: Chat, window: Window, id: string, kind: Kind) =>
    kind === "question"
      ? window.dispatch(chat, { type: "answerQuestion", questionId: id, text: "This" })
      : approve(chat, window, id);

  /** A chat that was cut off with so many cards open, and what they were. */
  async function cutOff(plan: Plan, { count = 1, ...options }: WindowOptions & { count?: number } = {}) {
    const window = openWindow(plan, options);
    const chat = window.chats.create();
    void chat.send(user("u1", "Go"), "queue");
    await until(() => cards(chat).length === count);
    const shown = cards(chat);
    await window.chats.dispose();
    return { id: chat.id, shown, requests: window.requests.length, ran: window.ran };
  }

  async function reopened(id: string, plan: Plan, options?: WindowOptions) {
    const window = openWindow(plan, options);
    return { window, chat: await window.chats.open(id) };
  }

  const total = (plan: Plan) => Object.values(plan).flat().length;

  /** Closes the window. Each agent gave each of its answers once, and each call has one result. */
  async function assertWhole(chat: Chat, window: Window, plan: Plan): Promise<void> {
    const { nodes } = tree(chat);
    await window.chats.dispose();
    const stored = openSessionStorage({ folder, onTrouble: assert.fail });
    assert.equal(Object.keys(nodes).length, Object.keys(plan).length, "each agent once");
    for (const { meta, status } of Object.values(nodes)) {
      const name = meta.name ?? "";
      const messages = await stored.messagesOf(chat.id, meta.id);
      assert.equal(status, "done", name);
      const good = messages.filter(isGood);
      assert.equal(good.length, plan[name]?.length, `${name} gave each answer once`);
      const made = good.flatMap((each) =>
        each.role === "assistant" ? each.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])) : [],
      );
      const given = messages.flatMap((each) => (each.role === "toolResult" ? [each.callId] : []));
      assert.deepEqual(given.toSorted(), made.toSorted(), `${name}: one result for each call`);
    }
  }
  /** What an agent was given for its calls, as its latest request shows it. */
  const givenTo = ({ requests }: Window, name: string) =>
    (requests.findLast(({ systemPrompt }) => systemPrompt === name)?.messages ?? []).flatMap((message) =>
      message.role === "toolResult" ? [textOf(message)] : [],
    );

  for (const kind of kinds) {
    for (const depth of [0, 1, 2, 3]) {
      it(`waits again, and goes on with the same call: ${kind}, at depth ${depth}`, async () => {
        const { plan, asker } = planOf(depth, toolFor(kind));
        const { id, shown, requests } = await cutOff(plan);
        const { window, chat } = await reopened(id, plan);
        assert.deepEqual(cards(chat), shown, "the same card");
        assert.equal(chat.isInterrupted, true);
        await turn();
        assert.equal(window.requests.length, 0, "nothing goes on without an answer");
        answer(chat, window, idsOf(chat)[0] ?? "", kind);
        assert.deepEqual(cards(chat), []);
        await finished(chat);
        await assertWhole(chat, window, plan);
        assert.equal(requests + window.requests.length, total(plan), "nothing is asked of the model twice");
        assert.deepEqual(window.ran, kind === "question" ? [] : [`${asker} ${asker}-0-0`]);
        assert.deepEqual(givenTo(window, asker), [kind === "question" ? "The user answered: This" : `${kind} ran`]);
      });
    }
  }

  it("waits again where only the log's last page is there", async () => {
    const page = { bytes: 1_000_000, entries: 4 };
    const snapshotEvery = { bytes: 1_000_000, entries: 2, maxShare: 100 };
    const { plan } = planOf(3, toolFor("command"));
    const { id, shown, requests } = await cutOff(plan, { sessions: { page, snapshotEvery } });
    const { window, chat } = await reopened(id, plan, { sessions: { page, snapshotEvery } });
    assert.equal(chat.past?.hasEarlier, true);
    assert.deepEqual(cards(chat), shown);
    approve(chat, window, idsOf(chat)[0] ?? "");
    await finished(chat);
    assert.equal(window.ran.length, 1);
    assert.equal(requests + window.requests.length, total(plan));
    await window.chats.dispose();
  });

  it("is known of a chat that is not open, until it is answered", async () => {
    const isWaiting = async () =>
      (await openSessionStorage({ folder, onTrouble: assert.fail }).list()).map((session) => session.isWaiting);
    for (const kind of kinds) {
      const { plan } = planOf(1, toolFor(kind));
      const { id } = await cutOff(plan);
      assert.deepEqual(await isWaiting(), [true], kind);
      const { window, chat } = await reopened(id, plan);
      answer(chat, window, idsOf(chat)[0] ?? "", kind);
      await finished(chat);
      await window.chats.dispose();
      assert.deepEqual(await isWaiting(), [undefined], kind);
      await openSessionStorage({ folder, onTrouble: assert.fail }).remove(id);
    }
  });

  it("takes a rejection with the user's words to the same call", async () => {
    const { plan } = planOf(2, toolFor("command"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    approve(chat, window, idsOf(chat)[0] ?? "", { decision: "rejected", reason: "Too slow." });
    await finished(chat);
    await assertWhole(chat, window, plan);
    assert.deepEqual(window.ran, []);
    assert.deepEqual(givenTo(window, "two"), ["The user said no: Too slow."]);
  });

  it("waits on when the run is resumed without an answer, under the same id", async () => {
    const { plan } = planOf(3, toolFor("command"));
    const { id, shown } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    const resumed = chat.retry();
    await until(() => window.permissions.has(idsOf(chat)[0] ?? ""));
    assert.deepEqual(cards(chat), shown);
    assert.equal(window.requests.length, 0);
    approve(chat, window, idsOf(chat)[0] ?? "");
    await resumed;
    await assertWhole(chat, window, plan);
    assert.equal(window.ran.length, 1);
    await window.chats.dispose();
  });

  /** Three levels with several cards at once: two of one agent beside a call that has ended, and one below. */
  const wide: Plan = {
    main: [calls(spawn("one", "two"), { name: "fetch" }), text("main is done")],
    one: [calls({ name: "note" }, { name: "command" }, { name: "mcp" }), text("one is done")],
    two: [calls(delegate("three")), text("two is done")],
    three: [calls({ name: "read" }), text("three is done")],
  };

  it("keeps several apart: each answer is for its own call, in any order, over any number of reloads", async () => {
    const first = await cutOff(wide, { count: 4 });
    assert.deepEqual(first.ran, ["one note"]);
    let requests = first.requests;
    const ran: string[] = [...first.ran];
    for (const [round, subject] of [".env", "npm test", "https://example.org/a"].entries()) {
      const { window, chat } = await reopened(first.id, wide);
      assert.deepEqual(cards(chat).toSorted(), first.shown.slice().toSorted(), `round ${round}`);
      const [id = ""] = cards(chat).find(([, , shown]) => shown === subject) ?? [];
      approve(chat, window, id);
      await until(() => window.ran.length === 1 && chat.isRunning && window.permissions.has(idsOf(chat)[0] ?? ""));
      for (let turns = 0; turns < 20; turns++) await turn();
      first.shown.splice(0, Number.POSITIVE_INFINITY, ...cards(chat));
      assert.equal(first.shown.length, 3 - round);
      ran.push(...window.ran);
      requests += window.requests.length;
      await window.chats.dispose();
    }
    const { window, chat } = await reopened(first.id, wide);
    approve(chat, window, idsOf(chat)[0] ?? "");
    await finished(chat);
    await assertWhole(chat, window, wide);
    assert.deepEqual([...ran, ...window.ran].toSorted(), [
      ...["main main-0-1", "one note", "one one-0-1", "one one-0-2", "three three-0-0"],
    ]);
    assert.equal(requests + window.requests.length, total(wide));
    await window.chats.dispose();
  });

  it("is one card for siblings that want the same, and one answer for both", async () => {
    const plan: Plan = {
      main: [calls(spawn("one", "two")), text("main is done")],
      one: [calls({ name: "command" }), text("one is done")],
      two: [calls({ name: "command" }), text("two is done")],
    };
    const window = openWindow(plan);
    const begun = window.chats.create();
    void begun.send(user("u1", "Go"), "queue");
    await until(() => begun.host.approvals[0]?.others?.length === 1);
    await window.chats.dispose();
    const again = await reopened(begun.id, plan);
    approve(again.chat, again.window, idsOf(again.chat)[0] ?? "");
    await finished(again.chat);
    await assertWhole(again.chat, again.window, plan);
    assert.equal(again.window.ran.length, 2);
    assert.deepEqual(cards(again.chat), []);
    await again.window.chats.dispose();
  });

  it("allows as far as the answer reaches, for what is asked afterwards", async () => {
    const plan: Plan = {
      main: [calls({ name: "command" }), calls({ name: "command" }), text("main is done")],
    };
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    approve(chat, window, idsOf(chat)[0] ?? "", { scope: "session" });
    await finished(chat);
    assert.equal(window.ran.length, 2, "the second one was not asked for");
    assert.equal(chat.host.grants.length, 1);
    await window.chats.dispose();
  });

  it("takes an answer once: a second click changes nothing", async () => {
    const { plan } = planOf(1, toolFor("command"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    const [card = ""] = idsOf(chat);
    assert.equal(chat.left?.answerApproval(card, { decision: "rejected" }), true);
    assert.equal(chat.left?.answerApproval(card, { decision: "accepted" }), false);
    await chat.retry();
    assert.deepEqual(window.ran, []);
    await window.chats.dispose();
  });

  it("goes on with the tools that a message would have: servers are started first", async () => {
    const { plan } = planOf(0, toolFor("mcp"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan, { hasLateTools: true });
    chat.wake();
    approve(chat, window, idsOf(chat)[0] ?? "");
    await finished(chat);
    assert.deepEqual(givenTo(window, "main"), ["mcp ran"]);
    await window.chats.dispose();
  });

  it("is asked again where something else would run than what the user was shown", async () => {
    for (const changed of [{ version: "2" }, { folder: "/work/other" }, { command: "npm publish" }]) {
      const { plan } = planOf(1, toolFor("command"));
      const { id } = await cutOff(plan);
      const { window, chat } = await reopened(id, plan, { wanted: { command: changed } });
      const [card = ""] = idsOf(chat);
      approve(chat, window, card);
      await until(() => chat.host.approvals.length === 1);
      assert.notEqual(idsOf(chat)[0], card);
      assert.deepEqual(window.ran, []);
      approve(chat, window, idsOf(chat)[0] ?? "", { decision: "rejected" });
      await finished(chat);
      assert.deepEqual(window.ran, []);
      await window.chats.dispose();
    }
  });

  it("holds only for what the card showed, whatever a session says of it", async () => {
    const { plan } = planOf(0, toolFor("command"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    const [card = assert.fail()] = chat.host.approvals;
    await window.chats.dispose();
    const forged = openSessionStorage({ folder, onTrouble: assert.fail });
    const { writer } = await forged.open(id);
    const request = { kind: "command", text: "ls", detail: "in shop" } as const;
    const seq = chat.log.lastSeq + 1;
    writer?.append({ seq, host: { type: "approval_requested", approval: { ...card, request } } });
    await writer?.close();
    const again = await reopened(id, plan);
    assert.equal(again.chat.host.approvals[0]?.request?.text, "ls");
    approve(again.chat, again.window, card.id);
    await until(() => again.chat.host.approvals[0]?.request?.text === "npm test");
    assert.deepEqual(again.window.ran, []);
    await again.window.chats.dispose();
  });

  it("is withdrawn by a message, whose agent learns that the call did nothing", async () => {
    const { plan } = planOf(0, toolFor("command"), { name: "ask_user", args: { question: "Which?" } });
    const { id } = await cutOff(plan, { count: 2 });
    const { window, chat } = await reopened(id, { main: [...(plan.main ?? []), text("Never mind.")] });
    await chat.send(user("u2", "Something else"), "queue");
    assert.deepEqual(cards(chat), []);
    assert.deepEqual(window.ran, []);
    const results = window.requests[0]?.messages.filter(({ role }) => role === "toolResult").map(textOf) ?? [];
    assert.equal(results.length, 2);
    for (const result of results) assert.match(result, /waited for the user's answer.*It did nothing\./);
    await window.chats.dispose();
    const again = await reopened(id, plan);
    assert.deepEqual(cards(again.chat), []);
    await again.window.chats.dispose();
  });

  it("is withdrawn with the message that it came of", async () => {
    const { plan } = planOf(1, toolFor("command"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    await chat.rewindTo("u1");
    assert.deepEqual(cards(chat), []);
    await window.chats.dispose();
  });

  it("stays with its chat when that is closed and opened in the same window", async () => {
    const { plan } = planOf(2, toolFor("mcp"));
    const { id, shown } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    await window.chats.close(chat);
    const again = await window.chats.open(id);
    assert.deepEqual(cards(again), shown);
    approve(again, window, idsOf(again)[0] ?? "");
    await finished(again);
    await assertWhole(again, window, plan);
    await window.chats.dispose();
  });

  it("is not in a copy of the chat", async () => {
    const { plan } = planOf(1, toolFor("command"));
    const { id } = await cutOff(plan);
    const { window, chat } = await reopened(id, plan);
    const copy = await openSessionStorage({ folder, onTrouble: assert.fail }).fork(id);
    assert.deepEqual(cards(await window.chats.open(copy, { isCopy: true })), []);
    assert.equal(cards(chat).length, 1);
    await window.chats.dispose();
  });

  it("is not brought back where the call was in its midst: it may have done something", async () => {
    const { plan } = planOf(1, toolFor("mcp"));
    const options = { wanted: { mcp: { purpose: "sampling" } } };
    const { id } = await cutOff(plan, options);
    const { window, chat } = await reopened(id, plan, options);
    assert.deepEqual(cards(chat), []);
    await chat.retry();
    assert.match(givenTo(window, "one").join(), /^This call was interrupted before it gave a result/);
    assert.deepEqual(window.ran, []);
    await window.chats.dispose();
  });

  describe("of a budget", () => {
    /** The second request of the innermost agent is over the budget of all. */
    const noted = (depth: number) => planOf(depth, { name: "note" });

    for (const depth of [0, 2, 3]) {
      const budget = { turns: depth + 1 };

      it(`waits again, and extended the run goes on where it was, at depth ${depth}`, async () => {
        const { plan } = noted(depth);
        const { id, shown, requests, ran } = await cutOff(plan, { budget });
        assert.equal(requests, depth + 1);
        const { window, chat } = await reopened(id, plan, { budget });
        assert.deepEqual(cards(chat), shown);
        window.dispatch(chat, { type: "answerBudget", questionId: idsOf(chat)[0] ?? "", decision: "extend" });
        await finished(chat);
        await assertWhole(chat, window, plan);
        assert.equal(requests + window.requests.length, total(plan));
        assert.deepEqual([...ran, ...window.ran].length, 1);
        assert.deepEqual(cards(chat), []);
        await window.chats.dispose();
      });

      it(`stops the run where it was, at depth ${depth}`, async () => {
        const { plan } = noted(depth);
        const { id } = await cutOff(plan, { budget });
        const { window, chat } = await reopened(id, plan, { budget });
        window.dispatch(chat, { type: "answerBudget", questionId: idsOf(chat)[0] ?? "", decision: "stop" });
        await until(() => nodeOf(chat, "main").status !== "aborted" && !chat.isRunning);
        assert.equal(window.requests.length, 0);
        await window.chats.dispose();
      });
    }

    it("is asked again under the same id when the run is resumed, with what was used before", async () => {
      const { plan } = noted(1);
      const budget = { turns: 2 };
      const { id, shown } = await cutOff(plan, { budget });
      const { window, chat } = await reopened(id, plan, { budget });
      const [before] = chat.host.runs.questions;
      const resumed = chat.retry();
      await until(() => chat.isRunning && chat.host.runs.questions.length === 1);
      for (let turns = 0; turns < 20; turns++) await turn();
      assert.deepEqual(cards(chat), shown);
      assert.deepEqual(chat.host.runs.questions[0], before);
      assert.equal(window.requests.length, 0);
      window.dispatch(chat, { type: "answerBudget", questionId: idsOf(chat)[0] ?? "", decision: "extend" });
      await resumed;
      await assertWhole(chat, window, plan);
      await window.chats.dispose();
    });

    it("counts what was extended before", async () => {
      const plan: Plan = { main: [...Array.from({ length: 5 }, () => calls({ name: "note" })), text("main is done")] };
      const budget = { turns: 2 };
      const first = openWindow(plan, { budget });
      const begun = first.chats.create();
      void begun.send(user("u1", "Go"), "queue");
      await until(() => begun.host.runs.questions[0]?.allowed === 2);
      first.dispatch(begun, { type: "answerBudget", questionId: idsOf(begun)[0] ?? "", decision: "extend" });
      await until(() => begun.host.runs.questions[0]?.allowed === 4);
      await first.chats.dispose();
      const { window, chat } = await reopened(begun.id, plan, { budget });
      window.dispatch(chat, { type: "answerBudget", questionId: idsOf(chat)[0] ?? "", decision: "extend" });
      await finished(chat);
      assert.equal(window.requests.length, 2, "of six allowed, four were used");
      await assertWhole(chat, window, plan);
      await window.chats.dispose();
    });

    it("is forgotten with a new message, whose run has its whole budget", async () => {
      const { plan } = noted(0);
      const budget = { turns: 1 };
      const { id } = await cutOff(plan, { budget });
      const { window, chat } = await reopened(id, plan, { budget });
      await chat.send(user("u2", "Something else"), "queue");
      assert.equal(window.requests.length, 1);
      assert.deepEqual(cards(chat), []);
      await window.chats.dispose();
    });
  });
});
