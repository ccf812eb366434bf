import assert from "node:assert/strict";
import type { AgentEvent, EventBody } from "../../../src/agent/vocabulary/events.ts";
import type { Span } from "../../../src/extension/traces/attributes.ts";
import { foldSpans, type OpenTrace } from "../../../src/extension/traces/foldSpans.ts";
import { traceText } from "../../../src/extension/traces/traceText.ts";
import { arrangedRuns, byName } from "../../support/chatRuns.ts";
import { assistant, childMeta, rootMeta, user } from "../../support/events.ts";
import { call, fail, text } from "../../support/scriptedModel.ts";

const usage = { input: 100, output: 20, cacheRead: 50, cacheWrite: 0, reasoning: 5, cost: 0.01 };

/** Events at a clock that moves on by a second with each. */
function timed(...bodies: (readonly [typeof rootMeta, EventBody])[]): AgentEvent[] {
  return bodies.map(([agent, body], index) => ({
    ...{ agent, sessionId: "chat", runId: `run of ${agent.id}`, seq: index, timestamp: 1_000_000 + index * 1_000 },
    ...body,
  }));
}

function spansOf(events: readonly AgentEvent[]): Span[] {
  let open: OpenTrace | undefined;
  return events.flatMap((event) => {
    const step = foldSpans(open, event);
    open = step.open;
    return step.ended;
  });
}

const answer = { ...assistant("m", "SECRET WORDS"), model: "opus", provider: "anthropic", usage };
const end: Extract<EventBody, { type: "agent_end" }> = { type: "agent_end", reason: "done", messages: [], usage };
const measured = {
  type: "usage",
  delta: usage,
  own: usage,
  total: usage,
  contextTokens: 150,
  contextPercent: 1,
} as const;

const delegation = timed(
  [rootMeta, { type: "agent_start" }],
  [rootMeta, { type: "turn_start", index: 0 }],
  [rootMeta, { type: "message_end", message: user("u", "SECRET WORDS") }],
  [rootMeta, { type: "retry", attempt: 1, delayMs: 5, error: "SECRET WORDS" }],
  [rootMeta, { type: "message_end", message: { ...answer, stopReason: "toolUse" } }],
  [rootMeta, measured],
  [rootMeta, { type: "tool_execution_start", callId: "call", toolName: "delegate_to_agent", args: "SECRET WORDS" }],
  [childMeta, { type: "agent_start" }],
  [childMeta, { type: "turn_start", index: 0 }],
  [childMeta, { type: "message_end", message: { ...answer, stopReason: "error", errorKind: "overloaded" } }],
  [childMeta, { ...end, reason: "error", error: { code: "provider", message: "SECRET WORDS" } }],
  [
    rootMeta,
    {
      ...{ type: "tool_execution_end", callId: "call", toolName: "delegate_to_agent", isError: true, durationMs: 1 },
      result: { content: "SECRET WORDS" },
    },
  ],
  [rootMeta, { type: "turn_start", index: 1 }],
  [rootMeta, { type: "compaction_start" }],
  [rootMeta, measured],
  [rootMeta, { type: "compaction_end", kind: "summary", before: 900, after: 90 }],
  [rootMeta, { type: "message_end", message: answer }],
  [rootMeta, end],
);

describe("the spans of a run", () => {
  it("name operations, agents, models, tools and tokens as the conventions do", () => {
    const spans = spansOf(delegation);
    const [first, childRequest, child, toolCall, compaction, second, root] = spans;
    assert.equal(spans.length, 7);
    assert.deepEqual(first?.attributes, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "opus",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 150,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.usage.cache_read.input_tokens": 50,
      "gen_ai.usage.reasoning.output_tokens": 5,
      "arbor.request.retries": 1,
      "gen_ai.agent.id": "root",
      "gen_ai.agent.name": "main",
    });
    assert.deepEqual([first?.name, first?.kind, first?.status], ["chat opus", "client", "unset"]);
    assert.deepEqual([first?.startTime, first?.endTime], [1_001_000, 1_004_000]);
    assert.deepEqual([childRequest?.status, childRequest?.attributes["error.type"]], ["error", "overloaded"]);
    assert.equal(childRequest?.attributes["arbor.agent.parent_id"], "root");
    assert.deepEqual(
      [child?.name, child?.attributes["error.type"], child?.attributes["arbor.agent.parent_id"]],
      ["invoke_agent explore", "provider", "root"],
    );
    assert.deepEqual(
      [toolCall?.name, toolCall?.attributes["gen_ai.tool.call.id"], toolCall?.status],
      ["execute_tool delegate_to_agent", "call", "error"],
    );
    assert.equal(compaction?.attributes["arbor.request.purpose"], "compaction");
    assert.equal(compaction?.attributes["gen_ai.usage.output_tokens"], 20);
    assert.equal(second?.startTime, compaction?.endTime, "a request begins where the compaction before it ended");
    assert.deepEqual(
      [root?.name, root?.attributes["gen_ai.conversation.id"], root?.attributes["arbor.run.requests"]],
      ["invoke_agent main", "chat", 2],
    );
    assert.deepEqual([root?.attributes["gen_ai.usage.input_tokens"], root?.parentSpanId], [300, undefined]);
  });

  it("are nested: a sub-agent below the call that spawned it", () => {
    const [first, childRequest, child, toolCall, , , root] = spansOf(delegation);
    assert.equal(first?.parentSpanId, root?.spanId);
    assert.equal(childRequest?.parentSpanId, child?.spanId);
    assert.equal(child?.parentSpanId, toolCall?.spanId);
    assert.equal(toolCall?.parentSpanId, root?.spanId);
    const spans = spansOf(delegation);
    assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
    for (const { traceId, spanId } of spans) assert.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
  });

  it("hold nothing that was said, read, written or failed with", () => {
    assert.ok(!JSON.stringify(spansOf(delegation)).includes("SECRET WORDS"));
  });

  it("are the same for the same events, and others for another run", () => {
    assert.deepEqual(spansOf(delegation), spansOf(delegation));
    const again = delegation.map((event) => ({ ...event, runId: `${event.runId} again` }));
    assert.notEqual(spansOf(again)[0]?.traceId, spansOf(delegation)[0]?.traceId);
  });

  it("leave out what belongs to a run whose start was not seen", () => {
    assert.deepEqual(spansOf(delegation.slice(1)), []);
  });

  it("read as a tree with times, tokens and failures", () => {
    assert.equal(
      traceText(spansOf(delegation), "/traces/one.jsonl"),
      `Trace of the run that began 1970-01-01T00:16:40.000Z
Spans: /traces/one.jsonl

     start   duration
   0.000 s   17.000 s  invoke_agent main  — in 300 (100 cached), out 40 · $0.0100 · done
   1.000 s    3.000 s    chat opus  — in 150 (50 cached), out 20
   6.000 s    5.000 s    execute_tool delegate_to_agent  — failed: tool_error
   7.000 s    3.000 s      invoke_agent explore  — in 0, out 0 · $0.0100 · error · failed: provider
   8.000 s    1.000 s        chat opus  — in 150 (50 cached), out 20 · failed: overloaded
  13.000 s    2.000 s    chat  — in 150 (50 cached), out 20 · compaction 900 → 90
  15.000 s    1.000 s    chat opus  — in 150 (50 cached), out 20
`,
    );
  });

  it("show what was cut off at the top, and names of models on one line", () => {
    const [first] = spansOf(delegation);
    assert.ok(first);
    assert.match(
      traceText([{ ...first, name: "chat evil\n9 s fake" }], "f"),
      /^ +0\.000 s +3\.000 s {2}chat evil\?9 s fake/m,
    );
  });

  it("are one for each request, call and agent of a run of real agents", async () => {
    const arranged = arrangedRuns(
      byName({
        main: [call("delegate_to_agent", { agent: "worker", task: "t", context: "" }), text("end")],
        worker: [call("nothing"), fail("broken")],
      }),
      { agents: ["worker"] },
    );
    await arranged.agent.prompt("go");
    const names = spansOf(arranged.events).map(({ name }) => name);
    assert.deepEqual(names, [
      "chat main",
      "chat worker",
      "execute_tool nothing",
      "chat worker",
      "invoke_agent worker",
      "execute_tool delegate_to_agent",
      "chat main",
      "invoke_agent main",
    ]);
  });
});
