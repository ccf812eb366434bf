// Long because all that is done with a chat is in this one class, and each method hands on to a module.
import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import { type Agent, AgentError, type AgentMessage, type Model, type UserMessage } from "../../agent/index.ts";
import { type Draft, emptyDraft } from "../../protocol/attachments.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import { concernsPending, type HostState, pendingCounts } from "../../protocol/hostState.ts";
import { ChatGrants } from "../approvals/chatGrants.ts";
import type { RemovedMessages } from "../changes/rewind/rewinds.ts";
import { onAbort, unlessAborted } from "../common/abort.ts";
import { UserError, UserStop } from "../common/userError.ts";
import { ChatTranscript } from "./agents/chatTranscript.ts";
import { addRetry, type RetriedTask } from "./agents/retriedTask.ts";
import { RootAgent } from "./agents/rootAgent.ts";
import { answerAfter, titleOf } from "./agents/transcriptText.ts";
import type { ChatDependencies, ChatOrigin, RunSummary } from "./chatDependencies.ts";
import { type AgentTranscript, ChatPast, ChatRecording, type MirroredChat } from "./log/chatRecording.ts";
import { EventLog } from "./log/eventLog.ts";
import { HeldMessages, MessageQueue, wordsOf } from "./messageQueue.ts";
import { ChatNotices, Questions } from "./notices.ts";
import type { InterruptedEdits } from "./restore/interruptedEdits.ts";
import { LeftCards } from "./restore/leftCards.ts";
import type { EarlierAgent } from "./restore/restoredChat.ts";
import { Resumption } from "./restore/resumption.ts";
import { RunEvents } from "./runs/runEvents.ts";

export type * from "./chatDependencies.ts";

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
  /** The other window has closed it: it is opened again to go on here. */
  isClosedElsewhere = false;
  readonly notices = new ChatNotices(this);
  readonly questions: Questions;
  /** Edits whose calls the end of the editor cut off. */
  readonly edits: InterruptedEdits | undefined;
  /** What waited for the user when the editor ended. */
  readonly left: LeftCards | undefined;
  readonly held: HeldMessages;
  readonly grants = new ChatGrants({ emit: (event) => this.emit(event), newId: randomUUID });
  readonly #dependencies: ChatDependencies;
  readonly #queue = new MessageQueue(this);
  readonly #root: RootAgent;
  readonly #recording: ChatRecording;
  readonly #runs: RunEvents;
  readonly #transcript: ChatTranscript;
  #nextStop = new AbortController();
  readonly #resumption: Resumption | undefined;
  readonly #owned: { dispose(): void }[] = [];
  #isDisposed = false;
  /** What the sub-agent works with that is about to begin a task again. */
  retryModel: Model | undefined;
  /** A run that was interrupted is about to go on, or does. */
  #isGoingOn = false;

  constructor(dependencies: ChatDependencies, { restored, record, sessions, cursor, edits }: ChatOrigin = {}) {
    this.#dependencies = dependencies;
    this.edits = edits;
    const emit = (event: HostEvent) => this.emit(event);
    this.held = new HeldMessages(this, dependencies.drafts);
    this.left = restored && new LeftCards(restored.left, emit);
    this.questions = new Questions(emit, randomUUID, this.left?.questions);
    this.id = restored?.id ?? randomUUID();
    this.log = new EventLog(restored);
    this.earlier = restored?.root;
    this.isReadOnly = restored !== undefined && record === undefined;
    this.past = sessions && new ChatPast({ id: this.id, log: this.log, storage: sessions, ...(cursor && { cursor }) });
    this.#runs = new RunEvents({
      chat: this,
      earlier: {
        lastSeq: restored?.closing.agents.at(-1)?.seq ?? restored?.lastAgentSeq ?? 0,
        hasTranscript: this.earlier !== undefined,
      },
      queue: this.#queue,
      find: (agentId) => this.#root.current?.find(agentId),
      noticeFor: dependencies.noticeFor,
      onActivity: () => dependencies.onActivity(this),
      warn: (message) => dependencies.warn?.(message),
    });
    this.#root = new RootAgent({
      create: () => dependencies.createAgent(this),
      configure: (agent) => dependencies.configure(agent, this),
      earlier: this.earlier,
      onEvent: this.#runs.observe,
    });
    this.#resumption =
      edits && new Resumption({ edits, notices: this.notices, add: (agent, body) => this.#runs.add(agent, body) });
    const cutOff = restored?.closing.agents.filter(({ agent }) => agent.depth > 0) ?? [];
    this.#transcript = new ChatTranscript({
      root: this.#root,
      lastSeq: () => this.#runs.lastSeq,
      log: this.log,
      earlier: this.earlier,
      cutOff: new Set(cutOff.map(({ agent }) => agent.id)),
      resumption: this.#resumption,
      withoutRewinds: (step) => this.#runs.withoutRewinds(step),
    });
    const open = restored === undefined ? dependencies.record : undefined;
    this.#recording = new ChatRecording({
      log: this.log,
      ...(open !== undefined && { open: () => open(this) }),
      ...(record !== undefined && { record }),
    });
    if (restored === undefined) return;
    for (const event of restored.closing.agents) this.log.appendAgent(event);
    for (const event of restored.closing.host) this.emit(event);
  }

  get rootId(): string | undefined {
    return this.#root.current?.id ?? this.earlier?.id;
  }

  /** What only the host knows of it. */
  get host(): HostState {
    return this.log.host;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  get draft(): Draft {
    return this.#dependencies.drafts?.of(this.id) ?? emptyDraft;
  }

  /** An empty chat is not listed in the history. */
  get hasMessages(): boolean {
    return this.host.title !== undefined;
  }

  get title(): string {
    return this.host.title ?? t("New chat");
  }

  rename(title: string): void {
    const isRenamed = this.hasMessages && title !== this.title;
    this.emit({ type: "chat_titled", title });
    if (isRenamed) this.#dependencies.onActivity(this);
  }

  get isRunning(): boolean {
    return this.#runs.isRunning;
  }

  /** Of the root agent's conversation. */
  hasMessage(messageId: string): boolean {
    return this.#transcript.of(this.rootId ?? "")?.messages.some(({ id }) => id === messageId) === true;
  }

  get openApprovalCount(): number {
    return pendingCounts(this.host).approvals;
  }

  get openQuestionCount(): number {
    return pendingCounts(this.host).questions;
  }

  /** The end of the editor cut its run off, and it was not resumed. */
  get isInterrupted(): boolean {
    return this.earlier !== undefined && this.host.interrupted.includes(this.earlier.id);
  }

  /** Goes on as soon as the user has answered what waits since before the editor was closed. */
  get isAboutToResume(): boolean {
    return this.#resumption?.isWaiting === true;
  }

  /** Offers what an earlier window left of edits again. */
  async offerEdits(): Promise<void> {
    const offered = await this.edits?.attach((event) => this.emit(event));
    if (offered !== undefined) this.own(offered);
  }

  /**
   * Starts a run with the message, or queues it while one is running. Resolves when the run has ended. A signal withdraws
   * the message: it leaves the queue, or the run that works on it is stopped.
   */
  async send(said: UserMessage, whenBusy: "queue" | "steer", signal?: AbortSignal): Promise<RunSummary> {
    const { beforeSend } = this.#dependencies;
    const { nextStop } = this;
    const recorded = this.#recording.isDue ? this.#recording.start() : undefined;
    // Without a turn of the event loop where nothing is to be looked at: what is said at once stays in order.
    if (recorded !== undefined || beforeSend !== undefined) {
      const ready = Promise.all([recorded, beforeSend?.(this, said)]);
      // What is asked before stays open; nothing is sent whatever the answer.
      await unlessAborted(ready, nextStop).catch((error: unknown) => {
        if (!nextStop.aborted) throw error;
      });
    }
    if (signal?.aborted === true || this.#isDisposed) return { reason: "aborted", text: "" };
    if (nextStop.aborted) return { reason: "aborted", text: "", isUnsent: true };
    const seen = this.held.release(said.id);
    const agent = this.#root.configured();
    this.#resumption?.cancel();
    if (agent.status === "idle") this.left?.withdraw();
    if (this.#resumption !== undefined && agent.status === "idle") await this.#resumption.revise(agent);
    // What is said of the mode comes last: that is where it is looked for.
    const noted = this.#resumption?.withLaterResults(agent, said) ?? said;
    const message = this.#dependencies.addNotes?.(agent, noted) ?? noted;
    if (this.host.title === undefined) this.rename(titleOf(wordsOf(message)));
    if (agent.status !== "idle") {
      this.#queue.add(agent, message, whenBusy);
      const left = Promise.withResolvers<"left">();
      const listening =
        signal &&
        onAbort(signal, () => {
          // What the user took out of the queue is theirs, and no reason to stop their run.
          const isDelivered = this.removeQueued(message.id) === undefined && hasMessage(agent, message);
          if (isDelivered) void this.stop();
          else left.resolve("left");
        });
      const ended = await Promise.race([agent.waitForIdle(), left.promise]);
      listening?.dispose();
      if (ended === "left") return { reason: "aborted", text: "" };
      return { reason: this.#runs.lastEnd?.reason ?? "aborted", text: answerAfter(message, agent) };
    }
    // What came since, as of its file that was deleted, is news.
    this.notices.clear(seen);
    const listening = signal && onAbort(signal, () => void this.stop());
    const summary = await this.#run(agent, message);
    listening?.dispose();
    return { ...summary, text: answerAfter(message, agent) };
  }

  /** Not by the agent's stream, which has no reader: it would buffer each delta until the run has ended. */
  async #run(agent: Agent, message: UserMessage): Promise<Omit<RunSummary, "text">> {
    const before = this.#runs.lastEnd;
    try {
      const { reason } = await agent.prompt(message);
      return { reason };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const end = this.#runs.lastEnd === before ? undefined : this.#runs.lastEnd;
      return { reason: end?.reason ?? "error", error: error.message };
    }
  }

  /** Asks again after a failed request, goes on with a run that was interrupted, or gives a task again. */
  async retry(task?: RetriedTask): Promise<void> {
    const agent = this.#root.known();
    if (agent === undefined || agent.status !== "idle") return;
    this.refuseWhileReadOnly();
    if (this.#dependencies.beforeSend !== undefined) await this.#dependencies.beforeSend(this);
    this.#dependencies.configure(agent, this);
    this.notices.clear();
    // The interrupted call waits for its answer, as it did.
    if (this.#resumption !== undefined && !(await this.#resumption.answered())) return;
    const cutOff = this.isInterrupted ? await import("./restore/cutOffWork.ts") : undefined;
    const work = cutOff && (await cutOff.cutOffWorkIn(this, agent));
    if (agent.status !== "idle" || this.#isGoingOn) return;
    this.#isGoingOn = true;
    try {
      await this.#resumption?.revise(agent);
      if (cutOff !== undefined && work !== undefined) {
        await cutOff.reopenCalls(agent, work, (of, body) => this.#runs.add(of, body));
        // Those that do not go on have ended.
        this.emit({ type: "interrupted", agentIds: [agent.id, ...work.agentIds] });
      }
      this.retryModel = task?.model;
      if (task !== undefined) addRetry(agent, task);
      const children = task === undefined ? work?.children : {};
      await agent.continue(children === undefined ? {} : { children });
    } catch (error) {
      // How a run failed says its end, which `RunEvents` sees; anything else is a fault of ours.
      if (!(error instanceof AgentError)) throw error;
    } finally {
      this.retryModel = undefined;
      this.#isGoingOn = false;
    }
  }

  /** Aborted by the next stop of the whole run: what is about to be sent is then not sent. */
  get nextStop(): AbortSignal {
    return this.#nextStop.signal;
  }

  /** If it was ever asked something, its agent is there and as the settings say. */
  wake(): void {
    if (this.#root.current !== undefined || this.earlier !== undefined) this.#root.configured();
  }

  /** Stops the whole run, or one agent and what it spawned. */
  async stop(agentId?: string): Promise<void> {
    if (agentId === undefined) {
      this.#resumption?.cancel();
      this.#nextStop.abort();
      this.#nextStop = new AbortController();
    }
    this.refuseWhileReadOnly();
    const target = agentId === undefined ? this.#root.current : this.#root.current?.find(agentId);
    if (target === undefined && agentId !== undefined) this.#dependencies.stopSpawned?.(this, agentId);
    await target?.abort(new UserStop());
  }

  /** Steers a running agent anywhere in the tree. False when it does not run any more. */
  steer(agentId: string, message: UserMessage): boolean {
    const target = this.#root.current?.find(agentId);
    if (target === undefined || target.status === "idle") return false;
    const ours = this.#dependencies.addNotes?.(target, message) ?? message;
    const isRoot = target === this.#root.current;
    this.#queue.add(target, ours, "steer", isRoot ? undefined : (target.info().name ?? agentId));
    return true;
  }

  /** Takes a queued message back; undefined when it was delivered meanwhile. */
  removeQueued(messageId: string): UserMessage | undefined {
    return this.#queue.cancel(messageId);
  }

  /** A queued message waits no longer: the agent gets it after its current tools. */
  async sendQueued(messageId: string): Promise<void> {
    const message = this.removeQueued(messageId);
    if (message !== undefined) await this.send(message, "steer");
  }

  /** Throws a `UserError` where another window has the chat: what is set here would hold for nothing there. */
  refuseWhileReadOnly(): void {
    if (!this.isReadOnly) return;
    if (this.isClosedElsewhere)
      throw new UserError(t("The other window has closed this chat. Choose Continue here first."));
    throw new UserError(t("This chat is open in another window. Go on there, or fork it."));
  }

  emit(event: HostEvent): void {
    this.log.appendHost(event);
    this.#runs.waitingTimes.observe(event);
    if (concernsPending(event)) this.#dependencies.onActivity(this);
  }

  /** Removes a message of the user's with all that followed, and gives what was removed. */
  async rewindTo(messageId: string): Promise<RemovedMessages> {
    this.refuseWhileReadOnly();
    this.left?.withdraw();
    return this.#transcript.rewindTo(messageId);
  }

  /** Adds messages again that a rewind removed: behind the one that was left before them, ahead of what came since. */
  async putBack(messages: readonly AgentMessage[], after?: string): Promise<void> {
    this.refuseWhileReadOnly();
    await this.#transcript.putBack(messages, after);
  }

  transcriptOf(agentId: string): AgentTranscript | undefined {
    return this.#transcript.of(agentId);
  }

  /** Disposed with the chat, as soon as its agents are stopped. */
  own(part: { dispose(): void }): void {
    if (this.#isDisposed) part.dispose();
    else this.#owned.push(part);
  }

  /** A run that is under way is cut off, not stopped: its session shows so when it is opened again. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const closed = this.#recording.close();
    this.#resumption?.cancel();
    const stopped = this.#root.current?.dispose();
    for (const part of this.#owned) part.dispose();
    await stopped;
    await closed;
  }
}

function hasMessage({ messages }: Agent, { id }: UserMessage): boolean {
  return messages.some((message) => message.id === id);
}
