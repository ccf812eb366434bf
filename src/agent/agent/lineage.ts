import type { OwnerScope } from "../delegation/ownership.ts";
import type { AgentNode } from "../loop/agentNode.ts";
import type { RunState } from "../loop/runState.ts";
import type { LoopHooks, MissingToolHook } from "../vocabulary/hooks.ts";
import type { Model, StreamFn } from "../vocabulary/model.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import type { AgentTool } from "../vocabulary/tools.ts";
import type { Agent } from "./agent.ts";
import type { LoopConfig } from "./runLoop.ts";

/** What a child takes from whoever made it, where it brings none of its own. */
export interface Inheritance {
  model: Model;
  streamFn: StreamFn;
  policies: Pick<LoopConfig, "streamOptions" | "abortGraceMs" | "toolTimeoutMs" | "turnRetries" | "thinkingLevel">;
  /** Asked besides the child's own: a child never may more than its ancestors. */
  beforeToolCall: NonNullable<LoopHooks["beforeToolCall"]>[];
  /** Asked after the child's own, nearest first. */
  missingTool: readonly MissingToolHook[];
  getApiKey: LoopHooks["getApiKey"];
}

/** Where a sub-agent comes from. */
export interface Lineage {
  node: AgentNode;
  agent: Agent | undefined;
  callId: string;
  tools: readonly AgentTool[];
  owner: OwnerScope;
  scope: ExecutionScope;
  inheritance: Inheritance;
}

/** What sub-agents take from a run. */
export function inheritanceOf(state: RunState): Inheritance {
  const { config, hooks, model, thinkingLevel, ancestorHooks, missingTool } = state;
  const { streamFn, streamOptions, abortGraceMs, toolTimeoutMs, turnRetries } = config;
  const own = hooks.beforeToolCall?.bind(hooks);
  return {
    model,
    streamFn,
    policies: {
      thinkingLevel,
      ...(streamOptions === undefined ? {} : { streamOptions }),
      ...(abortGraceMs === undefined ? {} : { abortGraceMs }),
      ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
      ...(turnRetries === undefined ? {} : { turnRetries }),
    },
    beforeToolCall: own === undefined ? ancestorHooks : [own, ...ancestorHooks],
    missingTool,
    getApiKey: hooks.getApiKey?.bind(hooks),
  };
}
