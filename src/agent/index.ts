/** The agent library. Providers are in `providers/index.ts`, so that none is loaded that is not used. */
export { Agent } from "./agent/agent.ts";
export type {
  AgentInfo,
  AgentOptions,
  AgentState,
  AgentStatus,
  ContinueOptions,
  Input,
  QueueHandle,
  QueueMode,
} from "./agent/agentOptions.ts";
export type { AgentStream } from "./agent/agentStream.ts";
export { logger, type Middleware, outputGuardrail, type Runner, recovery, timeout } from "./agent/middleware.ts";
export { AgentRegistry, type RegistryEntry, rootAgentCreator } from "./agent/registry.ts";
export { runLoop } from "./agent/runLoop.ts";
export type { OwnerScope } from "./agent/subAgents.ts";
export type { OutputResult, PartialOutput } from "./agent/typedOutput.ts";
export { compactEffect } from "./context/compactEffect.ts";
export { type Compaction, type Compactor, defaultCompactor } from "./context/compaction.ts";
export { findAgentsMd, type SkillFiles } from "./context/projectFiles.ts";
export { buildSystemPrompt } from "./context/prompt.ts";
export { loadSkills, type Skill } from "./context/skills.ts";
export { trimToolResultsEffect } from "./context/trimToolResults.ts";
export { runStep, type StepResult } from "./delegation/steps.ts";
export type { Validator } from "./delegation/validators.ts";
export { limitsEffect } from "./loop/limits.ts";
export type { LoopConfig, RunOptions, RunResult, WhenBusy } from "./loop/runTypes.ts";
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
export { emptyTree, foldTree, reduceTree } from "./tree/reduceTree.ts";
export type { AgentTree, ToolActivity, TreeNode } from "./tree/treeTypes.ts";
export { composeHooks } from "./vocabulary/composeHooks.ts";
export {
  AgentError,
  type AgentErrorCode,
  type ErrorCode,
  type ErrorFacts,
  FatalToolError,
} from "./vocabulary/errors.ts";
export type * from "./vocabulary/events.ts";
export type { ExternalAgent, ExternalChild, ExternalTurn, TakeTurn } from "./vocabulary/externalTurn.ts";
export type * from "./vocabulary/hooks.ts";
export * from "./vocabulary/messages.ts";
export type * from "./vocabulary/model.ts";
export { withNativeOutput } from "./vocabulary/model.ts";
export {
  type AgentSnapshot,
  type ApprovalAnswer,
  type ApprovalAnswers,
  type EndedRun,
  PausedError,
  type PausedState,
  type PendingApproval,
} from "./vocabulary/pause.ts";
export { defaultConvertToLlm, repairTranscript, sinceCheckpoint } from "./vocabulary/projection.ts";
export { createScope, type ExecutionScope } from "./vocabulary/scope.ts";
export {
  type AgentCreator,
  type AgentTool,
  defineTool,
  jsonSchemaTool,
  resolveTools,
  Toolbox,
  type ToolContext,
  toolDefinition,
} from "./vocabulary/tools.ts";
export { truncateOutput } from "./vocabulary/truncate.ts";
export {
  addUsage,
  contextPercent,
  contextTokens,
  costOf,
  emptyUsage,
  type Price,
  type Usage,
} from "./vocabulary/usage.ts";
