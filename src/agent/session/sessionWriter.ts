import type { AgentOptions } from "../agent/agentOptions.ts";
import { errorText } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { emptyUsage, type Usage } from "../vocabulary/usage.ts";
import type { SessionStore } from "./store.ts";

/** Writes one agent's messages and usage to a session, in order and beside the run. A failed write is only warned of. */
export class SessionWriter {
  readonly #store: SessionStore;
  readonly #agentId: string;
  readonly #warn: (message: string) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(store: SessionStore, agentId: string, warn: (message: string) => void) {
    this.#store = store;
    this.#agentId = agentId;
    this.#warn = warn;
  }

  append(message: AgentMessage): void {
    this.#enqueue(() => this.#store.append(this.#agentId, message));
  }

  /** `total` is what the agent's descendants spent too: they are gone after a reload, their cost is not. */
  saveUsage(own: Usage, total: Usage): void {
    this.#enqueue(() => this.#store.setMeta({ [usageKey(this.#agentId)]: JSON.stringify({ ...own, total }) }));
  }

  read(): Promise<StoredAgent> {
    return readSession(this.#store, this.#agentId);
  }

  /** Removes the row of a message and every later one, of all agents. False when the message is not there. */
  async truncateFrom(messageId: string): Promise<boolean> {
    await this.#last;
    const row = (await this.#store.list()).find((stored) => stored.message.id === messageId);
    if (row === undefined) return false;
    await this.#store.truncateFrom(row.id);
    return true;
  }

  /** Resolves when everything handed in so far is written or has failed. */
  flush(): Promise<void> {
    return this.#last;
  }

  #enqueue(write: () => Promise<unknown>): void {
    this.#last = this.#last.then(async () => {
      try {
        await write();
      } catch (error) {
        this.#warn(`The session could not be written, so a reload will miss something: ${errorText(error)}`);
      }
    });
  }
}

/** What a session keeps of an agent. */
export interface StoredAgent {
  messages: AgentMessage[];
  usage?: Usage;
  total?: Usage;
}

async function readSession(store: SessionStore, agentId: string): Promise<StoredAgent> {
  const rows = await store.list({ agentId });
  const meta = await store.getMeta();
  return { messages: rows.map((row) => row.message), ...parseUsage(meta[usageKey(agentId)]) };
}

/** What makes an agent that goes on where a session stopped. Without an id, it is the one that wrote to it first. */
export async function resumedAgent(
  options: AgentOptions & { session: SessionStore },
): Promise<[AgentOptions, { depth: number; total?: Usage }]> {
  const id = options.id ?? (await options.session.list())[0]?.agentId;
  if (id === undefined) return [options, { depth: 0 }];
  const { messages, usage, total } = await readSession(options.session, id);
  const resumed = { ...options, id, messages, ...(usage === undefined ? {} : { usage }) };
  return [resumed, { depth: 0, ...(total === undefined ? {} : { total }) }];
}

function usageKey(agentId: string): string {
  return `usage:${agentId}`;
}

function parseUsage(text: string | undefined): Pick<StoredAgent, "usage" | "total"> {
  if (text === undefined) return {};
  try {
    const stored: unknown = JSON.parse(text);
    const total = fieldOf(stored, "total");
    return { usage: usageOf(stored), ...(total === undefined ? {} : { total: usageOf(total) }) };
  } catch {
    // A damaged line costs the figures, not the conversation.
    return {};
  }
}

function usageOf(stored: unknown): Usage {
  const figures = Object.entries(emptyUsage()).map(([name, none]) => {
    const value = fieldOf(stored, name);
    return [name, typeof value === "number" && Number.isFinite(value) ? value : none];
  });
  return Object.fromEntries(figures);
}

function fieldOf(stored: unknown, name: string): unknown {
  return typeof stored === "object" && stored !== null ? Reflect.get(stored, name) : undefined;
}
