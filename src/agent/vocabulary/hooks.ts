import type { AgentError } from "./errors.ts";
import type { AgentMeta, EndReason, EventBody, LimitName } from "./events.ts";
import type {
  AgentMessage,
  AssistantMessage,
  LlmMessage,
  ToolCall,
  ToolResult,
  ToolResultMessage,
} from "./messages.ts";
import type { Model, ModelRequest, ThinkingLevel } from "./model.ts";
import type { AgentTool } from "./tools.ts";
import type { Usage } from "./usage.ts";

type Awaitable<T> = T | Promise<T>;

/** What a run shows the model, before any projection. */
export interface LoopContext {
  systemPrompt: string;
  messages: AgentMessage[];
  tools: AgentTool[];
}

/** Emits an event; the loop adds agent, session, run, sequence number and time. */
export type Emit = (event: EventBody) => void;

/** Ends the run once the open tool calls are answered. */
export type Stop = (reason: EndReason, options?: StopOptions) => void;

export interface StopOptions {
  error?: AgentError;
  /** Of a run that a limit ends: by default the last text of the run. */
  result?: unknown;
  limit?: LimitName;
  /** The limit in words. */
  limitText?: string;
  /** Before the next request: that one is still made, as the last, and none of its calls is run. */
  finalRequest?: boolean;
}

/** A turn that has ended: one model request and its tool batch. */
export interface TurnInfo {
  index: number;
  iteration: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  context: LoopContext;
  /** What this run would return if it ended now. */
  newMessages: AgentMessage[];
  signal: AbortSignal;
  emit: Emit;
  stop: Stop;
}

export interface ToolCallInfo {
  call: ToolCall;
  /** Validated arguments. */
  args: unknown;
  assistant: AssistantMessage;
  context: LoopContext;
  agent: AgentMeta;
  signal: AbortSignal;
}

export interface Transcript {
  list(): readonly AgentMessage[];
  /** Changes what the loop shows the model, never the agent's messages nor the stored session. */
  replace(next: AgentMessage[]): void;
  /** Adds real messages, with their events. */
  append(...messages: AgentMessage[]): void;
}

/** What an effect sees just before a request and just after its answer. `iteration` counts from 0 in each run. */
export interface IterationInfo {
  phase: "before" | "after";
  iteration: number;
  agent: AgentMeta;
  model: Model;
  transcript: Transcript;
  lastUsage?: Usage;
  estimatedTokens: number;
  signal: AbortSignal;
  /**
   * The request that would show these messages, with the run's system prompt and tools: what follows a message that was
   * sent before comes from the provider's cache up to there. The loop always gives it.
   */
  conversation?(messages: readonly AgentMessage[]): Promise<ModelRequest>;
  /** Asks the model beside the conversation. The signal, or an abort of the run, leaves the request at once. */
  complete(request: ModelRequest, options?: { signal?: AbortSignal }): Promise<AssistantMessage>;
  emit: Emit;
  stop: Stop;
}

export interface Effect {
  name?: string;
  before?(info: IterationInfo): Awaitable<void>;
  after?(info: IterationInfo): Awaitable<void>;
  /** Called at the start of each run. */
  reset?(): void;
  filterTools?(tools: AgentTool[], info: IterationInfo): AgentTool[];
}

export interface ToolCallBlock {
  block: true;
  reason?: string;
  terminate?: boolean;
}

export interface NextTurn {
  context?: LoopContext;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
}

/** The extension points of the loop; an absent hook does nothing. */
export interface LoopHooks {
  convertToLlm?(messages: readonly AgentMessage[]): Awaitable<LlmMessage[]>;
  transformContext?(messages: readonly AgentMessage[], signal: AbortSignal): Awaitable<AgentMessage[]>;
  getApiKey?(provider: string): Awaitable<string | undefined>;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing.
  beforeToolCall?(info: ToolCallInfo): Awaitable<ToolCallBlock | void>;
  afterToolCall?(
    info: ToolCallInfo & { result: ToolResult; isError: boolean },
    // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing.
  ): Awaitable<Partial<ToolResult> | void>;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing.
  prepareNextTurn?(turn: TurnInfo): Awaitable<NextTurn | void>;
  shouldStopAfterTurn?(turn: TurnInfo): Awaitable<boolean>;
  /** Validators: returned messages continue the run. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may simply return nothing.
  beforeFinish?(turn: TurnInfo & { result: unknown }): Awaitable<AgentMessage[] | void>;
  getSteeringMessages?(): Awaitable<AgentMessage[]>;
  getFollowUpMessages?(): Awaitable<AgentMessage[]>;
}

/** With what is no part of the library's surface. */
export interface ExtendedHooks extends LoopHooks {
  /**
   * What a call gets of a tool that the agent does not have: why not, and what to do instead. Asked for sub-agents too.
   * Default: that it is unknown, and which tools there are.
   */
  missingTool?(name: string): string | undefined;
  /**
   * Other arguments for a call, or why it must not run. Asked of the agent alone, before `beforeToolCall`, which is asked
   * about the new arguments once the tool's schema has let them through.
   */
  reviseCall?(info: ToolCallInfo): Awaitable<{ args: unknown } | ToolCallBlock | undefined>;
}

export type ReviseCallHook = NonNullable<ExtendedHooks["reviseCall"]>;

export type MissingToolHook = NonNullable<ExtendedHooks["missingTool"]>;
