import type { Compactor } from "../context/compaction.ts";
import type { Skill } from "../context/skills.ts";
import type { LoopConfig, RunOptions, WhenBusy } from "../loop/runTypes.ts";
import type { SessionStore } from "../session/store.ts";
import type { AgentDirectory } from "../toolkits/delegation.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { LimitName } from "../vocabulary/events.ts";
import { type AgentMessage, type AssistantMessage, type UserMessage, userMessage } from "../vocabulary/messages.ts";
import type { Model, ThinkingLevel } from "../vocabulary/model.ts";
import type { AgentSnapshot } from "../vocabulary/pause.ts";
import { copyPlain, freezePlain, plainJson } from "../vocabulary/plainJson.ts";
import type { AgentTool, Toolbox } from "../vocabulary/tools.ts";
import type { Usage } from "../vocabulary/usage.ts";
import type { Middleware } from "./middleware.ts";
import type { OwnerScope } from "./subAgents.ts";

/** How many queued messages one delivery takes. */
export type QueueMode = "one-at-a-time" | "all";

/** A text, the parts of a user message, or whole messages. */
export type Input = string | UserMessage["content"] | AgentMessage | AgentMessage[];

/** How an agent continues. */
export interface ContinueOptions extends RunOptions {
  /**
   * Goes on with a run that was cut off: the calls of the last answer that have no result run again, with the sub-agents
   * they had, by call id. What these spent must be in what this agent has spent.
   */
  children?: AgentSnapshot["children"];
}

/** Refers to a queued message, to take it back. */
export interface QueueHandle {
  readonly id: string;
}

/** What an agent is made of. `model` and `streamFn` are required for a root; a sub-agent takes its parent's. */
export interface AgentOptions extends Partial<Omit<LoopConfig, "meta">> {
  /** Default: a random one. */
  id?: string;
  /** Default: a random one. A sub-agent has its root's. */
  sessionId?: string;
  /** By which others know it, in events too. */
  name?: string;
  /** Who it is, as the prompt says it; without one, its name and description. */
  identity?: string;
  /** What it is for, as others see it. */
  description?: string;
  /** Its instructions, as a part of the prompt that is built. */
  instructions?: string;
  /** Used as it is; without it, the prompt is built from name, instructions, project context, skills and registry. */
  systemPrompt?: string;
  /**
   * What the prompt says of the project, in place of AGENTS.md. A function is asked before the first request, and again
   * before each run until it knows.
   */
  projectContext?: string | (() => Promise<string | undefined>);
  /** Shown before the agent's name; default "🤖". */
  prefix?: string;
  /** What it is for, "reviewer" for one; teams find their members by it. */
  type?: string;
  /** What its work is, in a few words: shown with its name, or where it has none. */
  label?: string;
  /** Where the nearest AGENTS.md is looked for, unless there is a project context. */
  cwd?: string;
  /** The transcript it begins with. */
  messages?: AgentMessage[];
  tools?: (AgentTool | Toolbox)[];
  /** Adds `load_skill`. */
  skills?: Skill[];
  /** Adds the delegation tools. */
  registry?: AgentDirectory;
  /** The first is outermost. */
  middleware?: Middleware[];
  /** Default "one-at-a-time", as for follow-ups. */
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  /** Default "reject". */
  whenBusy?: WhenBusy;
  /** Whether what is queued starts a run of its own after an abort or a failure; default false. */
  resumeQueuedAfterAbort?: boolean;
  /** Requests per run. */
  maxTurns?: number;
  /** USD per run, of this agent alone. */
  maxCost?: number;
  /** Tokens per run, of this agent alone. */
  maxTokens?: number;
  /** The greatest depth an agent below may have; 0 allows no children. */
  maxDepth?: number;
  /** USD of the whole tree. */
  maxSpend?: number;
  /** Which of the parent's tools a sub-agent takes: all, none or the named ones. */
  inherit?: "none" | "union" | string[];
  /** Default "error". */
  onLimit?: "error" | "forceComplete" | ((limit: LimitName) => Promise<"extend" | "wrapUp" | "stop">);
  /** Where its messages are stored as they come. */
  session?: SessionStore;
  /**
   * Whether its sub-agents are stored in the session too. An agent that resumes then goes on with the calls that were
   * open; without it, they count as interrupted.
   */
  durable?: boolean;
  /** Asked before every request. */
  compactor?: Compactor;
  /** Spent earlier. */
  usage?: Usage;
  /** The same with what its descendants spent; default `usage`. */
  totalUsage?: Usage;
  /** Ends the agent with itself. */
  owner?: OwnerScope;
  /** Models that may be switched to. */
  models?: Model[];
}

/** A copy of what an agent is doing. */
export interface AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  messages: AgentMessage[];
  isStreaming: boolean;
  streamingMessage?: AssistantMessage;
  /** Ids of calls that have started and not ended. */
  pendingToolCalls: string[];
  /** Of the last run, until the next one starts. */
  errorMessage?: string;
  /** Requests made in the agent's life. */
  turnIndex: number;
  /** Ids of the user messages, which can be rewound to. */
  checkpoints: string[];
}

export type AgentStatus = "idle" | "streaming" | "executing_tools";

export interface AgentInfo {
  id: string;
  name?: string;
  description?: string;
  type?: string;
  role: "orchestrator" | "worker";
  status: AgentStatus;
  turnIndex: number;
  usage: Usage;
  /** USD */
  cost: number;
  /** The model's id. */
  model: string;
}

/** How an agent lives in a team. */
export interface TeamMembership {
  whenBusy: WhenBusy;
  resumeQueuedAfterAbort: boolean;
  onDispose(): void;
}

/** The messages of an input. Throws "bad_input" when there is nothing in it. */
export function toMessages(input: Input): AgentMessage[] {
  const messages = split(input);
  if (messages.length === 0) throw nothing();
  // What applications hand in stays theirs, and goes into events, which are plain JSON.
  return messages.map((message) =>
    freezePlain(copyPlain(plainJson(message.id ? message : { ...message, id: crypto.randomUUID() }) as AgentMessage)),
  );
}

function split(input: Input): AgentMessage[] {
  if (typeof input === "string") return input === "" ? [] : [userMessage(input)];
  if (!Array.isArray(input)) {
    if (typeof input !== "object" || input === null) throw nothing();
    return [input];
  }
  const [first] = input;
  if (first === undefined) return [];
  // A list holds either parts or messages, which the type says and its first entry shows.
  if ("role" in first) return [...(input as AgentMessage[])];
  const content = [...(input as UserMessage["content"])];
  return [{ role: "user", id: crypto.randomUUID(), content, timestamp: Date.now() }];
}

function nothing(): AgentError {
  return new AgentError("bad_input", "There is nothing to send: the input is empty.");
}
