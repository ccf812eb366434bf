import assert from "node:assert/strict";
import type {
  Agent,
  AgentCreator,
  AgentError,
  AgentErrorCode,
  AgentEvent,
  AgentInfo,
  AgentLogEntry,
  AgentMessage,
  AgentMeta,
  AgentOptions,
  AgentRegistry,
  AgentResponseMessage,
  AgentSpec,
  AgentState,
  AgentStatus,
  AgentTool,
  AgentTree,
  AssistantMessage,
  Chapter,
  Compaction,
  Compactor,
  CustomMessages,
  Effect,
  Emit,
  EndReason,
  EventBase,
  EventBody,
  EventStream,
  ExecutionScope,
  ImagePart,
  Input,
  IterationInfo,
  LimitName,
  LlmMessage,
  LoopConfig,
  LoopContext,
  LoopHooks,
  MessageDelta,
  Middleware,
  Model,
  ModelRequest,
  OwnerScope,
  Price,
  QueueHandle,
  QueueMode,
  RegistryEntry,
  Runner,
  RunOptions,
  RunResult,
  SerializedError,
  SessionRow,
  SessionStore,
  Skill,
  SkillFiles,
  StepResult,
  Stop,
  StopReason,
  StreamEvent,
  StreamFn,
  StreamOptions,
  SummaryMessage,
  Team,
  TextPart,
  ThinkingLevel,
  ThinkingPart,
  ToolActivity,
  Toolbox,
  ToolCall,
  ToolCallInfo,
  ToolContext,
  ToolDefinition,
  ToolResult,
  ToolResultMessage,
  Transcript,
  TreeNode,
  TurnInfo,
  Usage,
  UserMessage,
  Validator,
  WhenBusy,
} from "../../src/agent/index.ts";
import * as library from "../../src/agent/index.ts";

/** Both ways, so that neither a lost nor a stricter member goes unnoticed. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Extends<A, B> = A extends B ? true : false;
/** There may be more than what is pinned. */
type Has<Actual, Pinned extends Actual> = Pinned extends Actual ? true : never;

/** The members that such a value must have. */
type Needed<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];
/** Compiles only with `true`s: this is where names and shapes are pinned. */
function pin<_Checks extends readonly true[]>(): void {}

type MessageEvent = Extract<AgentEvent, { type: "message_update" }>;
type EndEvent = Extract<AgentEvent, { type: "agent_end" }>;
type UsageEvent = Extract<AgentEvent, { type: "usage" }>;

describe("the public surface", () => {
  it("exports the functions and classes of the design", () => {
    const values = [
      "Agent",
      "AgentError",
      "AgentRegistry",
      "FatalToolError",
      "JsonlSessionStore",
      "MemorySessionStore",
      "Team",
      "Toolbox",
      "addUsage",
      "buildSystemPrompt",
      "compactEffect",
      "composeHooks",
      "contextPercent",
      "contextTokens",
      "controlTools",
      "costOf",
      "createScope",
      "defaultCompactor",
      "defaultConvertToLlm",
      "defineTool",
      "delegationTools",
      "emptyTree",
      "emptyUsage",
      "estimateTokens",
      "findAgentsMd",
      "isLlmMessage",
      "jsonSchemaTool",
      "limitsEffect",
      "loadSkills",
      "loadTeam",
      "logFromEvents",
      "logger",
      "orchestratorTools",
      "outputGuardrail",
      "recovery",
      "reduceTree",
      "repairTranscript",
      "resolveTools",
      "rootAgentCreator",
      "runLoop",
      "runStep",
      "skillTools",
      "teamTools",
      "textOf",
      "timeout",
      "toolDefinition",
      "trimToolResultsEffect",
      "truncateOutput",
      "userMessage",
    ];
    const exported: Record<string, unknown> = { ...library };
    assert.deepEqual(
      values.filter((name) => typeof exported[name] !== "function"),
      [],
    );
  });

  it("has nothing that is only the library's own", () => {
    const inner = ["assertNever", "createOwnerScope", "createAgent", "joinTeam", "joinSession", "configurationOf"];
    assert.deepEqual(
      inner.filter((name) => name in library),
      [],
    );
    assert.deepEqual(
      ["configuration", "joinSession", "place"].filter((name) => name in library.Agent.prototype),
      [],
    );
    pin<[Same<ConstructorParameters<typeof Agent>, [options: AgentOptions]>]>();
  });

  it("has the methods of Agent, Team, Toolbox, registry and stores", () => {
    const agent = ["send", "prompt", "run", "continue", "nudge", "steer", "followUp", "cancelQueued", "clearQueues"];
    const more = ["hasQueued", "find", "abort", "waitForIdle", "dispose", "addMessage", "subscribe", "state", "turns"];
    const views = [
      "messages",
      "status",
      "usage",
      "ownUsage",
      "contextPercent",
      "contextUsage",
      "estimateTokens",
      "info",
    ];
    const setters = ["setModel", "setSystemPrompt", "setThinkingLevel", "setTools", "addTool", "removeTool"];
    const rest = ["addToolboxes", "setToolExecution", "setRegistry", "reset", "rewindTo", "checkpoint", "asTool"];
    const missing = (names: readonly string[], prototype: object) => names.filter((name) => !(name in prototype));
    assert.deepEqual(missing([...agent, ...more, ...views, ...setters, ...rest], library.Agent.prototype), []);
    assert.equal(typeof library.Agent.resume, "function");
    const team = [
      "add",
      "spawn",
      "waitForIdle",
      "find",
      "whereis",
      "list",
      "ask",
      "delegate",
      "respond",
      "destroy",
      "interrupt",
    ];
    assert.deepEqual(missing([...team, "subscribe", "dispose"], library.Team.prototype), []);
    assert.deepEqual(missing(["add", "get", "list"], library.Toolbox.prototype), []);
    assert.deepEqual(missing(["register", "get", "list", "spawn"], library.AgentRegistry.prototype), []);
    const store = ["append", "list", "truncateFrom", "latestChapter", "chapterBefore", "getMeta", "setMeta", "close"];
    assert.deepEqual(missing(store, library.MemorySessionStore.prototype), []);
    assert.deepEqual(missing(store, library.JsonlSessionStore.prototype), []);
  });

  it("keeps the shapes of model, usage and messages", () => {
    pin<
      [
        Same<ThinkingLevel, "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max">,
        Same<Usage, Record<"input" | "output" | "cacheRead" | "cacheWrite" | "reasoning" | "cost", number>>,
        Same<Price, { input: number; output: number; cacheRead?: number; cacheWrite?: number }>,
        Same<keyof Model, "id" | "provider" | "name" | "contextWindow" | "maxOutput" | "price" | "baseUrl">,
        Same<ModelRequest, { systemPrompt: string; messages: LlmMessage[]; tools: ToolDefinition[] }>,
        Same<StreamFn, (m: Model, r: ModelRequest, o: StreamOptions) => AsyncIterable<StreamEvent>>,
        Same<
          Exclude<keyof StreamOptions, "output">,
          | "signal"
          | "apiKey"
          | "thinkingLevel"
          | "sessionId"
          | "maxOutput"
          | "cacheLifetime"
          | "temperature"
          | "headers"
          | "onRequest"
          | "rewriteRequest"
          | "onResponse"
        >,
        Same<MessageDelta["type"], DeltaType>,
        Same<StreamEvent["type"], DeltaType | "start" | "retry" | "warning" | "done" | "error">,
        Same<StopReason, "stop" | "toolUse" | "length" | "error" | "aborted">,
        Same<TextPart, { type: "text"; text: string }>,
        Same<ImagePart, { type: "image"; mimeType: string; data: string }>,
        Same<ThinkingPart, { type: "thinking"; text: string; signature?: string }>,
        Same<ToolCall, { type: "toolCall"; id: string; name: string; arguments: unknown }>,
        Same<UserMessage["content"], (TextPart | ImagePart)[]>,
        Same<AssistantMessage["content"], (ThinkingPart | TextPart | ToolCall)[]>,
        Has<
          keyof AssistantMessage,
          "role" | "id" | "content" | "model" | "provider" | "usage" | "stopReason" | "errorMessage" | "timestamp"
        >,
        Same<
          keyof ToolResultMessage,
          "role" | "id" | "callId" | "toolName" | "content" | "isError" | "details" | "timestamp"
        >,
        Same<SummaryMessage, { role: "summary"; id: string; text: string; keepFrom?: string; timestamp: number }>,
        Same<AgentResponseMessage["from"], { id: string; name?: string }>,
        Same<LlmMessage, UserMessage | AssistantMessage | ToolResultMessage>,
        Same<AgentMessage, LlmMessage | SummaryMessage | AgentResponseMessage | CustomMessages[keyof CustomMessages]>,
      ]
    >();
  });

  it("keeps the shapes of events, errors and the tree", () => {
    pin<
      [
        Same<keyof AgentMeta, "id" | "name" | "prefix" | "depth" | "parentId" | "toolCallId" | "label" | "model">,
        Same<EventBase, { agent: AgentMeta; sessionId: string; runId: string; seq: number; timestamp: number }>,
        Same<EndReason, "done" | "completed" | "returned" | "stopped" | "limit" | "aborted" | "error" | "paused">,
        Same<LimitName, "turns" | "cost" | "spend" | "tokens" | "depth" | "iterations" | "time">,
        Same<SerializedError, { code: AgentErrorCode; message: string }>,
        Same<EventBody["type"], EventType>,
        Same<MessageEvent["delta"], MessageDelta>,
        Same<EndEvent["reason"], EndReason>,
        Same<EndEvent["usage"], Usage>,
        Same<UsageEvent["own"], Usage>,
        Same<EventStream<string, number>["result"], Promise<number>>,
        Same<AgentErrorCode, ErrorCode>,
        Same<AgentError["code"], AgentErrorCode>,
        Same<AgentTree, { nodes: Record<string, TreeNode>; roots: string[]; lastSeq: number }>,
        Same<TreeNode["status"], "running" | "done" | "error" | "aborted" | "limit">,
        Same<keyof TreeNode, TreeNodeKey>,
        Same<
          keyof ToolActivity,
          "callId" | "toolName" | "label" | "args" | "status" | "output" | "result" | "durationMs"
        >,
        Same<typeof library.reduceTree, (tree: AgentTree, event: AgentEvent) => AgentTree>,
      ]
    >();
  });

  it("keeps the shapes of tools, hooks and the loop", () => {
    pin<
      [
        Same<ToolDefinition, { name: string; description: string; parameters: Record<string, unknown> }>,
        Same<
          Exclude<keyof AgentTool, "freeText">,
          | "name"
          | "description"
          | "label"
          | "schema"
          | "executionMode"
          | "prepareArguments"
          | "execute"
          | "needsApproval"
        >,
        Same<keyof ToolResult, "content" | "details" | "isError" | "terminate" | "control">,
        Same<NonNullable<ToolResult["control"]>, { type: "complete" | "return_to_user"; value: unknown }>,
        Same<
          keyof ToolContext,
          | "signal"
          | "callId"
          | "agent"
          | "depth"
          | "tools"
          | "subAgents"
          | "scope"
          | "update"
          | "output"
          | "reportUsage"
        >,
        Same<
          keyof TurnInfo,
          "index" | "iteration" | "message" | "toolResults" | "context" | "newMessages" | "signal" | "emit" | "stop"
        >,
        Same<keyof ToolCallInfo, "call" | "args" | "assistant" | "context" | "agent" | "signal">,
        Same<Exclude<keyof IterationInfo, "conversation">, IterationKey>,
        Same<Emit, (event: EventBody) => void>,
        Same<Parameters<Stop>[0], EndReason>,
        Same<keyof Transcript, "list" | "replace" | "append">,
        Same<keyof Effect, "name" | "before" | "after" | "reset" | "filterTools">,
        Same<keyof LoopHooks, HookName>,
        Same<LoopContext, { systemPrompt: string; messages: AgentMessage[]; tools: AgentTool[] }>,
        Same<keyof LoopConfig, LoopConfigKey>,
        Has<keyof RunResult, "reason" | "messages" | "finalMessage" | "result" | "usage" | "error">,
        Same<Parameters<typeof library.runLoop>, Parameters<RunLoop>>,
        Same<ReturnType<typeof library.runLoop>, EventStream<AgentEvent, RunResult>>,
        Same<ReturnType<typeof library.composeHooks>, LoopHooks>,
      ]
    >();
  });

  it("keeps the shapes of agents, scopes, teams and sessions", () => {
    pin<
      [
        Same<QueueMode, "one-at-a-time" | "all">,
        Same<WhenBusy, "reject" | "followUp" | "steer">,
        Same<Input, string | UserMessage["content"] | AgentMessage | AgentMessage[]>,
        Has<keyof RunOptions, "signal" | "whenBusy" | "scope">,
        Same<keyof AgentOptions, AgentOptionKey>,
        Extends<ReturnType<Agent["send"]>, EventStream<AgentEvent, RunResult>>,
        Same<ReturnType<Agent["prompt"]>, Promise<RunResult>>,
        Same<ReturnType<Agent["run"]>, Promise<AssistantMessage>>,
        Same<ReturnType<Agent["continue"]>, Promise<RunResult>>,
        Same<ReturnType<Agent["steer"]>, QueueHandle>,
        Same<AgentStatus, "idle" | "streaming" | "executing_tools">,
        Same<Agent["status"], AgentStatus>,
        Same<Agent["role"], "orchestrator" | "worker">,
        Same<ReturnType<Agent["subscribe"]>, () => void>,
        Same<ReturnType<Agent["contextUsage"]>, { used: number; total: number | undefined }>,
        Same<keyof AgentState, StateKey>,
        Same<keyof AgentInfo, InfoKey>,
        Same<keyof ExecutionScope, ScopeKey>,
        Same<keyof OwnerScope, "signal" | "closed" | "adopt" | "close">,
        Same<keyof AgentCreator, "create">,
        Same<RegistryEntry, { name: string; description: string; skills?: string[] }>,
        Same<AgentRegistry["spawn"], (name: string, depth: number, parent?: ToolContext) => Agent | undefined>,
        Same<ReturnType<Toolbox["get"]>, AgentTool | undefined>,
        Has<keyof AgentSpec, "type" | "name" | "description" | "systemPrompt" | "model" | "tools" | "skills">,
        Same<ReturnType<Team["ask"]>, Promise<string>>,
        Same<Skill, { name: string; description?: string; content: string; dir: string }>,
        Same<keyof SkillFiles, "readDir" | "readText">,
        Same<Runner, (signal: AbortSignal) => Promise<RunResult>>,
        Same<Middleware, (next: Runner, agent: AgentMeta) => Runner>,
        Same<Validator["kind"], "fn" | "schema" | "agent">,
        Same<keyof StepResult, "result" | "valid" | "attempts" | "reason" | "feedback" | "usage">,
        Same<SessionRow, { id: number; agentId: string; message: AgentMessage }>,
        Same<Chapter, { rows: SessionRow[]; before: number | undefined }>,
        Same<keyof SessionStore, StoreKey>,
        Same<keyof AgentLogEntry, LogKey>,
        Same<Awaited<ReturnType<Compactor>>, "skip" | Compaction>,
        Same<Compaction, { summary: string; keepFrom?: string }>,
        Same<ReturnType<typeof library.createScope>, ExecutionScope>,
      ]
    >();
  });

  it("asks of an application's own values for no more than the design does", () => {
    pin<
      [
        Same<Needed<Model>, "id" | "provider">,
        Same<Needed<Usage>, "input" | "output" | "cacheRead" | "cacheWrite" | "reasoning" | "cost">,
        Same<Needed<StreamOptions>, never>,
        Same<Needed<RunOptions>, never>,
        Same<Needed<AgentOptions>, never>,
        Same<Needed<Effect>, never>,
        Same<Needed<LoopHooks>, never>,
        Same<Needed<TextPart>, "type" | "text">,
        Same<Needed<ThinkingPart>, "type" | "text">,
        Same<Needed<ToolCall>, "type" | "id" | "name" | "arguments">,
        Same<Needed<UserMessage>, "role" | "id" | "content" | "timestamp">,
        Same<Needed<AssistantMessage>, "role" | "id" | "content" | "model" | "provider" | "stopReason" | "timestamp">,
        Same<Needed<ToolResultMessage>, "role" | "id" | "callId" | "toolName" | "content" | "isError" | "timestamp">,
        Same<Needed<SummaryMessage>, "role" | "id" | "text" | "timestamp">,
        Same<Needed<AgentResponseMessage>, "role" | "id" | "from" | "text" | "timestamp">,
        Same<Needed<AgentMeta>, "id" | "prefix" | "depth">,
        Same<Needed<ToolDefinition>, "name" | "description" | "parameters">,
        Same<Needed<AgentTool>, "name" | "description" | "schema" | "execute">,
        Same<Needed<ToolResult>, "content">,
        Same<Needed<ToolContext>, keyof ToolContext>,
        Same<Needed<TurnInfo>, keyof TurnInfo>,
        Same<Needed<ToolCallInfo>, keyof ToolCallInfo>,
        Same<Needed<IterationInfo>, Exclude<IterationKey, "lastUsage">>,
        Same<Needed<LoopConfig>, "model" | "streamFn">,
        Same<Needed<RunResult>, "reason" | "messages" | "usage">,
        Same<Needed<AgentState>, Exclude<StateKey, "streamingMessage" | "errorMessage">>,
        Same<Needed<AgentInfo>, "id" | "role" | "status" | "turnIndex" | "usage" | "cost" | "model">,
        Same<Needed<ExecutionScope>, Exclude<ScopeKey, "maxDepth" | "maxSpend">>,
        Same<Needed<AgentSpec>, "type" | "name" | "description" | "systemPrompt" | "model">,
        Same<Needed<Compaction>, "summary">,
        Same<Needed<StepResult>, "result" | "valid" | "attempts" | "reason" | "usage">,
        Same<Needed<AgentLogEntry>, Exclude<LogKey, "parentTrace">>,
        Same<Needed<TreeNode>, Exclude<TreeNodeKey, "earlierMs" | "endedAt" | "error" | "retry">>,
        Same<Needed<ToolActivity>, "callId" | "toolName" | "args" | "status" | "output">,
      ]
    >();
  });

  it("reads events that have no more than the design's members", () => {
    pin<
      [
        Same<Needed<EventOf<"agent_start">>, "type">,
        Same<Needed<EventOf<"agent_end">>, "type" | "reason" | "messages" | "usage">,
        Same<Needed<EventOf<"turn_end">>, "type" | "index" | "message" | "toolResults">,
        Same<Needed<EventOf<"message_update">>, "type" | "messageId" | "delta">,
        Same<Needed<EventOf<"tool_execution_start">>, "type" | "callId" | "toolName" | "args">,
        Same<Needed<EventOf<"tool_execution_update">>, "type" | "callId" | "toolName">,
        Same<
          Needed<EventOf<"tool_execution_end">>,
          "type" | "callId" | "toolName" | "result" | "isError" | "durationMs"
        >,
        Same<Needed<EventOf<"usage">>, "type" | "delta" | "own" | "total" | "contextTokens" | "contextPercent">,
        Same<Needed<EventOf<"queue_update">>, "type" | "steering" | "followUp">,
        Same<Needed<EventOf<"compaction_end">>, "type" | "kind" | "before" | "after">,
        Same<Needed<EventOf<"validation">>, "type" | "attempt" | "valid">,
        Same<Needed<EventOf<"agent_exit">>, "type" | "child">,
        Same<Needed<EventOf<"transcript">>, "type" | "messages" | "own" | "total" | "reason">,
        Same<Needed<EventOf<"retry">>, "type" | "attempt" | "delayMs" | "error">,
      ]
    >();
  });

  it("takes calls that are written as in the design", () => {
    const model: Model = { id: "m", provider: "p" };
    // Never called: that they compile is the test.
    const calls = [
      (i: Omit<IterationInfo, "conversation">) => library.compactEffect({ threshold: 0.8 }).before?.(i),
      (i: Omit<IterationInfo, "conversation">) => library.defaultCompactor({ keepRecent: 10, prompt: "" })([], i),
      (agent: Agent) => library.runStep({ agent, maxRuns: 1, maxCost: 1, exitCondition: (r: unknown) => !!r }, {}),
      (agent: Agent, registry: AgentRegistry) => library.delegationTools({ agent, registry, onError: "collect" }),
      (registry: AgentRegistry) => library.controlTools({ registry }),
      (team: Team) => library.orchestratorTools(team, { grantableTools: [], grantableSkills: [], models: [model] }),
      (streamFn: StreamFn) => new library.Team({ streamFn, id: "t" }),
      (streamFn: StreamFn) => library.loadTeam("team", { streamFn, models: [model], tools: [] }),
      () => library.buildSystemPrompt({ name: "a" }),
      (files: SkillFiles) => library.loadSkills([], { strict: true, files, onWarning: (m: string) => void m }),
      (scope: ExecutionScope) => library.limitsEffect({ scope, maxTurns: 1, maxCost: 1 }),
      () => library.trimToolResultsEffect({ maxLength: 500, preserveRecent: 4 }),
      () => library.logFromEvents((entry: AgentLogEntry) => void entry, { traceId: "t" }),
    ];
    assert.ok(calls.length > 0);
  });
});

type EventOf<T extends EventBody["type"]> = Extract<EventBody, { type: T }>;
type RunLoop = (
  prompts: AgentMessage[],
  context: LoopContext,
  config: LoopConfig,
  signal?: AbortSignal,
) => EventStream<AgentEvent, RunResult>;
type DeltaType =
  | "text_start"
  | "text_delta"
  | "text_end"
  | "thinking_start"
  | "thinking_delta"
  | "thinking_end"
  | "toolcall_start"
  | "toolcall_delta"
  | "toolcall_end";
type EventType =
  | "agent_start"
  | "agent_end"
  | "turn_start"
  | "turn_end"
  | "message_start"
  | "message_update"
  | "message_end"
  | "tool_execution_start"
  | "tool_execution_update"
  | "tool_execution_end"
  | "usage"
  | "queue_update"
  | "compaction_start"
  | "compaction_end"
  | "limit_reached"
  | "validation"
  | "agent_spawned"
  | "agent_exit"
  | "transcript"
  | "warning"
  | "retry";
type ErrorCode =
  | "busy"
  | "aborted"
  | "provider"
  | "max_tokens"
  | "max_iterations"
  | "limit"
  | "validation"
  | "hook"
  | "scope_closed"
  | "empty_transcript"
  | "cannot_continue"
  | "fatal_tool"
  | "bad_input"
  | "timeout"
  | "paused";
type TreeNodeKey =
  | "earlierMs"
  | "meta"
  | "status"
  | "children"
  | "messages"
  | "own"
  | "total"
  | "contextTokens"
  | "contextPercent"
  | "tools"
  | "startedAt"
  | "endedAt"
  | "error"
  | "retry";
type IterationKey =
  | "phase"
  | "iteration"
  | "agent"
  | "model"
  | "transcript"
  | "lastUsage"
  | "estimatedTokens"
  | "signal"
  | "complete"
  | "emit"
  | "stop";
type HookName =
  | "convertToLlm"
  | "transformContext"
  | "getApiKey"
  | "beforeToolCall"
  | "afterToolCall"
  | "prepareNextTurn"
  | "shouldStopAfterTurn"
  | "beforeFinish"
  | "getSteeringMessages"
  | "getFollowUpMessages";
type LoopConfigKey =
  | "externalTurn"
  | "model"
  | "streamFn"
  | "streamOptions"
  | "toolExecution"
  | "hooks"
  | "effects"
  | "maxIterations"
  | "abortGraceMs"
  | "scope"
  | "meta"
  | "thinkingLevel"
  | "toolTimeoutMs"
  | "turnRetries"
  | "clock";
type AgentOptionKey =
  | "externalTurn"
  | Exclude<LoopConfigKey, "meta">
  | "durable"
  | "totalUsage"
  | "id"
  | "sessionId"
  | "name"
  | "identity"
  | "description"
  | "instructions"
  | "systemPrompt"
  | "projectContext"
  | "prefix"
  | "type"
  | "label"
  | "cwd"
  | "messages"
  | "tools"
  | "skills"
  | "registry"
  | "middleware"
  | "steeringMode"
  | "followUpMode"
  | "whenBusy"
  | "resumeQueuedAfterAbort"
  | "maxTurns"
  | "maxCost"
  | "maxTokens"
  | "maxDepth"
  | "maxSpend"
  | "inherit"
  | "onLimit"
  | "session"
  | "compactor"
  | "usage"
  | "owner"
  | "models";
type StateKey =
  | "systemPrompt"
  | "model"
  | "thinkingLevel"
  | "tools"
  | "messages"
  | "isStreaming"
  | "streamingMessage"
  | "pendingToolCalls"
  | "errorMessage"
  | "turnIndex"
  | "checkpoints";
type InfoKey = "id" | "name" | "description" | "type" | "role" | "status" | "turnIndex" | "usage" | "cost" | "model";
type ScopeKey =
  | "traceId"
  | "depth"
  | "path"
  | "startedAt"
  | "maxDepth"
  | "maxSpend"
  | "spend"
  | "child"
  | "charge"
  | "check";
type StoreKey =
  | "append"
  | "list"
  | "truncateFrom"
  | "latestChapter"
  | "chapterBefore"
  | "getMeta"
  | "setMeta"
  | "close";
type LogKey = "traceId" | "depth" | "agentName" | "turn" | "action" | "cost" | "timestamp" | "data" | "parentTrace";
