// Long because the fold and the index that it writes to grow together.
import type { AgentEvent, AgentMeta } from "../../../agent/types.ts";
import { askersOf, type HostEvent } from "../../../protocol/hostEvents.ts";
import type { TimedEntry } from "../../../protocol/messages.ts";
import { entryTime, risingTime } from "../../model/times.ts";

/** What an agent does or waits for; "agents": a call in which other agents work. */
export const barKinds = ["request", "tool", "agents", "provider", "user"] as const;
export type BarKind = (typeof barKinds)[number];

/** Something that an agent did, from one time to another. Times in milliseconds, as the timeline counts them. */
export interface Bar {
  kind: BarKind;
  agentId: string;
  /** What a tool is called with, or which model is asked; may be empty. */
  label: string;
  start: number;
  /** Undefined while it goes on. */
  end: number | undefined;
  isFailed: boolean;
  /** Of the call or of the message, once it is known: where it is in the transcript. */
  moment: string | undefined;
}

/** Bars of one kind in one lane, by their starts. An index answers what is in a range of time without a look at all. */
interface Track {
  readonly bars: readonly Bar[];
  push(bar: Bar): void;
  remove(bar: Bar): void;
  end(bar: Bar, at: number): void;
  /** The index of the first bar that starts at the time or later. */
  firstFrom(time: number): number;
  /** The first bar at the index or behind it, ahead of `before`, that ends at the time or later. */
  nextEndingFrom(index: number, before: number, time: number): number;
  /** When the last of these bars ends; Infinity where one of them goes on. */
  maxEnd(from: number, before: number): number;
}

/** One agent. */
export interface Lane {
  meta: AgentMeta;
  start: number;
  /** The time of its last event. */
  lastAt: number;
  isRunning: boolean;
  children: Lane[];
  parent: Lane | undefined;
  tracks: Readonly<Record<BarKind, Track>>;
}

/** A run of a root agent. */
interface TimelineRun {
  lane: Lane;
  start: number;
  /** Undefined while it goes on. */
  end: number | undefined;
}

/** All that agents did, as a fold over the log. It grows in place: a log of a long run is folded once. */
export interface Timeline {
  readonly roots: readonly Lane[];
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly runs: readonly TimelineRun[];
  readonly start: number;
  readonly end: number;
  add(entry: TimedEntry): void;
}

export function createTimeline(): Timeline {
  const timeOf = risingTime();
  const lanes = new Map<string, Lane>();
  const roots: Lane[] = [];
  const runs: TimelineRun[] = [];
  /** What has begun and not ended, by agent and by what it is. */
  const open = new Map<string, Map<string, Bar>>();
  let start: number | undefined;
  let end = 0;

  function laneOf(meta: AgentMeta, at: number): Lane {
    const known = lanes.get(meta.id);
    if (known !== undefined) return known;
    const parent = meta.parentId === meta.id ? undefined : lanes.get(meta.parentId ?? "");
    const tracks = Object.fromEntries(barKinds.map((kind) => [kind, createTrack()])) as Record<BarKind, Track>;
    const lane: Lane = { meta, start: at, lastAt: at, isRunning: false, children: [], parent, tracks };
    lanes.set(meta.id, lane);
    (parent?.children ?? roots).push(lane);
    return lane;
  }

  function begin(lane: Lane, key: string, bar: Pick<Bar, "kind" | "label" | "start"> & Partial<Bar>): void {
    finish(lane, key, bar.start);
    const own = { agentId: lane.meta.id, end: undefined, isFailed: false, moment: undefined, ...bar };
    lane.tracks[own.kind].push(own);
    const ofLane = open.get(lane.meta.id) ?? new Map<string, Bar>();
    open.set(lane.meta.id, ofLane.set(key, own));
  }

  function finish(lane: Lane, key: string, at: number, more: Partial<Pick<Bar, "isFailed" | "moment">> = {}): void {
    const bars = open.get(lane.meta.id);
    const bar = bars?.get(key);
    if (bar === undefined) return;
    bars?.delete(key);
    Object.assign(bar, more);
    lane.tracks[bar.kind].end(bar, at);
  }

  function finishAll(lane: Lane, at: number): void {
    for (const key of [...(open.get(lane.meta.id)?.keys() ?? [])]) finish(lane, key, at);
  }

  /** A call that started an agent is time of that agent's. */
  function delegate({ parent, meta }: Lane): void {
    const bar = parent === undefined ? undefined : open.get(parent.meta.id)?.get(`call ${meta.toolCallId}`);
    if (parent === undefined || bar?.kind !== "tool") return;
    parent.tracks.tool.remove(bar);
    bar.kind = "agents";
    parent.tracks.agents.push(bar);
  }

  function startRun(lane: Lane, at: number, resumes: boolean): void {
    // What an earlier run left open was cut off at its last event.
    finishAll(lane, lane.lastAt);
    lane.isRunning = true;
    delegate(lane);
    const last = runs.findLast((run) => run.lane === lane);
    if (lane.meta.depth > 0) return;
    if (resumes && last !== undefined) last.end = undefined;
    else {
      if (last !== undefined) last.end ??= lane.lastAt;
      runs.push({ lane, start: at, end: undefined });
    }
  }

  function endRun(lane: Lane, at: number): void {
    finishAll(lane, at);
    lane.isRunning = false;
    const run = runs.findLast((each) => each.lane === lane);
    if (run !== undefined) run.end ??= at;
  }

  function addAgent(event: AgentEvent, at: number): void {
    const lane = laneOf(event.agent, at);
    switch (event.type) {
      case "agent_start":
        lane.meta = { ...lane.meta, ...event.agent };
        startRun(lane, at, event.resumes === true);
        break;
      case "agent_end":
        endRun(lane, at);
        break;
      case "agent_spawned":
        laneOf({ parentId: event.agent.id, ...event.child }, at);
        break;
      case "agent_exit": {
        const left = lanes.get(event.child.id);
        if (left?.isRunning === true) endRun(left, at);
        break;
      }
      case "turn_start":
        begin(lane, "request", { kind: "request", label: lane.meta.model ?? "", start: at });
        begin(lane, "provider", { kind: "provider", label: "", start: at });
        break;
      case "retry":
        begin(lane, "provider", { kind: "provider", label: event.error, start: at });
        break;
      case "message_start":
      case "message_update":
        if (event.type === "message_update" || event.message.role === "assistant") finish(lane, "provider", at);
        break;
      case "message_end":
        if (event.message.role !== "assistant") break;
        dropUnknownWait(lane);
        finish(lane, "provider", at);
        finish(lane, "request", at, { moment: event.message.id, isFailed: event.message.stopReason === "error" });
        break;
      case "tool_execution_start": {
        const { callId, label, toolName } = event;
        begin(lane, `call ${callId}`, { kind: "tool", label: label ?? toolName, start: at, moment: callId });
        break;
      }
      case "tool_execution_end":
        finish(lane, `call ${event.callId}`, at, { isFailed: event.isError });
        break;
      default:
    }
    lane.lastAt = at;
  }

  /** A stored log has no first word of an answer: how long the provider took until then is not known. */
  function dropUnknownWait(lane: Lane): void {
    const bars = open.get(lane.meta.id);
    const wait = bars?.get("provider");
    if (wait === undefined || wait.label !== "") return;
    bars?.delete("provider");
    lane.tracks.provider.remove(wait);
  }

  function addHost(event: HostEvent, at: number): void {
    const wait = (agentId: string, id: string, label: string, moment?: string) => {
      const lane = lanes.get(agentId);
      if (lane !== undefined) begin(lane, `wait ${id}`, { kind: "user", label, start: at, moment });
    };
    const answered = (id: string) => {
      for (const lane of lanes.values()) finish(lane, `wait ${id}`, at);
    };
    switch (event.type) {
      case "approval_requested": {
        const { approval } = event;
        if (approval.isInterrupted === true) break;
        const subject = approval.request?.text ?? approval.files[0]?.path ?? approval.toolName;
        for (const { agentId, callId } of askersOf(approval)) wait(agentId, approval.id, subject, callId);
        break;
      }
      case "question_asked":
        wait(event.question.agentId, event.question.id, event.question.text, event.question.callId);
        break;
      case "budget_asked":
        wait(event.question.agentId, event.question.id, "");
        break;
      case "approval_closed":
        answered(event.approvalId);
        break;
      case "question_answered":
      case "budget_answered":
        answered(event.questionId);
        break;
      default:
    }
  }

  return {
    roots,
    lanes,
    runs,
    get start() {
      return start ?? 0;
    },
    get end() {
      return end;
    },
    add(timed) {
      const { entry } = timed;
      const at = timeOf(entryTime(timed));
      if (at > 0) {
        start ??= at;
        end = at;
      }
      if ("agent" in entry) addAgent(entry.agent, at);
      else addHost(entry.host, at);
    },
  };
}

/** When a bar ends on a timeline that is shown up to a time. */
export function endOf(bar: Bar, until: number): number {
  return Math.max(bar.start, Math.min(bar.end ?? until, until));
}

const blockLength = 64;

function createTrack(): Track {
  const bars: Bar[] = [];
  /** Of each block of bars, the latest end. */
  let ends: number[] = [];
  const endOf = (index: number) => bars[index]?.end ?? Number.POSITIVE_INFINITY;

  function measure(block: number): void {
    let latest = Number.NEGATIVE_INFINITY;
    const before = Math.min(bars.length, (block + 1) * blockLength);
    for (let index = block * blockLength; index < before; index++) latest = Math.max(latest, endOf(index));
    ends[block] = latest;
  }

  function measureFrom(index: number): void {
    const first = Math.floor(index / blockLength);
    ends = ends.slice(0, first);
    for (let block = first; block * blockLength < bars.length; block++) measure(block);
  }

  function firstFrom(time: number): number {
    let low = 0;
    let high = bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((bars[middle]?.start ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** From the end, where what changes mostly is. */
  const indexOf = (bar: Bar) => bars.lastIndexOf(bar);

  return {
    bars,
    push(bar) {
      let index = bars.length;
      while (index > 0 && (bars[index - 1]?.start ?? 0) > bar.start) index--;
      bars.splice(index, 0, bar);
      measureFrom(index);
    },
    remove(bar) {
      const index = indexOf(bar);
      if (index < 0) return;
      bars.splice(index, 1);
      measureFrom(index);
    },
    end(bar, at) {
      bar.end = Math.max(bar.start, at);
      const index = indexOf(bar);
      if (index >= 0) measure(Math.floor(index / blockLength));
    },
    firstFrom,
    nextEndingFrom(index, before, time) {
      let at = index;
      while (at < before) {
        if (at % blockLength === 0 && (ends[at / blockLength] ?? 0) < time) at += blockLength;
        else if (endOf(at) >= time) return at;
        else at++;
      }
      return before;
    },
    maxEnd(from, before) {
      let latest = Number.NEGATIVE_INFINITY;
      for (let at = from; at < before; ) {
        if (at % blockLength === 0 && at + blockLength <= before) {
          latest = Math.max(latest, ends[at / blockLength] ?? latest);
          at += blockLength;
        } else latest = Math.max(latest, endOf(at++));
      }
      return latest;
    },
  };
}
