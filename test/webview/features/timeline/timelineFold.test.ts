import assert from "node:assert/strict";
import type { AgentEvent, AgentMeta, AssistantMessage, EventBody } from "../../../../src/agent/types.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import type { TimedEntry } from "../../../../src/protocol/messages.ts";
import { pathText } from "../../../../src/webview/features/timeline/barText.ts";
import { criticalPath } from "../../../../src/webview/features/timeline/criticalPath.ts";
import { barAt, barBeside, drawnBars, laneRows } from "../../../../src/webview/features/timeline/layout.ts";
import {
  type Bar,
  barKinds,
  createTimeline,
  type Timeline,
} from "../../../../src/webview/features/timeline/timelineFold.ts";

const startedAt = 1_700_000_000_000;
const main: AgentMeta = { id: "main", name: "main", prefix: "", depth: 0 };
const child = (id: string, toolCallId: string, parent = main): AgentMeta => ({
  ...{ id, name: id, prefix: "", depth: parent.depth + 1, parentId: parent.id, toolCallId },
});
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };

const answer: Omit<AssistantMessage, "id"> = {
  ...{ role: "assistant", content: [], model: "m", provider: "p", stopReason: "stop", timestamp: 0 },
};

/** A log with a time, in milliseconds after the start, for each entry. */
function timed() {
  const entries: TimedEntry[] = [];
  const log = {
    entries,
    event(agent: AgentMeta, after: number, body: EventBody) {
      const seq = entries.length + 1;
      const base = { agent, sessionId: "s", runId: "r", seq, timestamp: startedAt + after };
      // A body with its base is an event; the union does not distribute over the spread.
      entries.push({ at: startedAt + after, entry: { seq, agent: { ...base, ...body } as AgentEvent } });
      return log;
    },
    host(after: number | undefined, host: HostEvent) {
      entries.push({ ...(after !== undefined && { at: startedAt + after }), entry: { seq: entries.length + 1, host } });
      return log;
    },
    start: (agent: AgentMeta, after: number) => log.event(agent, after, { type: "agent_start" }),
    end: (agent: AgentMeta, after: number) =>
      log.event(agent, after, { type: "agent_end", reason: "done", messages: [], usage: none }),
    request(agent: AgentMeta, from: number, to: number, firstWord?: number) {
      const id = `m${entries.length}`;
      log.event(agent, from, { type: "turn_start", index: 0 });
      if (firstWord !== undefined) log.event(agent, firstWord, { type: "message_start", message: { ...answer, id } });
      return log.event(agent, to, { type: "message_end", message: { ...answer, id } });
    },
    call: (agent: AgentMeta, after: number, callId: string) =>
      log.event(agent, after, { type: "tool_execution_start", callId, toolName: "run", label: "Run", args: {} }),
    result: (agent: AgentMeta, after: number, callId: string) =>
      log.event(agent, after, {
        ...{ type: "tool_execution_end", callId, toolName: "run", result: { content: "" }, isError: false },
        durationMs: 0,
      }),
    fold(): Timeline {
      const timeline = createTimeline();
      for (const entry of entries) timeline.add(entry);
      return timeline;
    },
  };
  return log;
}

function barsOf(timeline: Timeline): [string, Bar["kind"], number, number | undefined][] {
  const bars = [...timeline.lanes.values()].flatMap(({ tracks }) => barKinds.flatMap((kind) => tracks[kind].bars));
  return bars
    .map(({ agentId, kind, start, end }): [string, Bar["kind"], number, number | undefined] => {
      return [agentId, kind, start - startedAt, end === undefined ? undefined : end - startedAt];
    })
    .sort((a, b) => a[2] - b[2]);
}

describe("the timeline of a chat", () => {
  it("has requests, tools, agents at work and what waits, each with its beginning and its end", () => {
    const tests = child("tests", "c1");
    const approval = {
      id: "a1",
      agentId: "tests",
      agentPath: ["main", "tests"],
      callId: "c2",
      toolName: "run",
      files: [],
    };
    const timeline = timed()
      .start(main, 0)
      .request(main, 10, 100, 40)
      .call(main, 110, "c1")
      .start(tests, 120)
      .event(tests, 130, { type: "turn_start", index: 0 })
      .event(tests, 140, { type: "retry", attempt: 1, delayMs: 50, error: "busy" })
      .request(tests, 190, 300)
      .call(tests, 310, "c2")
      .host(320, { type: "approval_requested", approval })
      .host(900, { type: "approval_closed", approvalId: "a1", outcome: "accepted" })
      .result(tests, 1_000, "c2")
      .end(tests, 1_010)
      .result(main, 1_020, "c1")
      .call(main, 1_030, "c3")
      .fold();
    assert.deepEqual(barsOf(timeline), [
      ["main", "request", 10, 100],
      ["main", "provider", 10, 40],
      ["main", "agents", 110, 1_020],
      ["tests", "request", 130, 190],
      ["tests", "provider", 130, 140],
      ["tests", "provider", 140, 190],
      ["tests", "request", 190, 300],
      ["tests", "tool", 310, 1_000],
      ["tests", "user", 320, 900],
      ["main", "tool", 1_030, undefined],
    ]);
    assert.deepEqual(
      laneRows(timeline.roots, new Set(), Number.POSITIVE_INFINITY).map(({ lane, level }) => [lane.meta.id, level]),
      [
        ["main", 1],
        ["tests", 2],
      ],
    );
    assert.equal(laneRows(timeline.roots, new Set(["main"]), Number.POSITIVE_INFINITY).length, 1);
  });

  it("closes what a run left open at the time of its last event, once another run begins", () => {
    const timeline = timed().start(main, 0).call(main, 10, "c1").start(main, 90_000).end(main, 90_010).fold();
    assert.deepEqual(barsOf(timeline), [["main", "tool", 10, 10]]);
    assert.deepEqual(
      timeline.runs.map(({ start, end }) => [start - startedAt, (end ?? 0) - startedAt]),
      [
        [0, 10],
        [90_000, 90_010],
      ],
    );
  });

  it("goes on where it was when the clock is set back: no bar takes less than no time", () => {
    const hour = 3_600_000;
    const timeline = timed()
      .start(main, 0)
      .call(main, 1_000, "c1")
      .result(main, 2_000 - hour, "c1")
      .call(main, 3_000 - hour, "c2")
      .result(main, 7_000 - hour, "c2")
      .fold();
    assert.deepEqual(barsOf(timeline), [
      ["main", "tool", 1_000, 1_000],
      ["main", "tool", 2_000, 6_000],
    ]);
  });

  it("keeps how long all else took when the clock jumps forward and is set right again: one bar has the jump", () => {
    const day = 86_400_000;
    const timeline = timed()
      .start(main, 0)
      .call(main, 1_000, "c1")
      .result(main, 2_000, "c1")
      .call(main, 3_000, "c2")
      .result(main, 4_000 + day, "c2")
      .call(main, 5_000 + day, "c3")
      .result(main, 7_000, "c3")
      .call(main, 8_000, "c4")
      .result(main, 11_000, "c4")
      .fold();
    assert.deepEqual(barsOf(timeline), [
      ["main", "tool", 1_000, 2_000],
      ["main", "tool", 3_000, 4_000 + day],
      ["main", "tool", 5_000 + day, 5_000 + day],
      ["main", "tool", 6_000 + day, 9_000 + day],
    ]);
  });

  it("takes host events of before they had times to be when the last agent had an event", () => {
    const approval = { id: "a1", agentId: "main", agentPath: ["main"], callId: "c1", toolName: "run", files: [] };
    const timeline = timed()
      .start(main, 0)
      .call(main, 10, "c1")
      .host(undefined, { type: "approval_requested", approval })
      .event(main, 500, { type: "warning", message: "" })
      .host(undefined, { type: "approval_closed", approvalId: "a1", outcome: "accepted" })
      .fold();
    assert.deepEqual(barsOf(timeline).at(-1), ["main", "user", 10, 500]);
    assert.equal(createTimeline().end, 0);
  });

  it("is drawn by no more bars than there are pixels, of 20,000 events of 100 agents, without a look at all of them", () => {
    const log = timed().start(main, 0);
    const agents = Array.from({ length: 100 }, (_, index) => child(`agent ${index}`, `c${index}`));
    for (const agent of agents) log.start(agent, 1);
    for (let step = 0; step < 10_000; step++) {
      const agent = agents[step % 100] ?? main;
      log.call(agent, 10 + step * 3, `t${step}`).result(agent, 12 + step * 3 + (step % 7) * 100, `t${step}`);
    }
    const timeline = log.fold();
    assert.ok(log.entries.length > 20_000);
    const view = (from: number, to: number) => ({
      ...{ from: timeline.start + from, to: timeline.start + to, width: 300, until: timeline.end },
    });
    const beganAt = performance.now();
    for (const { lane } of laneRows(timeline.roots, new Set(), timeline.end)) {
      for (const range of [view(0, 31_000), view(15_000, 15_100), view(29_990, 30_100)]) {
        for (const kind of barKinds) {
          const drawn = [...drawnBars(lane.tracks[kind], range)];
          assert.ok(drawn.length <= range.width + 1);
          for (const { x, width } of drawn) assert.ok(x >= 0 && width >= 1 && x <= range.width, `${x} ${width}`);
        }
      }
    }
    assert.ok(performance.now() - beganAt < 1_000);
  });

  it("draws each pixel that the bars cover, and no other", () => {
    const log = timed().start(main, 0);
    let random = 7;
    const next = (below: number) => {
      random = (random * 16_807) % 2_147_483_647;
      return random % below;
    };
    const bars: [number, number][] = [];
    for (let at = 5; at < 20_000; at += next(60)) bars.push([at, at + 1 + next(at % 3 === 0 ? 900 : 20)]);
    const moments = bars.flatMap(([from, to], index) => [
      { at: from, index, isStart: true },
      { at: to, index, isStart: false },
    ]);
    for (const { at, index, isStart } of moments.sort((a, b) => a.at - b.at || Number(b.isStart) - Number(a.isStart))) {
      if (isStart) log.call(main, at, `c${index}`);
      else log.result(main, at, `c${index}`);
    }
    const timeline = log.fold();
    const track = timeline.lanes.get("main")?.tracks.tool;
    assert.ok(track !== undefined && track.bars.length === bars.length);
    for (const [from, to] of [
      [0, 20_000],
      [9_000, 9_600],
      [13_333, 13_400],
    ] as const) {
      const width = 200;
      const view = { from: startedAt + from, to: startedAt + to, width, until: timeline.end };
      const perPx = (to - from) / width;
      const drawn = [...drawnBars(track, view)];
      for (let px = 0; px < width; px++) {
        const [left, right] = [from + px * perPx, from + (px + 1) * perPx];
        const isCovered = bars.some(([start, end]) => start <= left && end >= right);
        const isEmpty = !bars.some(([start, end]) => start < right + perPx && end > left - perPx);
        const isDrawn = drawn.some(({ x, width: wide }) => x <= px + 0.01 && x + wide >= px + 0.99);
        if (isCovered) assert.ok(isDrawn, `pixel ${px} of ${from}`);
        if (isEmpty) assert.ok(!isDrawn, `pixel ${px} of ${from}`);
      }
    }
  });

  it("is walked from bar to bar, over those that begin together, and back", () => {
    const timeline = timed()
      .start(main, 0)
      .request(main, 10, 50)
      .call(main, 60, "c1")
      .call(main, 60, "c2")
      .result(main, 70, "c1")
      .result(main, 80, "c2")
      .request(main, 90, 95)
      .fold();
    const lane = timeline.lanes.get("main");
    assert.ok(lane !== undefined);
    const [first] = lane.tracks.request.bars;
    const walk = (from: Bar | undefined, step: 1 | -1) => {
      const starts: number[] = [];
      for (let bar = from; bar !== undefined && starts.length < 20; bar = barBeside(lane, bar, step, timeline.end)) {
        starts.push(bar.start - startedAt);
      }
      return starts;
    };
    assert.deepEqual(walk(first, 1), [10, 60, 60, 90]);
    assert.deepEqual(walk(lane.tracks.request.bars.at(-1), -1), [90, 60, 60, 10]);
    assert.equal(barAt(lane, startedAt + 65, 1, timeline.end)?.moment, "c2");
    assert.equal(barAt(lane, startedAt + 85, 1, timeline.end), undefined);
  });

  it("has the critical path: what ended last before each moment, through the agent that took longest", () => {
    const [quick, slow] = [child("quick", "c1"), child("slow", "c1")];
    const timeline = timed()
      .start(main, 0)
      .request(main, 0, 1_000)
      .call(main, 1_000, "c1")
      .start(quick, 1_000)
      .start(slow, 1_000)
      .event(slow, 1_000, { type: "turn_start", index: 0 })
      .request(quick, 1_000, 2_000)
      .end(quick, 2_000)
      .event(slow, 3_000, { type: "message_end", message: { ...answer, id: "m" } })
      .call(slow, 3_000, "c2")
      .result(slow, 9_000, "c2")
      .end(slow, 9_000)
      .result(main, 9_000, "c1")
      .request(main, 9_000, 10_000)
      .end(main, 10_000)
      .fold();
    const [run] = timeline.runs;
    assert.ok(run !== undefined);
    const path = criticalPath(run, timeline.end);
    assert.deepEqual(
      path.map(({ lane, bar, start, end }) => [lane.meta.id, bar?.kind, start - startedAt, end - startedAt]),
      [
        ["main", "request", 0, 1_000],
        ["slow", "request", 1_000, 3_000],
        ["slow", "tool", 3_000, 9_000],
        ["main", "request", 9_000, 10_000],
      ],
    );
    assert.equal(pathText(path), "Critical path 10 s: Tool 60% · Model request 40%");
  });

  it("has a path whose shares add up to 100 percent", () => {
    const timeline = timed()
      .start(main, 0)
      .request(main, 0, 3_350)
      .call(main, 3_350, "c1")
      .result(main, 6_700, "c1")
      .end(main, 10_000)
      .fold();
    const [run] = timeline.runs;
    assert.ok(run !== undefined);
    const text = pathText(criticalPath(run, timeline.end));
    const percents = [...text.matchAll(/(\d+)%/g)].map(([, percent]) => Number(percent));
    assert.deepEqual([percents.length, percents.reduce((sum, percent) => sum + percent, 0)], [3, 100], text);
  });
});
