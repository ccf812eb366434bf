import { Agent, type AgentOptions, MemorySessionStore } from "../../../agent/index.ts";
import type { EarlierAgent } from "./restoredChat.ts";

/** A root agent, which goes on where an earlier run of the editor left it: its messages and what it has spent. */
export function agentAfter(earlier: EarlierAgent | undefined, options: AgentOptions): Agent {
  const session = new MemorySessionStore();
  if (earlier === undefined) return new Agent({ ...options, session });
  const { id, messages, own, total } = earlier;
  // In memory this is done at once.
  for (const message of messages) void session.append(id, message);
  return new Agent({ ...options, id, messages, usage: own, session }, { depth: 0, total });
}
