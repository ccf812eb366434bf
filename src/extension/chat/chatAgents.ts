import { Agent, AgentRegistry, type AgentTool, MemorySessionStore, type Model } from "../../agent/index.ts";
import { agentOptions, mainAgent, registerAgents } from "../customization/agents.ts";
import type { ModelAccess } from "../models/modelAccess.ts";
import type { RegisteredReview } from "../review/registerReview.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { editorTools, editTool, type ReadVersions, type ToolDependencies } from "../tools/index.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { AgentPaths } from "./agentPaths.ts";
import type { Chat } from "./chat.ts";
import type { ChatCommands } from "./chatCommands.ts";
import { chooseEditTool } from "./editToolChoice.ts";

export interface ChatAgentsDependencies {
  workspace: Workspace;
  review: Pick<RegisteredReview, "reviewFor" | "checkpoints">;
  reads: ReadVersions;
  paths: AgentPaths;
  commands: ChatCommands;
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
  const tools = toolsFor(chat, dependencies, models.mainModel());
  const registry = new AgentRegistry();
  registerAgents(registry, {
    // Asked for each new sub-agent: its model decides which edit tool it has.
    get tools() {
      return toolsFor(chat, dependencies, models.subAgentModel() ?? models.mainModel());
    },
    subAgentModel: () => models.subAgentModel(),
  });
  const { maxTurns, maxDepth, maxCost } = settings().limits;
  const cwd = dependencies.isTrusted() ? folder() : undefined;
  const agent = new Agent({
    ...agentOptions(mainAgent, { tools }),
    sessionId: chat.id,
    session: new MemorySessionStore(),
    model: models.mainModel(),
    streamFn: models.streamFn,
    registry,
    steeringMode: "all",
    maxTurns,
    maxDepth,
    ...(maxCost > 0 && { maxSpend: maxCost }),
    ...(cwd !== undefined && { cwd }),
  });
  agent.subscribe((event) => {
    paths.observe(event);
    dependencies.commands.observe(chat, event);
    if (event.type === "message_end" && event.agent.depth === 0 && event.message.role === "user") {
      dependencies.review.checkpoints.begin(event.message.id);
    }
    // A sub-agent that has reported is not asked again.
    if (event.type === "agent_end" && event.agent.depth > 0) dependencies.reads.forget(event.agent.id);
  });
  return agent;
}

/** Brings a chat's root agent up to date with the settings, before each run. */
export function configureChatAgent(agent: Agent, chat: Chat, dependencies: ChatAgentsDependencies): void {
  const { models } = dependencies;
  const model = models.mainModel();
  agent.setModel(model);
  chooseEditTool(agent, editTool(toolDependencies(chat, dependencies), models.usesPatches(model)));
}

function toolsFor(
  chat: Chat,
  dependencies: ChatAgentsDependencies,
  model: Model,
): { readOnly: AgentTool[]; all: AgentTool[] } {
  if (!dependencies.isTrusted()) return { readOnly: [], all: [] };
  return editorTools(toolDependencies(chat, dependencies), { patches: dependencies.models.usesPatches(model) });
}

function toolDependencies(
  chat: Chat,
  { workspace, review, reads, paths, commands }: ChatAgentsDependencies,
): ToolDependencies {
  const agentPath = (agentId: string) => paths.of(agentId);
  return {
    workspace,
    review: review.reviewFor({ emit: (event) => chat.emit(event), lineage: (agentId) => paths.lineage(agentId) }),
    reads,
    agentPath,
    commands: commands.of(chat),
    panel: {
      showPlan: (agentId, items) => chat.emit({ type: "plan_changed", agentId, items: [...items] }),
      ask: ({ agent, callId, text, options }, signal) =>
        chat.questions.ask(
          { agentId: agent.id, agentPath: agentPath(agent.id), callId, text, options: [...options] },
          signal,
        ),
    },
  };
}
