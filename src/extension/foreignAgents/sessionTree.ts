// Long because each kind of update is a short method, and all of them work on the same sessions.
import { AgentError } from "../../agent/vocabulary/errors.ts";
import type { EndReason } from "../../agent/vocabulary/events.ts";
import type { ExternalAgent } from "../../agent/vocabulary/externalTurn.ts";
import { type AssistantMessage, textOf } from "../../agent/vocabulary/messages.ts";
import type { Usage } from "../../agent/vocabulary/usage.ts";
import type { PlanItem } from "../../protocol/hostEvents.ts";
import { visibleLine } from "../approvals/requestText.ts";
import {
  type PromptResult,
  promptUsage,
  type SessionUpdate,
  type SubAgentUpdate,
  type ToolCallUpdate,
} from "./protocol.ts";
import { SessionTranscript, type TranscriptOptions } from "./sessionTranscript.ts";
import { contentText, type ForeignCall, maxLabelLength } from "./toolCalls.ts";

/** More than any agent has reason to start; what those beyond do is not shown. */
const maxChildren = 200;
const maxDepth = 8;
const maxPlanItems = 100;

/** What an agent has reported of what it uses: what it has not is unknown, not nothing. */
export interface Reported {
  tokens: boolean;
  cost: boolean;
}

export interface SessionTreeOptions extends Pick<TranscriptOptions, "model" | "newId" | "now"> {
  /** The session of the agent itself. */
  sessionId: string;
  /** An agent has become part of the tree, or has reported something for the first time. */
  onAgent(agent: ExternalAgent, reported: Reported): void;
  onPlan(agentId: string, items: PlanItem[]): void;
  /** Whether its model calls a tool of ours by this name: such a call is shown where it runs. */
  isServed?(toolName: string): boolean;
}

interface Session {
  id: string;
  transcript: SessionTranscript;
  parent: Session | undefined;
  depth: number;
  isRunning: boolean;
  /** Its parent's call that shows it. */
  callId: string;
  title: string;
  task: string;
  reply: string;
  reported: Reported;
  /** Cumulative, in USD, as reported last. */
  cost: number;
  contextTokens: number;
  /** Of the context before a compaction whose outcome is not known yet. */
  compacting: number | undefined;
  messageIds: Set<string>;
}

/** The sessions of a foreign agent and of those that it spawned, as agents of our tree. */
export class SessionTree {
  readonly #options: SessionTreeOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #root: Session;
  #calls = 0;
  readonly #servedCalls = new Set<string>();
  #hasWarned = false;

  /** For one turn; `earlier` is the tree of the turn before. */
  constructor(agent: ExternalAgent, options: SessionTreeOptions, earlier?: SessionTree) {
    this.#options = options;
    const known = earlier && { cost: earlier.#root.cost, reported: earlier.#root.reported };
    this.#root = this.#newSession(options.sessionId, agent, { ...known });
  }

  /** The latest answer of the agent itself. */
  get latest(): AssistantMessage | undefined {
    return this.#root.transcript.latest;
  }

  /** Whether one that it spawned goes on. */
  get hasRunning(): boolean {
    return this.runningSessions.length > 0;
  }

  /** The session of an agent of the tree that can be canceled alone. */
  sessionOf(agentId: string): string | undefined {
    return [...this.#sessions.values()].find(({ transcript }) => transcript.agent.meta.id === agentId)?.id;
  }

  apply(sessionId: string, update: SessionUpdate): void {
    const session = this.#sessions.get(sessionId) ?? this.#unannounced(sessionId);
    if (session === undefined) return;
    const { transcript } = session;
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        // What the user said here is known.
        if (session !== this.#root) transcript.addUserMessage(contentText(update.content));
        break;
      case "agent_message_chunk":
        this.#working(session).addText("text", contentText(update.content), update.messageId ?? undefined);
        break;
      case "agent_thought_chunk":
        this.#working(session).addText("thinking", contentText(update.content), update.messageId ?? undefined);
        break;
      case "tool_call":
      case "tool_call_update":
        if (!this.isServed(update)) this.#working(session).updateCall(update, update.sessionUpdate === "tool_call");
        break;
      case "plan":
        this.#options.onPlan(
          transcript.agent.meta.id,
          (update.entries ?? [])
            .slice(0, maxPlanItems)
            .map(({ content, status }) => ({ text: visibleLine(content, maxLabelLength), status })),
        );
        break;
      case "usage_update":
        this.#reportContext(session, update);
        break;
      case "notice":
        this.#warn(session, [update.title, update.message].filter((part) => part).join(": "));
        break;
      case "compaction_update":
        this.#reportCompaction(session, update.status ?? update.state ?? "");
        break;
      case "subagent_update":
        this.#updateChild(session, update);
        break;
      case "session_message":
        this.#addMessage(session, update);
        break;
      case "current_mode_update":
      case "config_option_update":
      case "available_commands_update":
        break;
      default:
        update satisfies never;
    }
  }

  /** What the agent itself says and does here. */
  get transcript(): Pick<SessionTranscript, "addOwnCall" | "addOwnResult" | "endMessage"> {
    return this.#root.transcript;
  }

  /** Whether a call is one of a tool of ours, which is asked about where it runs. */
  isServed({ toolCallId, name, _meta }: ToolCallUpdate): boolean {
    const toolName = name ?? _meta?.claudeCode?.toolName ?? "";
    if (toolName !== "" && this.#options.isServed?.(toolName) === true) this.#servedCalls.add(toolCallId);
    return this.#servedCalls.has(toolCallId);
  }

  /** The call that a question is about, perhaps known by the question alone. */
  callOf(sessionId: string, toolCall: ToolCallUpdate): { agent: ExternalAgent; call: ForeignCall } | undefined {
    const session = this.#sessions.get(sessionId) ?? this.#unannounced(sessionId);
    if (session === undefined) return undefined;
    const call = this.#working(session).updateCall({ ...toolCall, status: "pending" }, true);
    return call && { agent: session.transcript.agent, call };
  }

  /** What the user said of a call, shown with its result. */
  noteCall(sessionId: string, toolCallId: string, text: string): void {
    this.#sessions.get(sessionId)?.transcript.noteCall(toolCallId, text);
  }

  get rootId(): string {
    return this.#root.transcript.agent.meta.id;
  }

  /** The call that changes a file, as far as one is under way that says so. */
  callFor(sessionId: string, path: string): string | undefined {
    return this.#sessions.get(sessionId)?.transcript.openCallFor(path);
  }

  /** What is known of its agents has changed. */
  reportAgain(): void {
    for (const { transcript, reported } of this.#sessions.values()) this.#options.onAgent(transcript.agent, reported);
  }

  /** Those that it spawned and that go on. */
  get runningSessions(): string[] {
    return [...this.#sessions.values()].flatMap((session) =>
      session !== this.#root && session.isRunning ? [session.id] : [],
    );
  }

  /** Where a file is read or written without a call of its own. */
  agentOf(sessionId: string): ExternalAgent | undefined {
    return this.#sessions.get(sessionId)?.transcript.agent;
  }

  reportPrompt(result: PromptResult): void {
    const delta = promptUsage(result);
    if (delta === undefined) return;
    this.#note(this.#root, "tokens");
    this.#root.transcript.agent.reportUsage(delta);
  }

  /** The turn is over: nothing of it goes on. */
  close(ending: "done" | "aborted" | "error", reason: string): void {
    for (const session of [...this.#sessions.values()].reverse()) {
      if (session === this.#root) continue;
      if (session.isRunning) this.#end(session, "aborted", reason);
    }
    this.#endCompaction(this.#root);
    this.#root.transcript.close(ending === "done" ? "stop" : ending, reason);
  }

  #newSession(id: string, agent: ExternalAgent, known: Partial<Session>): Session {
    const { model, newId, now, onAgent } = this.#options;
    const session: Session = {
      ...{ id, parent: undefined, depth: 0, isRunning: true },
      transcript: new SessionTranscript({ agent, model, newId, now }),
      ...{ callId: "", title: "", task: "", reply: "", cost: 0, contextTokens: 0, compacting: undefined },
      reported: { tokens: false, cost: false },
      messageIds: new Set(),
      ...known,
    };
    this.#sessions.set(id, session);
    onAgent(agent, session.reported);
    return session;
  }

  /** One that does something was given more to do. */
  #working(session: Session): SessionTranscript {
    if (!session.isRunning) this.#resume(session);
    return session.transcript;
  }

  /** A child that was never reported: it is shown below the agent itself. */
  #unannounced(sessionId: string): Session | undefined {
    return this.#createChild(this.#root, { id: sessionId, name: "agent", title: "", task: "" });
  }

  #updateChild(parent: Session, update: SubAgentUpdate): void {
    const { sessionId: id, title, description, state } = update;
    const known = this.#sessions.get(id);
    if (known === this.#root) return;
    const isName = description != null && /^[\w-]{1,40}$/.test(description);
    const session =
      known ??
      this.#createChild(parent, {
        ...{ id, name: isName ? description : "agent" },
        title: visibleLine(title ?? (isName ? "" : (description ?? "")), 80),
        task: isName ? "" : (description ?? ""),
      });
    if (session === undefined || state == null) return;
    if (state.state === "running" && !session.isRunning) this.#resume(session);
    if (state.state !== "idle" || !session.isRunning) return;
    const isAborted = state.stopReason === "cancelled";
    const hasFailed = state.error != null || state.stopReason === "refusal" || state.stopReason === "max_tokens";
    const reason =
      state.error == null ? (state.stopReason ?? "") : visibleLine(JSON.stringify(state.error), maxLabelLength);
    this.#end(session, isAborted ? "aborted" : hasFailed ? "error" : "done", reason);
  }

  #createChild(
    parent: Session,
    { id, name, title, task }: { id: string; name: string; title: string; task: string },
  ): Session | undefined {
    if (this.#sessions.size > maxChildren || parent.depth >= maxDepth) {
      if (!this.#hasWarned) this.#warn(this.#root, "It starts more agents than can be shown.");
      this.#hasWarned = true;
      return undefined;
    }
    const callId = `spawn ${this.#calls++}`;
    const call = this.#showSpawn(parent, callId, { name, title, task });
    const agent = parent.transcript.agent.createChild({
      name,
      ...(title !== "" && { label: title }),
      ...(call !== undefined && { toolCallId: call.callId }),
    });
    return this.#newSession(id, agent, { parent, depth: parent.depth + 1, callId, title, task });
  }

  #resume(session: Session): void {
    session.isRunning = true;
    if (session.parent === undefined) return;
    this.#working(session.parent);
    session.transcript.agent.resume();
  }

  #end(session: Session, reason: EndReason, text: string): void {
    session.isRunning = false;
    this.#endCompaction(session);
    session.transcript.close(reason === "done" ? "stop" : reason === "aborted" ? "aborted" : "error", text);
    const error = reason === "done" ? undefined : new AgentError(reason === "aborted" ? "aborted" : "provider", text);
    session.transcript.agent.end(reason, error);
    const { latest } = session.transcript;
    const answer = latest === undefined ? session.reply : textOf(latest);
    session.parent?.transcript.endCall(
      session.callId,
      reason === "done" ? answer : `${text}\n${answer}`.trim(),
      reason !== "done",
    );
  }

  /** The call by which its parent shows it: no agent reports one that can be relied on. */
  #showSpawn(parent: Session, callId: string, { name, title, task }: { name: string; title: string; task: string }) {
    const rawInput = { agent: name, ...(title !== "" && { title }), ...(task !== "" && { task }) };
    const nothing = { content: undefined, locations: undefined, rawOutput: undefined };
    const update = { toolCallId: callId, name: "delegate", title: "Delegate", kind: "think", ...nothing } as const;
    return this.#working(parent).updateCall({ ...update, status: "in_progress", rawInput }, true);
  }

  #addMessage(session: Session, update: Extract<SessionUpdate, { sessionUpdate: "session_message" }>): void {
    const { senderSessionId: from, recipientSessionId: to, messageId, content } = update;
    const text = (content ?? []).map(contentText).join("\n");
    if (messageId != null) {
      if (session.messageIds.has(messageId)) return;
      session.messageIds.add(messageId);
    }
    if (to === session.id) {
      const sender = this.#sessions.get(from);
      // The reply of a child, in its parent's transcript.
      if (sender?.parent === session) sender.reply = text;
      else if (session !== this.#root) this.#working(session).addUserMessage(text);
      return;
    }
    const child = this.#sessions.get(to);
    if (child === undefined || child.parent !== session || !child.isRunning || child.task !== "") return;
    child.task = text;
    const { meta } = child.transcript.agent;
    this.#showSpawn(session, child.callId, { name: meta.name ?? "agent", title: child.title, task: text });
  }

  #reportContext(session: Session, update: Extract<SessionUpdate, { sessionUpdate: "usage_update" }>): void {
    const { used, size, cost } = update;
    session.contextTokens = used;
    const delta: Partial<Usage> = {};
    // Other money can't be added to USD.
    if (cost != null && cost.currency === "USD") {
      // Less than before: the agent counts from 0 again.
      delta.cost = cost.amount < session.cost ? cost.amount : cost.amount - session.cost;
      session.cost = cost.amount;
      if (cost.amount > 0) this.#note(session, "cost");
    }
    session.transcript.agent.reportUsage(delta, { tokens: used, window: size });
    this.#endCompaction(session);
  }

  #note(session: Session, what: keyof Reported): void {
    if (session.reported[what]) return;
    session.reported = { ...session.reported, [what]: true };
    this.#options.onAgent(session.transcript.agent, session.reported);
  }

  #reportCompaction(session: Session, status: string): void {
    if (session.compacting !== undefined || !/^(?:in_progress|started|running|pending)$/.test(status)) return;
    session.compacting = session.contextTokens;
    session.transcript.agent.emit({ type: "compaction_start" });
  }

  /** How much is left is known by the next report of the context. */
  #endCompaction(session: Session): void {
    const before = session.compacting;
    if (before === undefined) return;
    session.compacting = undefined;
    session.transcript.agent.emit({ type: "compaction_end", kind: "summary", before, after: session.contextTokens });
  }

  #warn(session: Session, text: string): void {
    const message = visibleLine(text, 500);
    if (message !== "") session.transcript.agent.emit({ type: "warning", message });
  }
}
