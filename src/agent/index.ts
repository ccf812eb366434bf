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
} from "./agent.ts";
export { findAgentsMd } from "./agentsMd.ts";
export { type Compactor, defaultCompactor } from "./compaction.ts";
export { composeHooks } from "./composeHooks.ts";
export { compactEffect } from "./effects/compact.ts";
export { limitsEffect } from "./effects/limits.ts";
export { trimToolResultsEffect } from "./effects/trimToolResults.ts";
export type { ErrorCode, ErrorFacts } from "./errorFacts.ts";
export { AgentError, type AgentErrorCode, assertNever, FatalToolError } from "./errors.ts";
export type * from "./events.ts";
export type * from "./hooks.ts";
export { type AgentLogEntry, logFromEvents } from "./log.ts";
export { type LoopConfig, type RunResult, runLoop } from "./loop.ts";
export * from "./messages.ts";
export { logger, type Middleware, outputGuardrail, type Runner, recovery, timeout } from "./middleware.ts";
export type * from "./model.ts";
export { createOwnerScope, type OwnerScope } from "./ownership.ts";
export { buildSystemPrompt } from "./prompt.ts";
export { AgentRegistry, type RegistryEntry } from "./registry.ts";
export { createScope, type ExecutionScope } from "./scope.ts";
export { JsonlSessionStore } from "./session/jsonl.ts";
export { MemorySessionStore } from "./session/memory.ts";
export type { Chapter, SessionRow, SessionStore } from "./session/store.ts";
export { loadSkills, type Skill, type SkillFiles } from "./skills.ts";
export { runStep, type StepResult } from "./steps.ts";
export { type AgentCreator, rootAgentCreator } from "./subagents.ts";
export { type AgentSpec, Team } from "./team.ts";
export { loadTeam } from "./teamFile.ts";
export { resolveTools, Toolbox } from "./toolbox.ts";
export { controlTools } from "./toolkits/control.ts";
export { delegationTools } from "./toolkits/delegation.ts";
export { orchestratorTools } from "./toolkits/orchestrator.ts";
export { skillTools } from "./toolkits/skills.ts";
export { teamTools } from "./toolkits/team.ts";
export {
  type AgentTool,
  defineTool,
  jsonSchemaTool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
  toolDefinition,
} from "./tools.ts";
export {
  type AgentTree,
  emptyTree,
  foldTree,
  type PendingRetry,
  reduceTree,
  type ToolActivity,
  type TreeNode,
} from "./tree.ts";
export { truncateOutput } from "./truncate.ts";
export { addUsage, contextPercent, contextTokens, costOf, emptyUsage, type Usage } from "./usage.ts";
export type { Validator } from "./validators.ts";
