import type { TimedEntry } from "../../protocol/messages.ts";

/** When it was; undefined for events of before there were times in the log. */
export function entryTime({ at, entry }: TimedEntry): number | undefined {
  return "agent" in entry ? entry.agent.timestamp : at;
}

/** Clocks of one machine differ by less than this between two that write a log. */
const slackMs = 1_000;

/** A clock that is set back goes on from where it was: nothing takes less than no time. */
export function risingTime(): (at: number | undefined) => number {
  let last: number | undefined;
  let offset = 0;
  return (at) => {
    if (at === undefined || !(at > 0)) return last ?? 0;
    if (last !== undefined && at + offset < last - slackMs) offset = last - at;
    last = Math.max(last ?? 0, at + offset);
    return last;
  };
}
