import type { AgentEvent, AgentMeta } from "../../agent/types.ts";
import { addUsage, emptyUsage } from "../../agent/vocabulary/usage.ts";
import { hostEventsWith, hostEventTraits, keyOfHostEvent } from "../../protocol/hostEventSchemas.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { LogEntry } from "../../protocol/messages.ts";

type AgentEntry = Extract<LogEntry, { agent: unknown }>;
type UsageEntry = { seq: number; agent: Extract<AgentEvent, { type: "usage" }> };

/** How an agent was created, how its latest run began, and how that ended. */
interface Course {
  entries: AgentEntry[];
  isOpen: boolean;
}

const latest = hostEventsWith("isState");

function staysOpen(event: HostEvent): boolean {
  if (event.type === "approval_requested") return event.approval.requestKey !== undefined;
  return event.type === "question_asked" ? event.question.mayAskAgain === true : event.type === "budget_asked";
}

/** A question of which only the answer matters any more: whose calls it was about. */
function whoAsked(entry: LogEntry): LogEntry | undefined {
  if (!("host" in entry) || entry.host.type !== "approval_requested") return undefined;
  const { id, agentId, agentPath, callId, toolName, others } = entry.host.approval;
  const approval = { id, agentId, agentPath, callId, toolName, files: [], ...(others && { others }) };
  return { ...entry, host: { type: "approval_requested", approval } };
}

/**
 * A few entries of a log that fold to the same state as all of them, but for messages and calls: what the host said
 * last, what is open, and of the root agents and those still at work how they began, ended and what they spent.
 */
export class StateEntries {
  readonly #host = new Map<string, LogEntry[]>();
  readonly #courses = new Map<string, Course>();
  readonly #metas = new Map<string, AgentMeta>();
  readonly #usages = new Map<string, UsageEntry>();
  #title = "";

  get title(): string {
    return this.#title;
  }

  /** A root agent's run has no end. */
  get isRunning(): boolean {
    return [...this.#courses].some(([id, { isOpen }]) => isOpen && this.#metas.get(id)?.depth === 0);
  }

  /** Something waits for the user that a reload leaves waiting. */
  get isWaiting(): boolean {
    return [...this.#host.values()].flat().some((entry) => "host" in entry && staysOpen(entry.host));
  }

  add(entry: LogEntry): void {
    if ("host" in entry) this.#addHost(entry, entry.host);
    else this.#addAgent(entry);
  }

  #addHost(entry: LogEntry, event: HostEvent): void {
    if (event.type === "chat_titled") this.#title = event.title;
    const key = keyOfHostEvent(event) ?? "";
    const about = `${event.type} ${key}`;
    const begun = hostEventTraits[event.type].ends;
    if (latest.has(event.type)) this.#host.set(about, [entry]);
    else if (begun !== undefined) {
      const [first] = this.#host.get(`${begun} ${key}`) ?? [];
      this.#host.delete(`${begun} ${key}`);
      const asked = event.type === "approval_closed" && first && whoAsked(first);
      if (asked) this.#host.set(about, [asked, entry]);
    } else if (event.type === "hunk_decided") this.#append(`approval_requested ${key}`, entry);
    else this.#append(key === "" ? `${event.type} at ${entry.seq}` : about, entry);
  }

  #append(about: string, entry: LogEntry): void {
    this.#host.set(about, [...(this.#host.get(about) ?? []), entry]);
  }

  #addAgent(entry: AgentEntry): void {
    const event = entry.agent;
    const { id } = event.agent;
    this.#metas.set(id, { ...this.#metas.get(id), ...event.agent });
    if (event.type === "usage") this.#spend(entry.seq, event);
    else if (event.type === "agent_start") this.#start(id, entry);
    else if (event.type === "agent_spawned") {
      this.#metas.set(event.child.id, event.child);
      this.#start(event.child.id, entry);
    }
    // An agent that was spawned may run again, until it leaves.
    else if (event.type === "agent_end") {
      this.#end(id, entry, this.#courses.get(id)?.entries[0]?.agent.type === "agent_spawned");
    } else if (event.type === "agent_exit") this.#end(event.child.id, entry, false);
    else if (event.type === "transcript") this.#replace(entry.seq, event);
  }

  #start(id: string, entry: AgentEntry): void {
    // The first has the agent's metadata; later ones don't repeat it.
    const [first = entry] = this.#courses.get(id)?.entries ?? [];
    this.#courses.set(id, { entries: first === entry ? [entry] : [first, entry], isOpen: true });
  }

  #end(id: string, entry: AgentEntry, isOpen: boolean): void {
    this.#courses.set(id, { entries: [...(this.#courses.get(id)?.entries ?? []), entry], isOpen });
    if (isOpen || this.#metas.get(id)?.depth === 0) return;
    // A sub-agent that has ended is part of no state.
    this.#courses.delete(id);
    this.#usages.delete(id);
  }

  /** What an agent spends adds up in all above it. */
  #spend(seq: number, event: UsageEntry["agent"]): void {
    this.#usages.set(event.agent.id, { seq, agent: { ...event, delta: emptyUsage() } });
    let below = 0.5;
    // A file that was written by hand may say that an agent spawned itself.
    const seen = new Set([event.agent.id]);
    for (let { parentId } = event.agent; parentId !== undefined && !seen.has(parentId); ) {
      seen.add(parentId);
      const meta = this.#metas.get(parentId);
      if (meta === undefined) break;
      const known = this.#usages.get(parentId);
      const total = addUsage(known?.agent.total ?? emptyUsage(), event.delta);
      const own: UsageEntry = known ?? {
        seq: seq - below,
        agent: {
          ...{ ...event, agent: meta, seq: event.seq - below, delta: emptyUsage(), own: emptyUsage() },
          ...{ contextTokens: 0, contextPercent: 0 },
        },
      };
      this.#usages.set(parentId, { ...own, agent: { ...own.agent, total } });
      below /= 2;
      parentId = meta.parentId;
    }
  }

  /** A transcript says what was spent by then. */
  #replace(seq: number, event: Extract<AgentEvent, { type: "transcript" }>): void {
    const { messages: _messages, reason: _reason, type: _type, ...base } = event;
    const { contextTokens = 0, contextPercent = 0 } = this.#usages.get(event.agent.id)?.agent ?? {};
    this.#usages.set(event.agent.id, {
      seq,
      agent: { ...base, type: "usage", delta: emptyUsage(), contextTokens, contextPercent },
    });
  }

  /** The latest usage of an agent, with the total that it has come to. */
  usageOf(agentId: string): UsageEntry["agent"] | undefined {
    return this.#usages.get(agentId)?.agent;
  }

  /** In the order of the log. */
  entries(): LogEntry[] {
    const agents = [...this.#courses].flatMap(([id, { entries, isOpen }]) => {
      if (!isOpen && this.#metas.get(id)?.depth !== 0) return [];
      const usage = this.#usages.get(id);
      return usage === undefined ? entries : [...entries, usage];
    });
    return [...new Set([...[...this.#host.values()].flat(), ...agents])].sort((a, b) => a.seq - b.seq);
  }
}
