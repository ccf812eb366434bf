import { type Bar, type BarKind, endOf, type Lane, type Timeline } from "./timelineFold.ts";

/** A part of the critical path: an agent did this then, and the run could not end before. */
export interface PathStep {
  lane: Lane;
  /** Undefined where nothing is known to have happened. */
  bar: Bar | undefined;
  start: number;
  end: number;
}

/** A path of more is cut at its start: a picture has no room for so many steps. */
const maxSteps = 10_000;
/** What an agent does beside others' work explains the time first. */
const explaining: readonly BarKind[] = ["user", "provider", "tool", "request", "agents"];

/**
 * The chain of what the run waited for, from its end back to its start: what ended last before each moment. A call in
 * which other agents work leads to the one of them that ended last.
 */
export function criticalPath({ lane, start, end }: Timeline["runs"][number], until: number): PathStep[] {
  const steps: PathStep[] = [];
  walk(lane, start, Math.min(end ?? until, until));
  return steps.reverse();

  function walk(of: Lane, from: number, to: number): void {
    let at = to;
    while (at > from && steps.length < maxSteps) {
      const bar = latestBefore(of, from, at, until);
      const barEnd = bar === undefined ? from : Math.min(at, endOf(bar, until));
      if (barEnd < at) steps.push({ lane: of, bar: undefined, start: Math.max(from, barEnd), end: at });
      if (bar === undefined) return;
      const barStart = Math.max(from, bar.start);
      const child = bar.kind === "agents" ? lastChildOf(of, bar, barEnd) : undefined;
      if (child === undefined) {
        steps.push({ lane: of, bar, start: barStart, end: barEnd });
        at = barStart;
        continue;
      }
      const childEnd = Math.min(barEnd, child.isRunning ? until : child.lastAt);
      if (childEnd < barEnd) steps.push({ lane: of, bar, start: childEnd, end: barEnd });
      const childStart = Math.max(barStart, child.start);
      walk(child, childStart, childEnd);
      // What happened before the child began is this agent's own.
      if (childStart > barStart) {
        const earlier = lastChildOf(of, bar, childStart);
        if (earlier === undefined) steps.push({ lane: of, bar, start: barStart, end: childStart });
        else walkEarlier(of, bar, barStart, childStart);
      }
      at = barStart;
    }
  }

  /** Of a call that started one agent after another: those before. */
  function walkEarlier(of: Lane, bar: Bar, from: number, to: number): void {
    for (let at = to; at > from && steps.length < maxSteps; ) {
      const child = lastChildOf(of, bar, at);
      const childEnd = child === undefined ? from : Math.max(from, Math.min(at, child.lastAt));
      if (childEnd < at) steps.push({ lane: of, bar, start: childEnd, end: at });
      if (child === undefined || childEnd <= from) return;
      const childStart = Math.max(from, child.start);
      walk(child, childStart, childEnd);
      at = childStart;
    }
  }
}

/** The agent of the call that was at work last before a time. */
function lastChildOf({ children }: Lane, bar: Bar, before: number): Lane | undefined {
  let last: Lane | undefined;
  for (const child of children) {
    if (child.meta.toolCallId !== bar.moment || child.start >= before) continue;
    if (last === undefined || Math.min(child.lastAt, before) > Math.min(last.lastAt, before)) last = child;
  }
  return last;
}

/** What ended last by the time, or went on then; of several the one that explains more. */
function latestBefore({ tracks }: Lane, from: number, before: number, until: number): Bar | undefined {
  let latest: Bar | undefined;
  let latestEnd = Number.NEGATIVE_INFINITY;
  for (const kind of explaining) {
    const track = tracks[kind];
    const last = track.firstFrom(before) - 1;
    // Calls that run side by side begin together: a few steps back is where the latest end is.
    for (let index = last; index >= Math.max(0, last - 32); index--) {
      const bar = track.bars[index];
      if (bar === undefined) continue;
      const end = Math.min(before, endOf(bar, until));
      if (end <= from || bar.start >= before || end <= bar.start) continue;
      if (end > latestEnd) [latest, latestEnd] = [bar, end];
    }
  }
  return latest;
}
