import type { UserMessage } from "../agent/types.ts";
import type { LogEntry } from "./messages.ts";

/** Where a copy of a chat ends that is made as of a moment. */
export interface ForkMoment {
  /** The first entry that is left out; undefined for none. */
  beforeSeq: number | undefined;
  /** The moment is in the middle of a run, before which the copy ends. */
  isInRun: boolean;
  /** The message that started that run; undefined for one that goes on after it had ended. */
  message: UserMessage | undefined;
  /** Nothing was said before it: there is nothing to copy. */
  isFirst: boolean;
}

/**
 * A chat goes on from between two runs alone: what was asked for and not answered would be neither sent again nor
 * understood. `position` is how many of the entries are shown. Undefined when nothing was said by then.
 */
export function forkMoment(entries: readonly LogEntry[], position: number): ForkMoment | undefined {
  let runs = 0;
  let started: { seq: number; index: number } | undefined;
  for (let index = 0; index < Math.min(position, entries.length); index++) {
    const entry = entries[index];
    if (entry === undefined || !("agent" in entry) || entry.agent.agent.depth > 0) continue;
    if (entry.agent.type === "agent_start" && (started === undefined || !("resumes" in entry.agent))) {
      // One that was cut off has no end.
      if (started !== undefined) runs++;
      started = { seq: entry.seq, index };
    } else if (entry.agent.type === "agent_end" && started !== undefined) {
      runs++;
      started = undefined;
    }
  }
  if (started === undefined) {
    return runs === 0
      ? undefined
      : { beforeSeq: entries[position]?.seq, isInRun: false, message: undefined, isFirst: false };
  }
  return { beforeSeq: started.seq, isInRun: true, message: messageOf(entries, started.index), isFirst: runs === 0 };
}

/** The message that started the run at the index; undefined for one that the user did not start. */
function messageOf(entries: readonly LogEntry[], start: number): UserMessage | undefined {
  for (const [offset, entry] of entries.slice(start).entries()) {
    if (!("agent" in entry) || entry.agent.agent.depth > 0) continue;
    const event = entry.agent;
    if (event.type === "message_end") return event.message.role === "user" ? event.message : undefined;
    if (event.type === "agent_end" || (offset > 0 && event.type === "agent_start")) return undefined;
  }
  return undefined;
}
