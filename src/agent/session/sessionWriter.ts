import { errorText } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import type { Usage } from "../vocabulary/usage.ts";
import { type AgentIdsByCall, childrenKey, readSession, type StoredAgent, usageKey } from "./sessionReading.ts";
import type { SessionStore } from "./store.ts";

interface SessionWriterOptions {
  store: SessionStore;
  agentId: string;
  /** What the agent has spent so far: itself, and with its descendants. */
  spending(): { own: Usage; total: Usage };
  warn(message: string): void;
  /** Of an agent whose sub-agents are stored too. */
  parent?: SessionWriter | undefined;
  children?: AgentIdsByCall;
  /** The last answer of the transcript it begins with. */
  lastAnswer?: string | undefined;
}

/** Writes one agent's messages and usage to a session, in order and beside the run. A failed write is only warned of. */
export class SessionWriter {
  readonly store: SessionStore;
  readonly #options: SessionWriterOptions;
  /** Agents of one tree write one after the other, so that what is stored was true at one moment. */
  readonly #queue: { last: Promise<void> };
  readonly #children: AgentIdsByCall;
  /** Results of calls are written as each call ends, before the transcript has them. */
  readonly #early = new Set<string>();
  /** The last answer whose usage is in what the agent has spent. */
  #counted: string | undefined;
  #lastAnswer: string | undefined;

  constructor(options: SessionWriterOptions) {
    this.store = options.store;
    this.#options = options;
    this.#queue = options.parent === undefined ? { last: Promise.resolve() } : options.parent.#queue;
    this.#children = { ...options.children };
    this.#lastAnswer = options.lastAnswer;
    this.#counted = options.lastAnswer;
  }

  append(message: AgentMessage): void {
    if (this.#early.delete(message.id)) return;
    if (message.role === "assistant") this.#lastAnswer = message.id;
    this.#enqueue(() => this.store.append(this.#options.agentId, message));
  }

  /** Writes a message that the transcript gets later, with others. */
  appendEarly(message: AgentMessage): void {
    this.append(message);
    this.#early.add(message.id);
  }

  /** Notes the sub-agent of a call, to be found again when the call is run again. */
  addChild(callId: string, agentId: string): void {
    const known = this.#children[callId] ?? [];
    if (known.includes(agentId)) return;
    this.#children[callId] = [...known, agentId];
    const text = JSON.stringify(this.#children);
    this.#enqueue(() => this.store.setMeta({ [childrenKey(this.#options.agentId)]: text }));
  }

  /** Saves what this agent has spent and, since that is part of theirs, what those above it have. */
  saveUsage(): void {
    this.#counted = this.#lastAnswer;
    const meta: Record<string, string> = {};
    for (let writer: SessionWriter | undefined = this; writer !== undefined; writer = writer.#options.parent) {
      const { agentId, spending } = writer.#options;
      const { own, total } = spending();
      const counted = writer.#counted ?? null;
      // What descendants spent is saved too: they may be gone after a reload, their cost is not.
      meta[usageKey(agentId)] = JSON.stringify({ ...own, total, counted });
    }
    this.#enqueue(() => this.store.setMeta(meta));
  }

  read(): Promise<StoredAgent> {
    return readSession(this.store, this.#options.agentId);
  }

  /** Removes the row of a message and every later one, of all agents. False when the message is not there. */
  async truncateFrom(messageId: string): Promise<boolean> {
    await this.flush();
    const row = (await this.store.list()).find((stored) => stored.message.id === messageId);
    if (row === undefined) return false;
    await this.store.truncateFrom(row.id);
    return true;
  }

  /** Resolves when everything handed in so far is written or has failed. */
  flush(): Promise<void> {
    return this.#queue.last;
  }

  #enqueue(write: () => Promise<unknown>): void {
    this.#queue.last = this.#queue.last.then(async () => {
      try {
        await write();
      } catch (error) {
        this.#options.warn(`The session could not be written, so a reload will miss something: ${errorText(error)}`);
      }
    });
  }
}
