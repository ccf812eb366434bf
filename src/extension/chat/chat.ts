import { randomUUID } from "node:crypto";
import type { Agent, AgentEvent, AgentMessage, EndReason, LimitName, UserMessage } from "../../agent/index.ts";
import { AgentError } from "../../agent/index.ts";
import { type Draft, emptyDraft } from "../../protocol/attachments.ts";
import type { HostEvent, Notice } from "../../protocol/hostEvents.ts";
import { ChatGrants } from "../permissions/chatGrants.ts";
import type { SessionCursor, SessionStorage } from "../sessions/session.ts";
import { UserError } from "../userError.ts";
import { answerTo } from "./answerTo.ts";
import type { AgentTranscript, MirroredChat } from "./channel.ts";
import { ChatPast } from "./chatPast.ts";
import { type ChatRecord, ChatRecording } from "./chatRecording.ts";
import { breakDownContext } from "./contextBreakdown.ts";
import type { Drafts } from "./drafts.ts";
import { EventLog } from "./eventLog.ts";
import { MessageQueue, wordsOf } from "./messageQueue.ts";
import { NoticeBoard } from "./noticeBoard.ts";
import { Questions } from "./questions.ts";
import type { EarlierAgent, RestoredChat } from "./restoredChat.ts";
import { Standing } from "./standing.ts";
import { titleOf } from "./title.ts";

export type RunEnd = Extract<AgentEvent, { type: "agent_end" }>;

/** How a run ended and the text that the root agent answered. */
export interface RunSummary {
  reason: EndReason;
  text: string;
  error?: string;
}

export interface ChatDependencies {
  /** Makes the chat's root agent as the settings of this moment say. */
  createAgent(chat: Chat): Agent;
  /** Brings the agent up to date with the settings, before each run. */
  configure(agent: Agent, chat: Chat): void;
  /** What to tell the user about a run of the root agent; undefined when there is nothing to tell. */
  noticeFor(end: RunEnd, reachedLimit: LimitName | undefined): Notice | undefined;
  /** Told when a run of the root agent starts or ends, and when the number of open approvals or questions changes. */
  onActivity(chat: Chat): void;
  /** What stands in the composers. Default: nothing is kept. */
  drafts?: Pick<Drafts, "of">;
  /** Where a chat's log is kept from its first message on. Undefined when it can't be kept. Default: nowhere. */
  record?(chat: Chat): Promise<ChatRecord | undefined>;
}

/** Where a chat comes from, unless it is new. */
export interface ChatOrigin {
  restored?: RestoredChat;
  /** Where its log is kept; absent while another window writes there. */
  record?: ChatRecord;
  sessions?: Pick<SessionStorage, "messagesOf" | "readEarlier">;
  /** What of its log was not read. */
  cursor?: SessionCursor;
}

/** One conversation: its root agent, its log, its queue. It holds no view; panels mirror its log. */
export class Chat implements MirroredChat {
  readonly id: string;
  readonly log: EventLog;
  /** What an earlier run of the editor left of the root agent. */
  readonly earlier: EarlierAgent | undefined;
  /** What its session holds beside what is in memory. */
  readonly past: ChatPast | undefined;
  /** Another window writes to its session. */
  readonly isReadOnly: boolean;
  readonly notices = new NoticeBoard((event) => this.emit(event));
  readonly questions = new Questions((event) => this.emit(event), randomUUID);
  readonly grants = new ChatGrants({ emit: (event) => this.emit(event), newId: randomUUID });
  readonly #dependencies: ChatDependencies;
  readonly #queue = new MessageQueue((items) => this.emit({ type: "queue_changed", items }));
  #agent: Agent | undefined;
  #title: string | undefined;
  #lastAgentSeq: number;
  /** Added to the numbers of agents' events: they go on where those of the session ended. */
  readonly #seqBefore: number;
  readonly #recording: ChatRecording;
  #isRunning = false;
  #nextStop = new AbortController();
  #reachedLimit: LimitName | undefined;
  #lastEnd: RunEnd | undefined;
  readonly #standing: Standing;
  readonly #owned: { dispose(): void }[] = [];

  constructor(dependencies: ChatDependencies, { restored, record, sessions, cursor }: ChatOrigin = {}) {
    this.#dependencies = dependencies;
    this.id = restored?.id ?? randomUUID();
    this.log = new EventLog(restored);
    this.earlier = restored?.root;
    this.isReadOnly = restored !== undefined && record === undefined;
    this.past = sessions && new ChatPast({ id: this.id, log: this.log, storage: sessions, ...(cursor && { cursor }) });
    this.#title = restored?.host.title;
    this.#standing = new Standing(restored?.host.interrupted);
    this.#seqBefore = restored?.closing.agents.at(-1)?.seq ?? restored?.lastAgentSeq ?? 0;
    this.#lastAgentSeq = this.#seqBefore;
    const open = restored === undefined ? dependencies.record : undefined;
    this.#recording = new ChatRecording({
      log: this.log,
      ...(open !== undefined && { open: () => open(this) }),
      ...(record !== undefined && { record }),
    });
    if (restored === undefined) return;
    this.notices.adopt(restored.host.notices);
    for (const event of restored.closing.agents) this.log.appendAgent(event);
    for (const event of restored.closing.host) {
      if (event.type === "notice_shown") this.notices.show(event.notice);
      else this.emit(event);
    }
  }

  get draft(): Draft {
    return this.#dependencies.drafts?.of(this.id) ?? emptyDraft;
  }

  /** What was said is told: an empty chat needs no place in the history. */
  get hasMessages(): boolean {
    return this.#title !== undefined;
  }

  get title(): string {
    return this.#title ?? "New chat";
  }

  rename(title: string): void {
    this.#title = title;
    this.emit({ type: "chat_titled", title });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get openApprovalCount(): number {
    return this.#standing.approvals;
  }

  get openQuestionCount(): number {
    return this.#standing.questions;
  }

  /** The end of the editor cut its run off, and nobody has gone on with it. */
  get isInterrupted(): boolean {
    return this.earlier !== undefined && this.#standing.interrupted.includes(this.earlier.id);
  }

  /** Starts a run with the message, or queues it while one is running. Resolves when the run has ended. */
  async send(message: UserMessage, whenBusy: "queue" | "steer"): Promise<RunSummary> {
    if (this.#recording.isDue) await this.#recording.start();
    const agent = this.#configuredAgent();
    this.#nameAfter(message);
    if (agent.status !== "idle") {
      this.#queue.add(agent, message, whenBusy);
      await agent.waitForIdle();
      return { reason: this.#lastEnd?.reason ?? "aborted", text: answerTo(message, agent) };
    }
    this.notices.clear();
    const ended = await this.#run(agent, message);
    return { ...ended, text: answerTo(message, agent) };
  }

  /** Not by the agent's stream, which nobody would read: it would keep each delta until the run has ended. */
  async #run(agent: Agent, message: UserMessage): Promise<Omit<RunSummary, "text">> {
    const before = this.#lastEnd;
    try {
      const { reason } = await agent.prompt(message);
      return { reason };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const end = this.#lastEnd === before ? undefined : this.#lastEnd;
      return { reason: end?.reason ?? "error", error: error.message };
    }
  }

  /** Asks again after a failed request, or goes on with a run that was interrupted. */
  async retry(): Promise<void> {
    const agent = this.#knownAgent();
    if (agent === undefined || agent.status !== "idle") return;
    this.#refuseWhileReadOnly();
    this.#dependencies.configure(agent, this);
    this.notices.clear();
    try {
      await agent.continue();
    } catch (error) {
      // How a run failed is told by its end, which #observe sees; anything else is a fault of ours.
      if (!(error instanceof AgentError)) throw error;
    }
  }

  /** Aborted by the next stop of the whole run: what is about to be sent is then not sent. */
  get nextStop(): AbortSignal {
    return this.#nextStop.signal;
  }

  /** If it was ever asked something, its agent is there and as the settings say. */
  wake(): void {
    if (this.#agent !== undefined || this.earlier !== undefined) this.#configuredAgent();
  }

  /** Stops the whole run, or one agent and what it spawned. */
  async stop(agentId?: string): Promise<void> {
    if (agentId === undefined) {
      this.#nextStop.abort();
      this.#nextStop = new AbortController();
    }
    const target = agentId === undefined ? this.#agent : this.#agent?.find(agentId);
    await target?.abort();
  }

  /** Steers a running agent anywhere in the tree. False when it does not run any more. */
  steer(agentId: string, message: UserMessage): boolean {
    const target = this.#agent?.find(agentId);
    if (target === undefined || target.status === "idle") return false;
    if (target === this.#agent) this.#queue.add(target, message, "steer");
    else target.steer(message);
    return true;
  }

  /** Takes a queued message back; undefined when it was delivered meanwhile. */
  removeQueued(messageId: string): UserMessage | undefined {
    return this.#agent === undefined ? undefined : this.#queue.cancel(this.#agent, messageId);
  }

  /** A queued message waits no longer: the agent hears it after its current tools. */
  async sendQueued(messageId: string): Promise<void> {
    const message = this.removeQueued(messageId);
    if (message !== undefined) await this.send(message, "steer");
  }

  emit(event: HostEvent): void {
    this.log.appendHost(event);
    if (this.#standing.observe(event)) this.#dependencies.onActivity(this);
  }

  /** Removes a message of the user's with all that followed, and gives what was removed. */
  async rewindTo(messageId: string): Promise<AgentMessage[]> {
    this.#refuseWhileReadOnly();
    const agent = this.#knownAgent();
    const before = agent?.messages ?? [];
    const index = before.findIndex((message) => message.id === messageId && message.role === "user");
    if (agent === undefined || index < 0) throw new UserError("This message is not in the conversation any more.");
    await agent.rewindTo(messageId);
    return before.slice(index);
  }

  /** Adds messages again that a rewind removed. */
  putBack(messages: readonly AgentMessage[]): void {
    this.#knownAgent()?.addMessage([...messages]);
  }

  transcriptOf(agentId: string): AgentTranscript | undefined {
    const agent = this.#agent?.find(agentId);
    const streaming = agent?.state.streamingMessage;
    const messages =
      agent === undefined
        ? this.#earlierMessagesOf(agentId)
        : [...agent.messages, ...(streaming === undefined ? [] : [streaming])];
    return messages.length === 0 ? undefined : { messages, upToSeq: this.#lastAgentSeq };
  }

  /** Disposed with the chat, as soon as its agents are told to stop. */
  own(part: { dispose(): void }): void {
    this.#owned.push(part);
  }

  /** A run that is under way is cut off, not stopped: its session tells so when it is opened again. */
  async dispose(): Promise<void> {
    const closed = this.#recording.close();
    const stopped = this.#agent?.dispose();
    for (const part of this.#owned) part.dispose();
    await stopped;
    await closed;
  }

  #refuseWhileReadOnly(): void {
    if (this.isReadOnly) throw new UserError("This chat is open in another window. Go on there, or fork it.");
  }

  /** The agent, also one that has not worked since the editor was opened. */
  #knownAgent(): Agent | undefined {
    return this.#agent ?? (this.earlier === undefined ? undefined : this.#configuredAgent());
  }

  #earlierMessagesOf(agentId: string): AgentMessage[] {
    return agentId === this.earlier?.id ? this.earlier.messages : this.log.messagesOf(agentId);
  }

  #configuredAgent(): Agent {
    if (this.#agent !== undefined) {
      this.#dependencies.configure(this.#agent, this);
      return this.#agent;
    }
    const agent = this.#dependencies.createAgent(this);
    agent.subscribe((event) => this.#observe(event));
    this.#agent = agent;
    return agent;
  }

  #observe(told: AgentEvent): void {
    // The log has the transcript already that the agent began with.
    if (told.type === "transcript" && told.reason === "initial" && this.earlier !== undefined) return;
    const event = this.#seqBefore === 0 ? told : { ...told, seq: told.seq + this.#seqBefore };
    this.#lastAgentSeq = event.seq;
    this.log.appendAgent(event);
    switch (event.type) {
      case "queue_update":
        if (event.delivered !== undefined) this.#queue.remove(event.delivered.id);
        break;
      case "usage":
        this.#measureContext(event.agent.id, event.contextTokens);
        break;
      case "limit_reached":
        if (event.agent.depth === 0) this.#reachedLimit = event.limit;
        break;
      case "agent_start":
        if (event.agent.depth === 0) this.#startRun();
        break;
      case "agent_end":
        if (event.agent.depth === 0) this.#endRun(event);
        break;
      default:
    }
  }

  #startRun(): void {
    this.#reachedLimit = undefined;
    this.#isRunning = true;
    if (this.isInterrupted) {
      const agentIds = this.#standing.interrupted.filter((id) => id !== this.earlier?.id);
      this.emit({ type: "interrupted", agentIds });
    }
    this.#dependencies.onActivity(this);
  }

  #endRun(end: RunEnd): void {
    this.#isRunning = false;
    this.#lastEnd = end;
    const notice = this.#dependencies.noticeFor(end, this.#reachedLimit);
    if (notice !== undefined) this.notices.show(notice);
    this.#dependencies.onActivity(this);
  }

  #measureContext(agentId: string, contextTokens: number): void {
    const agent = this.#agent?.find(agentId);
    if (agent === undefined) return;
    this.emit({ type: "context_measured", agentId, context: breakDownContext(agent.state, contextTokens) });
  }

  #nameAfter(message: UserMessage): void {
    if (this.#title !== undefined) return;
    this.#title = titleOf(wordsOf(message));
    this.emit({ type: "chat_titled", title: this.#title });
  }
}
