import { Agent, AgentRegistry, type AgentTool } from "../../agent/index.ts";
import { agentOptions, mainAgent, registerAgents } from "../customization/agents.ts";
import type { ModelAccess } from "../models/modelAccess.ts";
import type { PendingReviews } from "../review/pendingReviews.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { editorTools, type ReadVersions } from "../tools/index.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { AgentPaths } from "./agentPaths.ts";
import type { Chat } from "./chat.ts";

export interface ChatAgentsDependencies {
  workspace: Workspace;
  reviews: PendingReviews;
  reads: ReadVersions;
  paths: AgentPaths;
  models: ModelAccess;
  settings(): ArborSettings;
  /** In an untrusted workspace agents get no tools. */
  isTrusted(): boolean;
  /** Where AGENTS.md is looked for; undefined without a local folder. */
  folder(): string | undefined;
}

/** Makes a chat's root agent, with the agents it may delegate to. */
export function createChatAgent(chat: Chat, dependencies: ChatAgentsDependencies): Agent {
  const { models, settings, folder, paths } = dependencies;
  const tools = dependencies.isTrusted() ? toolsFor(chat, dependencies) : { readOnly: [], all: [] };
  const registry = new AgentRegistry();
  registerAgents(registry, { tools, subAgentModel: () => models.subAgentModel() });
  const { maxTurns, maxDepth, maxCost } = settings().limits;
  const cwd = dependencies.isTrusted() ? folder() : undefined;
  const agent = new Agent({
    ...agentOptions(mainAgent, { tools }),
    sessionId: chat.id,
    model: models.mainModel(),
    streamFn: models.streamFn,
    registry,
    steeringMode: "all",
    maxTurns,
    maxDepth,
    ...(maxCost > 0 && { maxSpend: maxCost }),
    ...(cwd !== undefined && { cwd }),
  });
  agent.subscribe((event) => paths.observe(event));
  return agent;
}

function toolsFor(
  chat: Chat,
  { workspace, reviews, reads, paths }: ChatAgentsDependencies,
): { readOnly: AgentTool[]; all: AgentTool[] } {
  const review = reviews.reviewFor((event) => chat.emit(event));
  return editorTools({ workspace, review, reads, agentPath: (agentId) => paths.of(agentId) });
}
