import { Agent, joinTeam } from "../agent/agent.ts";
import type { AgentInfo } from "../agent/agentOptions.ts";
import { extendSystemPrompt } from "../context/prompt.ts";
import type { Skill } from "../context/skills.ts";
import { EventSession, ListenerList } from "../loop/eventSession.ts";
import type { SessionStore } from "../session/store.ts";
import { untilAborted } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentEvent } from "../vocabulary/events.ts";
import type { Emit } from "../vocabulary/hooks.ts";
import { type AgentResponseMessage, type UserMessage, userMessage } from "../vocabulary/messages.ts";
import type { Model, StreamFn } from "../vocabulary/model.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import { answerTo, createWaits } from "./ask.ts";
import { teamTools } from "./teamTools.ts";

/** What a member of a team is made of. */
export interface AgentSpec {
  /** What it is for, "reviewer" for one; several members may share a type. */
  type: string;
  name: string;
  description: string;
  systemPrompt: string;
  model: Model;
  tools?: AgentTool[];
  skills?: Skill[];
  /** The member that gets its responses, unless somebody else delegates to it later. */
  delegatorId?: string;
}

/** What members are found by. */
export type MemberKey = "id" | "name" | "type";

/** How a message reaches a member. */
export interface Delivery {
  /** The member forgets everything before it gets the message; a busy one is let finish first. */
  resetContext?: boolean;
}

interface Member {
  agent: Agent;
  emit: Emit;
  spawnerId?: string;
  /** Who delegated what the member works on. */
  delegatorId?: string;
  /** Messages that want a fresh context wait for each other here. */
  turn: Promise<void>;
  unsubscribe(): void;
}

/** Agents that live side by side and talk: one session, one order of events, and no one is refused for being busy. */
export class Team {
  readonly #streamFn: StreamFn;
  readonly #store: SessionStore | undefined;
  readonly #session: EventSession;
  readonly #members = new Map<string, Member>();
  readonly #listeners = new ListenerList();
  readonly #waits = createWaits();

  constructor(options: { streamFn: StreamFn; id?: string; session?: SessionStore }) {
    this.#streamFn = options.streamFn;
    this.#store = options.session;
    this.#session = new EventSession(options.id);
  }

  /** The id of the session that all members share. */
  get id(): string {
    return this.#session.id;
  }

  /** Takes an agent in, with the team tools besides its own. Messages to it wait while it is busy. */
  add(agent: Agent, { delegatorId }: Pick<AgentSpec, "delegatorId"> = {}): void {
    const member = this.#add(agent);
    if (delegatorId !== undefined) member.spawnerId = delegatorId;
    agent.addToolboxes(teamTools(this, { id: agent.id }));
    this.#reporterOf(member).emit({ type: "agent_spawned", child: agent.meta });
  }

  /** Creates a member with the team tools besides its own. */
  spawn(spec: AgentSpec): Agent {
    const id = crypto.randomUUID();
    const { type, name, description, model, tools = [], skills = [], delegatorId } = spec;
    const agent = new Agent({
      id,
      type,
      name,
      description,
      model,
      skills,
      systemPrompt: extendSystemPrompt(spec.systemPrompt, { skills }),
      tools: [...tools, teamTools(this, { id })],
      streamFn: this.#streamFn,
      ...(this.#store === undefined ? {} : { session: this.#store }),
    });
    const member = this.#add(agent);
    if (delegatorId !== undefined) member.spawnerId = delegatorId;
    this.#reporterOf(member).emit({ type: "agent_spawned", child: agent.meta });
    return agent;
  }

  /** The members of this id, name or type. */
  find(by: MemberKey, value: string): Agent[] {
    const agents = [...this.#members.values()].map((member) => member.agent);
    return agents.filter((agent) => agent.info()[by] === value);
  }

  /** A member by its id. */
  whereis(id: string): Agent | undefined {
    return this.#members.get(id)?.agent;
  }

  /** What the team knows of its members, in the order in which they came. */
  list(): AgentInfo[] {
    return [...this.#members.values()].map((member) => member.agent.info());
  }

  /** Asks a member and waits for its answer to this very question; the asker's other work goes on. */
  async ask(from: string, to: string, question: string, signal: AbortSignal, delivery: Delivery = {}): Promise<string> {
    const target = this.#member(to);
    if (from === to) throw new AgentError("bad_input", "An agent cannot ask itself.");
    const endWait = this.#waits.begin(from, to);
    try {
      const answer = this.#deliver(target, delivery, () => answerTo(to, target.agent.send(question)));
      return await untilAborted(answer, signal);
    } finally {
      endWait();
    }
  }

  /** Hands a task to a member and returns at once; its response comes when it calls `send_response`. */
  delegate(from: string, to: string, task: string, delivery: Delivery = {}): void {
    const target = this.#member(to);
    if (from === to) throw new AgentError("bad_input", "An agent cannot delegate to itself.");
    const message: UserMessage = { ...userMessage(task), meta: { delegatorId: from } };
    // How it goes is in the member's events; the agent that delegated waits for a response, not for the run.
    void this.#deliver(target, delivery, () => target.agent.prompt(message)).catch(() => {});
  }

  /** Sends a member's response to the agent that delegated its task, else to its spawner. */
  respond(from: string, text: string): void {
    const { agent, delegatorId, spawnerId } = this.#member(from);
    const receiverId = delegatorId ?? spawnerId;
    if (receiverId === undefined) throw new AgentError("bad_input", "Nobody has delegated to this agent.");
    const receiver = this.#members.get(receiverId);
    if (receiver === undefined) throw new AgentError("bad_input", "The agent that delegated the task is gone.");
    const { name } = agent.meta;
    const message: AgentResponseMessage = {
      role: "agentResponse",
      id: crypto.randomUUID(),
      from: name === undefined ? { id: from } : { id: from, name },
      text,
      timestamp: Date.now(),
    };
    // How that run goes is in the receiver's events.
    void receiver.agent.prompt(message).catch(() => {});
  }

  /** Ends a member for good. */
  destroy(id: string): Promise<void> {
    return this.#end(this.#member(id), "destroyed");
  }

  /** Stops what a member is doing; it stays, and sees to what waits. */
  async interrupt(id: string): Promise<void> {
    await this.#member(id).agent.abort(new AgentError("aborted", "The agent was interrupted."));
  }

  /** Called for the events of all members and their sub-agents. */
  subscribe(listener: (event: AgentEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when no member runs, and none is about to start. */
  async waitForIdle(): Promise<void> {
    do {
      await Promise.all([...this.#members.values()].map(({ agent, turn }) => turn.then(() => agent.waitForIdle())));
    } while ([...this.#members.values()].some(({ agent }) => agent.status !== "idle"));
  }

  /** Ends all members. */
  async dispose(): Promise<void> {
    const reason = "the team was disposed";
    await Promise.all([...this.#members.values()].map((member) => this.#end(member, reason)));
  }

  #add(agent: Agent): Member {
    if (this.#members.has(agent.id)) throw new AgentError("bad_input", `The team has an agent ${agent.id} already.`);
    const member: Member = {
      agent,
      emit: joinTeam(agent, this.#session, {
        whenBusy: "followUp",
        resumeQueuedAfterAbort: true,
        onDispose: () => this.#ended(agent.id),
      }),
      turn: Promise.resolve(),
      unsubscribe: agent.subscribe((event) => this.#publish(event)),
    };
    this.#members.set(agent.id, member);
    return member;
  }

  #publish(event: AgentEvent): void {
    this.#listeners.call(event);
    const member = this.#members.get(event.agent.id);
    if (member === undefined || event.type !== "message_start" || event.message.role !== "user") return;
    const delegatorId = event.message.meta?.delegatorId;
    if (typeof delegatorId === "string") member.delegatorId = delegatorId;
  }

  #member(id: string): Member {
    const member = this.#members.get(id);
    if (member === undefined) throw new AgentError("bad_input", `There is no agent ${id} in this team.`);
    return member;
  }

  /** The member that reports another's spawn and exit: its spawner, or itself where there is none. */
  #reporterOf(member: Member): Member {
    const spawner = member.spawnerId === undefined ? undefined : this.#members.get(member.spawnerId);
    return spawner ?? member;
  }

  /** The member can't be found from here on; its last events still come before the one of its exit. */
  async #end(member: Member, reason: string): Promise<void> {
    this.#members.delete(member.agent.id);
    await member.agent.dispose();
    this.#emitExit(member, reason);
  }

  /** Somebody disposed of a member behind the team's back. A team does not outlive its orchestrator. */
  #ended(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    this.#emitExit(member, "crashed");
    if (member.agent.role === "orchestrator") void this.dispose();
  }

  #emitExit(member: Member, reason: string): void {
    this.#reporterOf(member).emit({ type: "agent_exit", child: member.agent.meta, reason });
    member.unsubscribe();
  }

  /** Sends at once, or, for a fresh context, as soon as the member is idle. */
  #deliver<T>(target: Member, delivery: Delivery, send: () => Promise<T>): Promise<T> {
    if (delivery.resetContext !== true) return send();
    const sent = target.turn.then(async () => {
      while (target.agent.status !== "idle") await target.agent.waitForIdle();
      target.agent.reset();
      return { result: send() };
    });
    target.turn = sent.then(
      () => {},
      () => {},
    );
    return sent.then(({ result }) => result);
  }
}
