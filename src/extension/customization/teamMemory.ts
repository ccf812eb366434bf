import type { AgentEvent, AgentMessage } from "../../agent/index.ts";
import { createWaits, type Waits } from "../../agent/team/ask.ts";
import type { Usage } from "../../agent/vocabulary/usage.ts";
import { SerialQueue } from "../common/serialQueue.ts";

/** The tool by which the members of a team ask each other. */
export const askToolName = "ask_agent";

/** What a worker knows and has spent before it is asked again. */
export interface RecalledWorker {
  id: string;
  messages: AgentMessage[];
  usage: Usage | undefined;
}

interface Worker {
  /** Of its row, if the log has none yet. */
  readonly newId: string;
  /** One question at a time. */
  readonly turns: SerialQueue;
  /** Questions that are answered or wait for that, and all so far. */
  open: number;
  asked: number;
}

/**
 * The workers of a chat's teams, who know what they were asked before. The chat's log is all that is known of that: so it
 * holds after a reload, and after a rewind without what was removed.
 */
export class TeamMemory {
  readonly waits: Waits = createWaits();
  readonly #events: () => Promise<Iterable<AgentEvent>>;
  readonly #workers = new Map<string, Worker>();

  constructor(events: () => Promise<Iterable<AgentEvent>>) {
    this.#events = events;
  }

  /** Calls it when the worker has answered who asked before. */
  async inTurn<Result>(
    { team, worker: name, askerId }: { team: string; worker: string; askerId: string },
    answer: (recalled: RecalledWorker) => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([team, name]);
    const worker = this.#workers.get(key) ?? {
      newId: crypto.randomUUID(),
      turns: new SerialQueue(),
      open: 0,
      asked: 0,
    };
    this.#workers.set(key, worker);
    // By its name: two agents that wait for each other would wait for ever.
    const isFree = worker.open === 0;
    const { asked } = worker;
    const recalled = await this.#recall(team, name, worker);
    const endWait = this.waits.begin(askerId, recalled.id);
    // Another question came first: what the worker knows now is what it has said by its end.
    const isStale = !isFree || worker.asked !== asked;
    worker.open++;
    worker.asked++;
    try {
      return await worker.turns.run(async () => answer(isStale ? await this.#recall(team, name, worker) : recalled));
    } finally {
      worker.open--;
      endWait();
    }
  }

  async #recall(team: string, name: string, { newId }: Worker): Promise<RecalledWorker> {
    return recallWorker(await this.#events(), { team, name }) ?? { id: newId, messages: [], usage: undefined };
  }
}

/** A run of an agent: where it is in the tree, and below which answer of the root agent's. */
interface Run {
  name: string | undefined;
  parent: Run | undefined;
  answerId: string | undefined;
}

/**
 * What a worker of a team has sent and received below those answers that the root agent still has in its conversation, since
 * it was last made to forget. Undefined for one that was never asked.
 */
function recallWorker(
  events: Iterable<AgentEvent>,
  { team, name }: { team: string; name: string },
): RecalledWorker | undefined {
  const runs = new Map<string, Run>();
  const resets = new Set<string>();
  /** By root agent, whose ids are those of its answers: providers give calls the same ids again. */
  const answers = new Map<string, string[]>();
  let known: { answerId: string | undefined; message: AgentMessage }[] = [];
  let id: string | undefined;
  let usage: Usage | undefined;
  const isWorker = (run: Run | undefined) => run?.name === name && isBelow(run.parent, team);
  for (const event of events) {
    const { agent } = event;
    const run = runs.get(agent.id);
    switch (event.type) {
      case "agent_start": {
        // One that goes on after it was cut off may not say again where it is.
        if (agent.parentId === undefined) break;
        const parent = runs.get(agent.parentId);
        const answerId = agent.depth === 1 ? answers.get(agent.parentId)?.at(-1) : parent?.answerId;
        const started = { name: agent.name ?? run?.name, parent, answerId };
        runs.set(agent.id, started);
        if (!isWorker(started)) break;
        id = agent.id;
        if (resets.delete(callKey(agent.parentId, agent.toolCallId))) known = [];
        break;
      }
      case "tool_execution_start":
        if (event.toolName === askToolName && isReset(event.args)) resets.add(callKey(agent.id, event.callId));
        break;
      case "message_end":
        if (agent.depth === 0) {
          const own = answers.get(agent.id) ?? [];
          own.push(...answersIn([event.message]));
          answers.set(agent.id, own);
        } else if (isWorker(run)) known.push({ answerId: run?.answerId, message: event.message });
        break;
      case "transcript":
        if (agent.depth === 0) answers.set(agent.id, answersIn(event.messages));
        // At first it repeats what was recalled.
        else if (isWorker(run) && event.reason !== "initial") {
          const before = new Map(known.map(({ message: { id }, answerId }) => [id, answerId]));
          known = event.messages.map((message) => {
            return { answerId: before.has(message.id) ? before.get(message.id) : run?.answerId, message };
          });
        }
        break;
      case "usage":
        if (isWorker(run)) usage = event.own;
        break;
      default:
    }
  }
  if (id === undefined) return undefined;
  const there = new Set([...answers.values()].flat());
  const messages = known.filter(({ answerId = "" }) => there.has(answerId)).map(({ message }) => message);
  return { id, usage, messages };
}

function isBelow(run: Run | undefined, team: string): boolean {
  const seen = new Set<Run>();
  for (let at = run; at !== undefined && !seen.has(at); at = at.parent) {
    if (at.name === team) return true;
    seen.add(at);
  }
  return false;
}

function answersIn(messages: readonly AgentMessage[]): string[] {
  return messages.filter(({ role }) => role === "assistant").map(({ id }) => id);
}

/** Two agents may give their calls the same id. */
function callKey(agentId: string | undefined, callId: string | undefined): string {
  return JSON.stringify([agentId, callId]);
}

function isReset(args: unknown): boolean {
  return typeof args === "object" && args !== null && "reset_context" in args && args.reset_context === true;
}
