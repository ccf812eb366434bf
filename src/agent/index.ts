/** The agent library. Providers are in `providers/index.ts`, so that none is loaded that is not used. */
export {
  Agent,
  type AgentInfo,
  type AgentOptions,
  type AgentState,
  type Input,
  type QueueHandle,
  type QueueMode,
  type RunOptions,
  type WhenBusy,
} from "./agent/agent.ts";
export { logger, type Middleware, outputGuardrail, type Runner, recovery, timeout } from "./agent/middleware.ts";
export { AgentRegistry, type RegistryEntry } from "./agent/registry.ts";
export { type LoopConfig, type RunResult, runLoop } from "./agent/runLoop.ts";
export { type AgentCreator, rootAgentCreator } from "./agent/subagents.ts";
export { findAgentsMd } from "./context/agentsMd.ts";
export { compactEffect } from "./context/compactEffect.ts";
export { type Compactor, defaultCompactor } from "./context/compaction.ts";
export { buildSystemPrompt } from "./context/prompt.ts";
export { loadSkills, type Skill, type SkillFiles } from "./context/skills.ts";
export { trimToolResultsEffect } from "./context/trimToolResults.ts";
export { createOwnerScope, type OwnerScope } from "./delegation/ownership.ts";
export { runStep, type StepResult } from "./delegation/steps.ts";
export type { Validator } from "./delegation/validators.ts";
export { limitsEffect } from "./loop/limitsEffect.ts";
export { JsonlSessionStore } from "./session/jsonl.ts";
export { MemorySessionStore } from "./session/memory.ts";
export type { Chapter, SessionRow, SessionStore } from "./session/store.ts";
export { orchestratorTools } from "./team/orchestratorTools.ts";
export { type AgentSpec, Team } from "./team/team.ts";
export { loadTeam } from "./team/teamFile.ts";
export { teamTools } from "./team/teamTools.ts";
export { controlTools } from "./toolkits/control.ts";
export { delegationTools } from "./toolkits/delegation.ts";
export { skillTools } from "./toolkits/skills.ts";
export { type AgentLogEntry, logFromEvents } from "./tree/log.ts";
export {
  type AgentTree,
  emptyTree,
  foldTree,
  type PendingRetry,
  reduceTree,
  type ToolActivity,
  type TreeNode,
} from "./tree/reduceTree.ts";
export { composeHooks } from "./vocabulary/composeHooks.ts";
export type { ErrorCode, ErrorFacts } from "./vocabulary/errorFacts.ts";
export { AgentError, type AgentErrorCode, assertNever, FatalToolError } from "./vocabulary/errors.ts";
export type * from "./vocabulary/events.ts";
export type * from "./vocabulary/hooks.ts";
export * from "./vocabulary/messages.ts";
export type * from "./vocabulary/model.ts";
export { createScope, type ExecutionScope } from "./vocabulary/scope.ts";
export { resolveTools, Toolbox } from "./vocabulary/toolbox.ts";
export {
  type AgentTool,
  defineTool,
  jsonSchemaTool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
  toolDefinition,
} from "./vocabulary/tools.ts";
export { truncateOutput } from "./vocabulary/truncate.ts";
export { addUsage, contextPercent, contextTokens, costOf, emptyUsage, type Usage } from "./vocabulary/usage.ts";
