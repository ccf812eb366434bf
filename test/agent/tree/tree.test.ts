import assert from "node:assert/strict";
import fc from "fast-check";
import { type AgentTree, emptyTree, foldTree, reduceTree } from "../../../src/agent/tree.ts";
import type { AgentEvent, AgentMeta, EventBody } from "../../../src/agent/vocabulary/events.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { emptyUsage, type Usage } from "../../../src/agent/vocabulary/usage.ts";
import { assistant, childMeta, eventSource, rootMeta, textDelta, user } from "../../support/events.ts";
import { calling, toolCall } from "../../support/messages.ts";

const spent = (input: number): Usage => ({ ...emptyUsage(), input, cost: input });

/** Folds events of the root, or of the agents named beside them, deeply frozen: the fold may change nothing. */
function fold(...bodies: (EventBody | [AgentMeta, EventBody])[]): AgentTree {
  return foldFrom(emptyTree(), eventSource(), bodies);
}

function foldFrom(
  tree: AgentTree,
  next: ReturnType<typeof eventSource>,
  bodies: (EventBody | [AgentMeta, EventBody])[],
): AgentTree {
  const events = bodies.map((body) => (Array.isArray(body) ? next(...body) : next(rootMeta, body)));
  return events.reduce((folded, event) => reduceTree(frozen(folded), frozen(event)), tree);
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const end = (reason: "done" | "error" | "aborted" | "limit"): EventBody => ({
  type: "agent_end",
  reason,
  messages: [],
  usage: emptyUsage(),
});
const usage = (delta: number, own: number, total: number): EventBody => ({
  type: "usage",
  delta: spent(delta),
  own: spent(own),
  total: spent(total),
  contextTokens: 500,
  contextPercent: 50,
});

describe("reduceTree", () => {
  it("puts a child below its parent and an agent without one among the roots", () => {
    const tree = fold({ type: "agent_start" }, [childMeta, { type: "agent_start" }]);
    assert.deepEqual(tree.roots, ["root"]);
    assert.deepEqual(tree.nodes.root?.children, ["child"]);
    assert.equal(tree.nodes.child?.meta.toolCallId, "call");
  });

  for (const name of ["constructor", "__proto__", "toString"]) {
    it(`takes "${name}" for the id of a call or of an agent like any other`, () => {
      const started: EventBody = { type: "tool_execution_start", callId: name, toolName: "read_file", args: {} };
      const settled = { callId: name, toolName: "read_file", result: { content: "x" }, isError: false, durationMs: 1 };
      const other: AgentMeta = { ...childMeta, id: name };
      const unheard = fold({ type: "agent_start" }, { type: "tool_execution_end", ...settled });
      assert.deepEqual(Object.keys(unheard.nodes.root?.tools ?? {}), []);
      const tree = fold(
        { type: "agent_start" },
        started,
        { type: "tool_execution_end", ...settled },
        [other, { type: "agent_start" }],
        { type: "agent_exit", child: other },
      );
      assert.deepEqual(tree.nodes.root?.children, [name]);
      const node = Object.entries(tree.nodes).find(([id]) => id === name)?.[1];
      assert.equal(node?.status, "aborted");
      const tool = Object.entries(tree.nodes.root?.tools ?? {}).find(([callId]) => callId === name)?.[1];
      assert.equal(tool?.status, "done");
      assert.equal(tool?.toolName, "read_file");
    });
  }

  it("shows an agent whose parent never appeared as a root", () => {
    assert.deepEqual(fold([childMeta, { type: "agent_start" }]).roots, ["child"]);
  });

  it("follows a run from its start to how it ended", () => {
    const statuses = (["done", "error", "aborted", "limit"] as const).map(
      (reason) => fold({ type: "agent_start" }, end(reason)).nodes.root?.status,
    );
    assert.equal(fold({ type: "agent_start" }).nodes.root?.status, "running");
    assert.deepEqual(statuses, ["done", "error", "aborted", "limit"]);
  });

  it("keeps the error of a run until the next one starts", () => {
    const error = { code: "provider" as const, message: "no" };
    const failed = { ...end("error"), error } as EventBody;
    assert.deepEqual(fold({ type: "agent_start" }, failed).nodes.root?.error, error);
    assert.equal(fold({ type: "agent_start" }, failed, { type: "agent_start" }).nodes.root?.error, undefined);
  });

  it("keeps what it knows of a child's creation when a later run does not repeat it", () => {
    const { toolCallId: _toolCallId, ...later } = childMeta;
    const tree = fold({ type: "agent_start" }, [childMeta, { type: "agent_start" }], [later, { type: "agent_start" }]);
    assert.equal(tree.nodes.child?.meta.toolCallId, "call");
  });

  it("grows the streamed message as the last of the messages, text and thinking alike", () => {
    const tree = fold(
      { type: "message_start", message: user("u", "hi") },
      { type: "message_start", message: assistant("a", "") },
      { type: "message_update", messageId: "a", delta: { type: "thinking_start", index: 0 } },
      { type: "message_update", messageId: "a", delta: { type: "thinking_delta", index: 0, delta: "h" } },
      { type: "message_update", messageId: "a", delta: { type: "thinking_delta", index: 0, delta: "m" } },
      { type: "message_update", messageId: "a", delta: { type: "text_start", index: 1 } },
      { type: "message_update", messageId: "a", delta: { type: "text_delta", index: 1, delta: "ye" } },
      { type: "message_update", messageId: "a", delta: { type: "text_delta", index: 1, delta: "s" } },
    );
    const last = tree.nodes.root?.messages.at(-1);
    assert.ok(last?.role === "assistant");
    assert.deepEqual(last.content, [
      { type: "thinking", text: "hm" },
      { type: "text", text: "yes" },
    ]);
  });

  it("shows the raw text of a call's arguments until the call is complete", () => {
    const start: EventBody[] = [
      { type: "message_start", message: assistant("a", "") },
      {
        type: "message_update",
        messageId: "a",
        delta: { type: "toolcall_start", index: 0, callId: "1", toolName: "read" },
      },
      { type: "message_update", messageId: "a", delta: { type: "toolcall_delta", index: 0, delta: '{"pa' } },
      { type: "message_update", messageId: "a", delta: { type: "toolcall_delta", index: 0, delta: 'th":1}' } },
    ];
    const call = toolCall("1", "read", { path: 1 });
    const complete: EventBody = {
      type: "message_update",
      messageId: "a",
      delta: { type: "toolcall_end", index: 0, call },
    };
    const parts = (tree: AgentTree) => {
      const message = tree.nodes.root?.messages[0];
      return message?.role === "assistant" ? message.content : [];
    };
    assert.deepEqual(parts(fold(...start)), [{ ...call, arguments: '{"path":1}' }]);
    assert.deepEqual(parts(fold(...start, complete)), [call]);
  });

  it("takes the finished message for the streamed one", () => {
    const tree = fold({ type: "message_start", message: assistant("a", "") }, textDelta("a", "ye"), {
      type: "message_end",
      message: assistant("a", "yes"),
    });
    assert.deepEqual(tree.nodes.root?.messages.map(textOf), ["yes"]);
  });

  it("keeps a turn that was cut off beside the one that replaced it", () => {
    const cut = { ...assistant("a", "ye"), stopReason: "error" as const };
    const tree = fold(
      { type: "message_start", message: assistant("a", "") },
      { type: "message_end", message: cut },
      { type: "retry", attempt: 1, delayMs: 0, error: "cut" },
      { type: "message_start", message: assistant("b", "") },
      { type: "message_end", message: assistant("b", "yes") },
    );
    assert.deepEqual(tree.nodes.root?.messages.map(textOf), ["ye", "yes"]);
  });

  it("knows of a request that waits until something of an answer comes, or the run ends", () => {
    const started: EventBody = { type: "message_start", message: assistant("a", "") };
    const waits: EventBody = { type: "retry", attempt: 2, delayMs: 30_000, error: "Slow down." };
    const retryOf = (...events: EventBody[]) => fold(started, waits, ...events).nodes.root?.retry;
    const { attempt, until, error } = retryOf() ?? {};
    assert.deepEqual([attempt, error], [2, "Slow down."]);
    const startedAt = fold(started).nodes.root?.startedAt ?? 0;
    assert.ok(until !== undefined && until >= startedAt + 30_000);
    assert.equal(retryOf(textDelta("a", "ye")), undefined);
    assert.equal(retryOf({ type: "message_end", message: assistant("a", "yes") }), undefined);
    assert.equal(retryOf({ type: "agent_end", reason: "aborted", messages: [], usage: emptyUsage() }), undefined);
  });

  it("collects a tool's live output, its result and its duration", () => {
    const start: EventBody = {
      type: "tool_execution_start",
      callId: "1",
      toolName: "run",
      label: "Run",
      args: { a: 1 },
    };
    const running = fold(
      start,
      { type: "tool_execution_update", callId: "1", toolName: "run", output: "one " },
      { type: "tool_execution_update", callId: "1", toolName: "run", output: "two", partial: { content: "half" } },
    );
    assert.deepEqual(running.nodes.root?.tools["1"], {
      callId: "1",
      toolName: "run",
      label: "Run",
      args: { a: 1 },
      status: "running",
      output: "one two",
      result: { content: "half" },
    });
    const ended = (isError: boolean): EventBody => ({
      type: "tool_execution_end",
      callId: "1",
      toolName: "run",
      result: { content: "all" },
      isError,
      durationMs: 5,
    });
    const { status, result, durationMs } = fold(start, ended(false)).nodes.root?.tools["1"] ?? {};
    assert.deepEqual([status, result, durationMs], ["done", { content: "all" }, 5]);
    assert.equal(fold(start, ended(true)).nodes.root?.tools["1"]?.status, "error");
  });

  it("A38: adds what a descendant spent to the totals of its ancestors, and only to those", () => {
    const grandchild: AgentMeta = { ...childMeta, id: "grandchild", depth: 2, parentId: "child" };
    const tree = fold(
      { type: "agent_start" },
      usage(10, 10, 10),
      [childMeta, { type: "agent_start" }],
      [grandchild, { type: "agent_start" }],
      [grandchild, usage(7, 7, 7)],
      [childMeta, usage(5, 5, 12)],
    );
    const inputs = (id: string) => [tree.nodes[id]?.own.input, tree.nodes[id]?.total.input];
    assert.deepEqual(
      [inputs("root"), inputs("child"), inputs("grandchild")],
      [
        [10, 22],
        [5, 12],
        [7, 7],
      ],
    );
  });

  it("counts what a descendant spent once when the ancestor reports its own total", () => {
    const tree = fold(
      { type: "agent_start" },
      [childMeta, { type: "agent_start" }],
      [childMeta, usage(7, 7, 7)],
      usage(10, 10, 17),
    );
    assert.equal(tree.nodes.root?.total.input, 17);
  });

  it("keeps the gauge of the latest request", () => {
    const node = fold({ type: "agent_start" }, usage(10, 10, 10)).nodes.root;
    assert.deepEqual([node?.contextTokens, node?.contextPercent], [500, 50]);
  });

  it("takes over a transcript that changed outside a run, with the calls that are still in it", () => {
    const message = calling("a", toolCall("kept"));
    const started = (callId: string): EventBody => ({ type: "tool_execution_start", callId, toolName: "t", args: {} });
    const transcript: EventBody = {
      type: "transcript",
      messages: [user("u", "hi"), message],
      own: spent(3),
      total: spent(4),
      reason: "rewind",
    };
    const node = fold(started("kept"), started("gone"), transcript).nodes.root;
    assert.deepEqual(node?.messages, [user("u", "hi"), message]);
    assert.deepEqual([node?.own.input, node?.total.input], [3, 4]);
    assert.deepEqual(Object.keys(node?.tools ?? {}), ["kept"]);
  });

  it("does not show an agent as running that was only given messages", () => {
    const transcript: EventBody = { type: "transcript", messages: [], own: spent(0), total: spent(0), reason: "added" };
    assert.equal(fold(transcript).nodes.root?.status, "done");
  });

  it("shows a spawned worker below its spawner, and its exit", () => {
    const worker: AgentMeta = { id: "w", prefix: "", depth: 0 };
    const spawned = fold({ type: "agent_start" }, { type: "agent_spawned", child: worker });
    assert.deepEqual(spawned.nodes.root?.children, ["w"]);
    assert.equal(spawned.nodes.w?.status, "done");
    const next = eventSource();
    const exited = foldFrom(emptyTree(), next, [
      { type: "agent_start" },
      { type: "agent_spawned", child: worker },
      [worker, { type: "agent_start" }],
      { type: "agent_exit", child: worker, reason: "crashed" },
    ]);
    assert.equal(exited.nodes.w?.status, "aborted");
  });

  it("ignores an event whose number is not above the last one", () => {
    const next = eventSource();
    const first = next(rootMeta, { type: "agent_start" });
    const tree = reduceTree(emptyTree(), first);
    assert.equal(reduceTree(tree, first), tree);
    assert.equal(reduceTree(tree, { ...next(rootMeta, end("done")), seq: first.seq }), tree);
  });

  it("is left unchanged by an event it does not know", () => {
    const tree = fold({ type: "agent_start" });
    // A later version may write events that this one does not know.
    const unknown = {
      ...eventSource()(rootMeta, { type: "agent_start" }),
      type: "telepathy",
      seq: 9,
    } as unknown as AgentEvent;
    assert.equal(reduceTree(tree, unknown), tree);
  });

  it("copies nothing that an event does not touch", () => {
    const next = eventSource();
    const before = foldFrom(emptyTree(), next, [
      { type: "message_start", message: user("u", "hi") },
      { type: "message_start", message: assistant("a", "") },
      [childMeta, { type: "agent_start" }],
    ]);
    const after = reduceTree(before, next(rootMeta, textDelta("a", "x")));
    assert.equal(after.nodes.child, before.nodes.child);
    assert.equal(after.nodes.root?.messages[0], before.nodes.root?.messages[0]);
    assert.equal(after.nodes.root?.tools, before.nodes.root?.tools);
    assert.equal(after.roots, before.roots);
  });

  it("gives the same tree however often the events are replayed from the start", () => {
    const body = fc.oneof(
      fc.constant<EventBody>({ type: "agent_start" }),
      fc.string().map((delta): EventBody => textDelta("a", delta)),
      fc.constant<EventBody>({ type: "message_start", message: assistant("a", "") }),
      fc.nat(9).map((tokens): EventBody => usage(tokens, tokens, tokens)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(rootMeta, childMeta), body)), (pairs) => {
        const next = eventSource();
        const events = pairs.map(([agent, event]) => next(agent, event));
        const once = events.reduce(reduceTree, emptyTree());
        assert.deepEqual([...events, ...events].reduce(reduceTree, emptyTree()), once);
      }),
    );
  });
});

describe("a log that says that agents spawned themselves or each other", () => {
  it("is folded all the same, and each spends once", () => {
    const own = { ...childMeta, id: "own", parentId: "own" };
    const [one, two] = [
      { ...childMeta, id: "one", parentId: "two" },
      { ...childMeta, id: "two", parentId: "one" },
    ];
    const { nodes, roots } = fold(
      ...[own, one, two].map((meta): [AgentMeta, EventBody] => [meta, { type: "agent_start" }]),
      ...[own, one, two].map((meta): [AgentMeta, EventBody] => [meta, usage(10, 10, 10)]),
    );
    assert.deepEqual(roots, ["own", "one"]);
    assert.equal(nodes.own?.total.input, 10);
  });
});

describe("foldTree", () => {
  const spawnedMeta: AgentMeta = { ...childMeta, id: "worker", parentId: "child" };
  const call = fc.constantFrom("one", "two", "__proto__", "constructor");
  const message = fc.constantFrom("a", "b", "c");
  const body = fc.oneof(
    fc.constant<EventBody>({ type: "agent_start" }),
    fc.constantFrom("done" as const, "error" as const, "limit" as const).map(end),
    message.map((id): EventBody => ({ type: "message_start", message: assistant(id, "") })),
    message.map((id): EventBody => textDelta(id, "more")),
    message.map((id): EventBody => ({ type: "message_end", message: assistant(id, "whole") })),
    fc.nat(9).map((tokens): EventBody => usage(tokens, tokens, tokens)),
    call.map((callId): EventBody => ({ type: "tool_execution_start", callId, toolName: "read_file", args: {} })),
    call.map((callId): EventBody => ({ type: "tool_execution_update", callId, toolName: "read_file", output: "x" })),
    call.map((callId): EventBody => {
      const settled = { callId, toolName: "read_file", result: { content: "x" }, isError: false, durationMs: 1 };
      return { type: "tool_execution_end", ...settled };
    }),
    fc.constant<EventBody>({
      type: "transcript",
      reason: "added",
      messages: [user("b", "hello")],
      own: emptyUsage(),
      total: emptyUsage(),
    }),
    fc.constant<EventBody>({ type: "agent_spawned", child: spawnedMeta }),
    fc.constant<EventBody>({ type: "agent_exit", child: spawnedMeta, reason: "done" }),
  );
  const story = fc.array(fc.tuple(fc.constantFrom(rootMeta, childMeta, spawnedMeta), body), { maxLength: 60 });

  it("gives the tree that one event after the other gives, and leaves events and the tree before as they were", () => {
    fc.assert(
      fc.property(story, fc.nat(60), (pairs, cut) => {
        const next = eventSource();
        const events = pairs.map(([agent, event]) => frozen(next(agent, event)));
        const before = frozen(events.slice(0, cut).reduce(reduceTree, emptyTree()));
        const after = foldTree(before, events.slice(cut));
        assert.deepEqual(after, events.reduce(reduceTree, emptyTree()));
        assert.deepEqual(Object.keys(after.nodes), Object.keys(events.reduce(reduceTree, emptyTree()).nodes));
      }),
    );
  });

  it("keeps the identity of what no event touched", () => {
    const before = fold({ type: "agent_start" }, [childMeta, { type: "agent_start" }]);
    const next = eventSource();
    for (let skipped = 0; skipped < 10; skipped++) next(rootMeta, { type: "agent_start" });
    const after = foldTree(before, [next(rootMeta, { type: "message_start", message: user("u", "hello") })]);
    assert.equal(after.nodes.child, before.nodes.child);
    assert.notEqual(after.nodes.root, before.nodes.root);
  });

  const messagesOfALongLog = 2_000;

  /** Ends, as a log has them that says nothing twice, some of which come again; with how often their ids are read. */
  function longLog(): { events: AgentEvent[]; looks(): number } {
    let looks = 0;
    const next = eventSource();
    const ended = (id: string, text: string) => {
      const message = { ...user(id, text) };
      const get = () => {
        looks++;
        return id;
      };
      Object.defineProperty(message, "id", { enumerable: true, get });
      return next(rootMeta, { type: "message_end", message });
    };
    const events = Array.from({ length: messagesOfALongLog }, (_, index) => [
      ended(`${index}`, "first"),
      ...(index % 3 === 0 ? [ended(`${index >> 1}`, "again")] : []),
    ]).flat();
    looks = 0;
    return { events, looks: () => looks };
  }

  it("finds messages in a long log without looking through all those before them", () => {
    const { events, looks } = longLog();
    foldTree(emptyTree(), events);
    assert.ok(looks() < 20 * events.length, `${looks()} looks for ${events.length} messages`);
  });

  it("gives the same tree of a long log as one event after the other", () => {
    const { events } = longLog();
    const ids = (tree: AgentTree) => tree.nodes.root?.messages.map((message) => [message.id, textOf(message)]);
    assert.deepEqual(ids(foldTree(emptyTree(), events)), ids(events.reduce(reduceTree, emptyTree())));
  });
});
