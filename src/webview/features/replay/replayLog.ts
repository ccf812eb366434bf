import type { LogEntry, TimedEntry } from "../../../protocol/messages.ts";
import { type ChatState, emptyChatState, foldEntries } from "../../model/chat.ts";
import { entryTime, risingTime } from "../../model/times.ts";

/** What a step goes to; "event": each entry of the log. */
export const stepKinds = ["event", "request", "tool", "approval", "edit"] as const;
export type StepKind = (typeof stepKinds)[number];

/** A log that can be looked at as it was at any of its moments. A position is a number of entries: what they fold to. */
export interface ReplayLog {
  readonly entries: readonly LogEntry[];
  readonly count: number;
  /** Undefined for a log of before there were times. */
  readonly start: number | undefined;
  add(entries: readonly TimedEntry[]): void;
  stateAt(position: number): ChatState;
  /** When the latest of the entries was written; 0 without times. */
  timeAt(position: number): number;
  /** The position after the next entry of that kind, or after the one before; undefined when there is none. */
  step(position: number, kind: StepKind, direction: 1 | -1): number | undefined;
}

interface ReplayLogOptions {
  /** Entries between two states that are remembered. */
  snapshotEvery?: number;
  /** Called with how many entries were folded. */
  onFold?(count: number): void;
}

/** So few entries are folded in a moment, and so few states share what they have in common. */
const defaultSnapshotEvery = 400;

/** Lower than the number of any entry: none of a stored log is left out, in whichever order they come. */
const beforeAll = -1;

export function createReplayLog({ snapshotEvery = defaultSnapshotEvery, onFold }: ReplayLogOptions = {}): ReplayLog {
  const entries: LogEntry[] = [];
  const times: number[] = [];
  const timeOf = risingTime();
  const empty: ChatState = { ...emptyChatState(), lastSeq: beforeAll };
  /** After each `snapshotEvery` entries, from none on. The states share all that did not change between them. */
  const snapshots: ChatState[] = [empty];
  let latest = { position: 0, state: empty };

  function fold(state: ChatState, from: number, to: number): ChatState {
    onFold?.(to - from);
    return to > from ? foldEntries(state, entries.slice(from, to)) : state;
  }

  return {
    entries,
    get count() {
      return entries.length;
    },
    get start() {
      return times.find((time) => time > 0);
    },
    add(added) {
      for (const timed of added) {
        entries.push(timed.entry);
        times.push(timeOf(entryTime(timed)));
      }
      for (let at = snapshots.length; at * snapshotEvery <= entries.length; at++) {
        snapshots.push(fold(snapshots[at - 1] ?? empty, (at - 1) * snapshotEvery, at * snapshotEvery));
      }
    },
    stateAt(position) {
      const to = Math.max(0, Math.min(Math.floor(position), entries.length));
      const index = Math.floor(to / snapshotEvery);
      const snapshot = { position: index * snapshotEvery, state: snapshots[index] ?? empty };
      // What is played goes on from where it was.
      const near = latest.position <= to && latest.position > snapshot.position ? latest : snapshot;
      latest = { position: to, state: fold(near.state, near.position, to) };
      return latest.state;
    },
    timeAt: (position) => times[Math.min(position, times.length) - 1] ?? times[0] ?? 0,
    step(position, kind, direction) {
      for (let at = position + direction; at >= 1 && at <= entries.length; at += direction) {
        const entry = entries[at - 1];
        if (entry !== undefined && isOfKind(entry, kind)) return at;
      }
      // Before the first event there is nothing yet.
      return kind === "event" && direction === -1 && position > 0 ? 0 : undefined;
    },
  };
}

function isOfKind(entry: LogEntry, kind: StepKind): boolean {
  return kind === "event" || kindsOf(entry).includes(kind);
}

/** An edit that is proposed is an approval as well. */
function kindsOf(entry: LogEntry): readonly StepKind[] {
  if ("agent" in entry) {
    if (entry.agent.type === "turn_start") return ["request"];
    return entry.agent.type === "tool_execution_start" ? ["tool"] : [];
  }
  switch (entry.host.type) {
    case "approval_requested":
      return entry.host.approval.request === undefined ? ["edit", "approval"] : ["approval"];
    case "question_asked":
    case "budget_asked":
      return ["approval"];
    case "edit_written":
      return ["edit"];
    default:
      return [];
  }
}
