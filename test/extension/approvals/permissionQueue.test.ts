import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { LeftDecisions } from "../../../src/extension/approvals/leftDecisions.ts";
import type { CommandPermission } from "../../../src/extension/approvals/permission.ts";
import {
  leftApproval,
  type PermissionDecision,
  PermissionQueue,
} from "../../../src/extension/approvals/permissionQueue.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";

const agent = (id: string, parentId?: string): AgentMeta => ({
  ...{ id, name: id, prefix: id, depth: parentId === undefined ? 0 : 1 },
  ...(parentId === undefined ? {} : { parentId }),
});

function chatOf(id: string, events: HostEvent[]) {
  const emit = (event: HostEvent) => void events.push(event);
  let ids = 0;
  return { id, emit, grants: new ChatGrants({ emit, newId: () => `grant-${++ids}` }) };
}

function arrange() {
  let ids = 0;
  const queue = new PermissionQueue({
    newId: () => `question-${++ids}`,
    agentPath: (id) => (id === "main" ? ["main"] : ["main", id]),
    lineage: (id) => (id === "main" ? ["main"] : id === "grandchild" ? ["main", "one", id] : ["main", id]),
  });
  const events: HostEvent[] = [];
  const chat = chatOf("chat-1", events);
  const ask = queue.askFor(chat);
  const run = (from: AgentMeta, changes: Partial<CommandPermission> = {}, signal = new AbortController().signal) => {
    const request = {
      kind: "command",
      command: "npm test",
      cwd: "shop",
      folder: "/work/shop",
      toolName: "run_command",
      callId: "call-1",
    } as const;
    return ask({ ...request, agent: from, ...changes }, signal);
  };
  const open = () => events.reduce(reduceHost, emptyHostState()).approvals;
  return { queue, events, ask, run, open, chat };
}

describe("the queue of permissions", () => {
  it("shows what would run, for whom and where, and waits", () => {
    const { run, open } = arrange();
    void run(agent("edit", "main"));
    const [{ requestKey, ...shown } = assert.fail()] = open();
    assert.match(requestKey ?? "", /^[\w-]{43}$/);
    assert.deepEqual(
      [shown],
      [
        {
          ...{
            id: "question-1",
            agentId: "edit",
            agentPath: ["main", "edit"],
            callId: "call-1",
            toolName: "run_command",
          },
          files: [],
          request: { kind: "command", text: "npm test", detail: "in shop" },
          scopes: [{ scope: "agent" }, { scope: "session" }],
        },
      ],
    );
  });

  it("39 shows all of a command, with all that could hide a part of it written out", () => {
    const { run, open } = arrange();
    const padding = `${" ".repeat(2_000)}${"\n".repeat(200)}`;
    const command = `# only lists files\n\tls\u200b \u001b[8m\u202e\u{e0041}\r${padding}rm -rf x`;
    void run(agent("edit", "main"), { command });
    const written = "# only lists files\n⟨U+0009⟩ls⟨U+200B⟩ ⟨U+001B⟩[8m⟨U+202E⟩⟨U+E0041⟩⟨U+000D⟩";
    assert.equal(open()[0]?.request?.text, `${written}${padding}rm -rf x`);
  });

  it("answers with yes", async () => {
    const { queue, run, open, events } = arrange();
    const answer = run(agent("main"));
    queue.decide("question-1", "accepted");
    assert.deepEqual(await answer, { allowed: true });
    assert.deepEqual(open(), []);
    assert.deepEqual(events.at(-1), { type: "approval_closed", approvalId: "question-1", outcome: "accepted" });
  });

  it("answers with the command that the user wrote, and allows nothing else by it", async () => {
    const { queue, run, open } = arrange();
    const answer = run(agent("main"), { mayEdit: true });
    assert.equal(open()[0]?.request?.mayEdit, true);
    queue.decide("question-1", "accepted", { command: "npm run lint", scope: "session" });
    assert.deepEqual(await answer, { allowed: true, command: "npm run lint" });
    void run(agent("main"));
    assert.equal(open().length, 1, "it is asked for again");
  });

  it("runs nothing where another command is sent than one that may be changed", async () => {
    const { queue, run, open } = arrange();
    for (const [id, request] of [
      ["question-1", {}],
      // What is written out can't be edited as it is.
      ["question-2", { command: "npm\u200b test", mayEdit: true }],
    ] as const) {
      const answer = run(agent("main"), request);
      assert.equal(open()[0]?.request?.mayEdit, undefined);
      queue.decide(id, "accepted", { command: "npm run lint" });
      assert.deepEqual(await answer, { allowed: false });
    }
  });

  it("asks nothing about a command that the user wrote, unless a rule forbids it", async () => {
    const rule = "run_command(git push *)";
    const judged = (verdict: "ask" | "deny") =>
      new PermissionQueue({
        ...{ newId: () => "question", agentPath: () => ["main"], lineage: () => ["main"] },
        rules: {
          ...{ offer: async () => [], add: async () => {} },
          judge: async () => ({ verdict, rule, reason: "It is named." }),
        },
      });
    const request: CommandPermission = {
      ...{ kind: "command", command: "git push", cwd: "shop", folder: "/work/shop", toolName: "run_command" },
      ...{ callId: "call-1", agent: agent("main"), isEdited: true },
    };
    const { signal } = new AbortController();
    const answerOf = (verdict: "ask" | "deny") => judged(verdict).askFor(chatOf("chat-1", []))(request, signal);
    assert.deepEqual(await answerOf("ask"), { allowed: true });
    assert.deepEqual(await answerOf("deny"), { allowed: false, reason: "It is named.", isRule: true });
  });

  for (const [what, rule, isOffered] of [
    ["can be seen whole", "run_command(npm test)", true],
    ["has a character in it that can't be seen", "run_command(npm\u200b test)", false],
    ["has a second line", "run_command(npm test\n)", false],
  ] as const) {
    it(`${isOffered ? "offers" : "does not offer"} to write a rule that ${what}`, async () => {
      const queue = new PermissionQueue({
        ...{ newId: () => "question", agentPath: () => ["main"], lineage: () => ["main"] },
        rules: { judge: async () => undefined, offer: async () => [rule], add: async () => {} },
      });
      const events: HostEvent[] = [];
      void queue.askFor(chatOf("chat-1", events))(
        {
          ...{ kind: "command", command: "npm test", cwd: "shop", folder: "/work/shop", toolName: "run_command" },
          ...{ callId: "call-1", agent: agent("main") },
        },
        new AbortController().signal,
      );
      while (events.length === 0) await Promise.resolve();
      const [shown] = events.reduce(reduceHost, emptyHostState()).approvals;
      const byRule = shown?.scopes?.filter(({ scope }) => scope === "rule");
      assert.deepEqual(byRule, isOffered ? [{ scope: "rule", pattern: rule }] : []);
    });
  }

  it("loses no answer that comes while the rules are asked about what had waited before a reload", async () => {
    const { run, open } = arrange();
    void run(agent("main"));
    const [approval = assert.fail()] = open();
    const judged = Promise.withResolvers<undefined>();
    const queue = new PermissionQueue({
      ...{ newId: () => "new", agentPath: () => ["main"], lineage: () => ["main"] },
      rules: { judge: () => judged.promise, offer: async () => [], add: async () => {} },
    });
    const events: HostEvent[] = [];
    const left = { approvals: new LeftDecisions<PermissionDecision>([leftApproval(approval) ?? assert.fail()]) };
    const answer = queue.askFor({ ...chatOf("chat-1", events), left })(
      {
        ...{ kind: "command", command: "npm test", cwd: "shop", folder: "/work/shop", toolName: "run_command" },
        ...{ callId: "call-1", agent: agent("main") },
      },
      new AbortController().signal,
    );
    assert.equal(left.approvals.answer(approval.id, { decision: "rejected", reason: "Not now." }), true);
    judged.resolve(undefined);
    assert.deepEqual(await answer, { allowed: false, reason: "Not now." });
    assert.deepEqual(events, []);
  });

  it("answers with no and the user's words", async () => {
    const { queue, run } = arrange();
    const answer = run(agent("main"));
    queue.decide("question-1", "rejected", { reason: "too slow" });
    assert.deepEqual(await answer, { allowed: false, reason: "too slow" });
  });

  it("takes only the first answer to a question", async () => {
    const { queue, run, events } = arrange();
    const answer = run(agent("main"));
    queue.decide("question-1", "rejected");
    queue.decide("question-1", "accepted");
    queue.decide("question-2", "accepted");
    assert.deepEqual(await answer, { allowed: false });
    assert.equal(events.length, 2);
    assert.equal(queue.has("question-1"), false);
  });

  it("gives no answer that came for a question that is closed to the one that took its place", async () => {
    const { queue, run, open } = arrange();
    const stop = new AbortController();
    const withdrawn = run(agent("main"), {}, stop.signal);
    const next = run(agent("main"), { command: "rm -rf build" });
    stop.abort();
    assert.deepEqual(await withdrawn, { allowed: false });
    for (const late of ["question-1", "", "question-9"]) queue.decide(late, "accepted", { scope: "session" });
    assert.deepEqual(
      open().map(({ id }) => id),
      ["question-2"],
    );
    queue.decide("question-2", "rejected");
    assert.deepEqual(await next, { allowed: false });
  });

  it("withdraws the question when its asker is stopped: nothing is allowed", async () => {
    const { run, open, events } = arrange();
    const stop = new AbortController();
    const answer = run(agent("main"), {}, stop.signal);
    stop.abort();
    assert.deepEqual(await answer, { allowed: false });
    assert.deepEqual(open(), []);
    assert.deepEqual(events.at(-1), { type: "approval_closed", approvalId: "question-1", outcome: "canceled" });
  });

  it("does not ask for one who is stopped already", async () => {
    const { run, events } = arrange();
    assert.deepEqual(await run(agent("main"), {}, AbortSignal.abort()), { allowed: false });
    assert.deepEqual(events, []);
  });

  it("asks once for the same command of siblings, names them all, and answers them all", async () => {
    const { queue, run, open } = arrange();
    const answers = [run(agent("one", "main")), run(agent("two", "main"))];
    assert.equal(open().length, 1);
    assert.deepEqual(open()[0]?.agentPath, ["main", "one"]);
    assert.deepEqual(open()[0]?.others, [{ agentId: "two", agentPath: ["main", "two"], callId: "call-1" }]);
    assert.equal(open()[0]?.request?.detail, "in shop");
    queue.decide("question-1", "accepted");
    assert.deepEqual(await Promise.all(answers), [{ allowed: true }, { allowed: true }]);
  });

  it("keeps the question for the sibling that still waits", async () => {
    const { queue, run, open } = arrange();
    const stop = new AbortController();
    const first = run(agent("one", "main"), {}, stop.signal);
    const second = run(agent("two", "main"));
    stop.abort();
    assert.deepEqual(await first, { allowed: false });
    assert.deepEqual(open()[0]?.agentPath, ["main", "two"]);
    assert.equal(open()[0]?.others, undefined);
    queue.decide("question-1", "accepted");
    assert.deepEqual(await second, { allowed: true });
  });

  const others: [what: string, from: AgentMeta, changes: Partial<CommandPermission>][] = [
    ["another command", agent("two", "main"), { command: "npm test " }],
    ["another folder", agent("two", "main"), { cwd: "shop/src", folder: "/work/shop/src" }],
    ["the same in the background", agent("two", "main"), { background: true }],
    ["the parent", agent("main"), {}],
    ["a cousin", agent("two", "other"), {}],
  ];
  for (const [what, from, changes] of others) {
    it(`asks again for ${what}`, () => {
      const { run, open } = arrange();
      void run(agent("one", "main"));
      void run(from, changes);
      assert.equal(open().length, 2);
    });
  }

  it("keeps the questions of two chats apart", () => {
    const { queue, run, open } = arrange();
    const elsewhere: HostEvent[] = [];
    void run(agent("one", "main"));
    const request = {
      kind: "command",
      command: "npm test",
      cwd: "shop",
      folder: "/work/shop",
      toolName: "run_command",
      callId: "c",
    } as const;
    void queue.askFor(chatOf("chat-2", elsewhere))(
      { ...request, agent: agent("two", "main") },
      new AbortController().signal,
    );
    assert.equal(open().length, 1);
    assert.equal(elsewhere.length, 1);
  });

  it("says that a host is private and what is odd about an address", () => {
    const { ask, open } = arrange();
    const request = {
      kind: "fetch",
      url: "http://10.0.0.1/a",
      host: "10.0.0.1",
      toolName: "fetch_url",
      callId: "c",
    } as const;
    const odd = { ...request, isPrivate: true, concerns: ["It is odd."], agent: agent("main") };
    void ask(odd, new AbortController().signal);
    assert.deepEqual(open()[0]?.request, {
      kind: "fetch",
      text: "http://10.0.0.1/a",
      detail: "from 10.0.0.1, which is this machine or in a network of its own\nIt is odd.",
    });
    assert.equal(open()[0]?.scopes, undefined);
  });

  describe("answered for more than once", () => {
    it("asks no more for the same command in the chat, and says what let it through", async () => {
      const { queue, run, events } = arrange();
      const first = run(agent("one", "main"));
      queue.decide("question-1", "accepted", { scope: "session" });
      assert.deepEqual(await first, { allowed: true });
      assert.deepEqual(await run(agent("two", "main"), { callId: "call-2" }), { allowed: true });
      const grant = { id: "grant-1", kind: "command", scope: "session", text: "npm test", folder: "shop" };
      assert.deepEqual(events.slice(1), [
        { type: "grants_changed", grants: [grant] },
        { type: "approval_closed", approvalId: "question-1", outcome: "accepted" },
        { type: "call_allowed", callId: "call-2", grant },
      ]);
    });

    it("asks again in another folder, though it is shown by the same name", async () => {
      const { queue, run, open } = arrange();
      const root = { cwd: "app", folder: "/work/app" };
      const first = run(agent("main"), root);
      queue.decide("question-1", "accepted", { scope: "session" });
      assert.deepEqual(await first, { allowed: true });
      assert.deepEqual(await run(agent("main"), root), { allowed: true });
      void run(agent("main"), { cwd: "app", folder: "/work/app/app" });
      assert.equal(open().length, 1);
    });

    it("fetches by http only what was allowed by http", async () => {
      const { queue, ask, open, events } = arrange();
      const fetching = (url: string) =>
        ask(
          {
            ...{ kind: "fetch", url, host: new URL(url).host, toolName: "fetch_url", callId: url },
            ...{ agent: agent("main"), isPrivate: false, concerns: [] },
          },
          new AbortController().signal,
        );
      const first = fetching("https://example.com/a");
      queue.decide("question-1", "accepted", { scope: "session" });
      assert.deepEqual(await first, { allowed: true });
      assert.deepEqual(await fetching("https://example.com/b"), { allowed: true });
      void fetching("http://example.com/a");
      assert.equal(open().length, 1);
      queue.decide(open()[0]?.id ?? "", "accepted", { scope: "session" });
      const grants = events.flatMap((event) => (event.type === "grants_changed" ? [event.grants] : [])).at(-1);
      assert.deepEqual(
        grants?.map(({ text }) => text),
        ["example.com", "http://example.com"],
      );
    });

    it("lets through what else waits for the same, and nothing more", async () => {
      const { queue, run, open } = arrange();
      const first = run(agent("one", "main"));
      const root = run(agent("main"));
      void run(agent("main"), { command: "npm run build" });
      queue.decide("question-1", "accepted", { scope: "session" });
      assert.deepEqual(await Promise.all([first, root]), [{ allowed: true }, { allowed: true }]);
      assert.deepEqual(
        open().map(({ request }) => request?.text),
        ["npm run build"],
      );
    });

    it("holds for the agent and what it spawned, not for its siblings", async () => {
      const { queue, run, open } = arrange();
      void run(agent("one", "main"));
      queue.decide("question-1", "accepted", { scope: "agent" });
      assert.deepEqual(await run(agent("one", "main")), { allowed: true });
      assert.deepEqual(await run(agent("grandchild", "one")), { allowed: true });
      void run(agent("two", "main"));
      void run(agent("main"));
      assert.equal(open().length, 2);
    });

    it("holds for all the agents that asked, when it is given to agents", async () => {
      const { queue, run, open, events } = arrange();
      void run(agent("one", "main"));
      void run(agent("two", "main"));
      queue.decide("question-1", "accepted", { scope: "agent" });
      assert.deepEqual(await run(agent("one", "main")), { allowed: true });
      assert.deepEqual(await run(agent("two", "main")), { allowed: true });
      void run(agent("three", "main"));
      assert.equal(open().length, 1);
      const granted = events.findLast((event) => event.type === "grants_changed");
      assert.deepEqual(granted?.type === "grants_changed" && granted.grants.map(({ agentPath }) => agentPath), [
        ["main", "one"],
        ["main", "two"],
      ]);
    });

    it("is one grant for several who asked, when it is given to the session", () => {
      const { queue, run, events } = arrange();
      void run(agent("one", "main"));
      void run(agent("two", "main"));
      queue.decide("question-1", "accepted", { scope: "session" });
      const granted = events.findLast((event) => event.type === "grants_changed");
      assert.equal(granted?.type === "grants_changed" && granted.grants.length, 1);
    });

    it("asks again once the grant is removed", async () => {
      const { queue, run, open, chat, events } = arrange();
      void run(agent("main"));
      queue.decide("question-1", "accepted", { scope: "session" });
      chat.grants.remove("grant-1");
      void run(agent("main"));
      assert.equal(open().length, 1);
      assert.deepEqual(
        events.findLast((event) => event.type === "grants_changed"),
        {
          type: "grants_changed",
          grants: [],
        },
      );
    });

    it("means this once where the scope was not on offer", () => {
      const { queue, run, open } = arrange();
      void run(agent("main"));
      queue.decide("question-1", "accepted", { scope: "pattern" });
      void run(agent("main"));
      assert.equal(open().length, 1);
    });

    it("grants nothing with a rejection", () => {
      const { queue, run, open } = arrange();
      void run(agent("main"));
      queue.decide("question-1", "rejected", { scope: "session" });
      void run(agent("main"));
      assert.equal(open().length, 1);
    });
  });
});
