import {
  type Agent,
  type AgentOptions,
  AgentRegistry,
  type AgentTool,
  delegationTools,
  type Model,
  type UserMessage,
} from "../../../agent/index.ts";
import type { ThinkingLevel } from "../../../agent/types.ts";
import { agentOptions, mainAgent, registerAgents } from "../../customization/agents.ts";
import type { ModelAccess } from "../../models/modelAccess.ts";
import { modeNote, withNote } from "../../permissions/modeNotes.ts";
import { planModeHooks } from "../../permissions/planMode.ts";
import type { RegisteredReview } from "../../review/registerReview.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ArborSettings } from "../../settings/settings.ts";
import {
  editorTools,
  editTool,
  type ReadVersions,
  readOnlyToolNames,
  type ToolDependencies,
} from "../../tools/index.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Chat } from "../chat.ts";
import type { ChatCommands } from "../processes/chatCommands.ts";
import { agentAfter } from "../restore/earlierAgent.ts";
import type { AgentPaths } from "./agentPaths.ts";
import { chooseEditTool } from "./editToolChoice.ts";
import { offerTools } from "./toolOffer.ts";

/** How often an agent asks again for a turn that was cut off. What had come of it stays to be read. */
const turnRetries = 2;

export interface ChatAgentsDependencies {
  workspace: Workspace;
  review: Pick<RegisteredReview, "reviewFor" | "checkpoints">;
  reads: ReadVersions;
  paths: AgentPaths;
  commands: ChatCommands;
  models: ModelAccess;
  runs: Runs<Chat>;
  settings(): ArborSettings;
  /** In an untrusted workspace agents get no tools. */
  isTrusted(): boolean;
  /** How much a model may think, as far as it can. */
  thinking(model: Model): ThinkingLevel;
  /** Where AGENTS.md is looked for; undefined without a local folder. */
  folder(): string | undefined;
}

/** Makes a chat's root agent, with the agents it may delegate to. */
export function createChatAgent(chat: Chat, dependencies: ChatAgentsDependencies): Agent {
  const { models, settings, paths } = dependencies;
  const tools = toolsFor(chat, dependencies, models.mainModel());
  const isPlanning = () => settings().permissionMode === "plan";
  const registry = new AgentRegistry();
  registerAgents(registry, {
    // Asked for each new sub-agent: its model decides which edit tool it has.
    get tools() {
      return toolsFor(chat, dependencies, models.subAgentModel() ?? models.mainModel());
    },
    subAgentModel: () => models.subAgentModel(),
    isPlanning,
    each: () => ({ ...runs.subAgentParts(), delegation }),
  });
  const { maxDepth } = settings().limits;
  const cwd = trustedFolder(dependencies);
  const runs = dependencies.runs.of(chat);
  const options: AgentOptions = {
    ...agentOptions(mainAgent, { tools }),
    hooks: planModeHooks(isPlanning, readOnlyToolNames),
    sessionId: chat.id,
    model: models.mainModel(),
    thinkingLevel: dependencies.thinking(models.mainModel()),
    streamFn: models.streamFn,
    registry,
    steeringMode: "all",
    turnRetries,
    maxDepth,
    ...(cwd !== undefined && { cwd }),
  };
  const agent = runs.withRoot((parts) => agentAfter(chat.earlier, { ...options, ...parts }));
  // One that fails takes nothing from the others: what they found is worth having.
  const delegation = delegationTools({ agent, registry, onError: "collect" });
  agent.addToolboxes(delegation);
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
  agent.setThinkingLevel(dependencies.thinking(model));
  // Trust may have come since its last run.
  const cwd = trustedFolder(dependencies);
  if (cwd !== undefined) agent.setCwd(cwd);
  offerTools(agent, toolsFor(chat, dependencies, model).all, editorTools(toolDependencies(chat, dependencies)).all);
  chooseEditTool(agent, editTool(toolDependencies(chat, dependencies), models.usesPatches(model)));
}

/** What a folder says of itself is heard once it is trusted. */
function trustedFolder({ isTrusted, folder }: ChatAgentsDependencies): string | undefined {
  return isTrusted() ? folder() : undefined;
}

/** The message with what the agent has to hear beside it. */
export function tellChatAgent(
  agent: Agent,
  message: UserMessage,
  { settings }: Pick<ChatAgentsDependencies, "settings">,
): UserMessage {
  const { messages, systemPrompt } = agent.state;
  return withNote(message, modeNote({ messages, systemPrompt }, settings().permissionMode === "plan"));
}

function toolsFor(
  chat: Chat,
  dependencies: ChatAgentsDependencies,
  model: Model,
): { readOnly: AgentTool[]; all: AgentTool[] } {
  if (!dependencies.isTrusted()) return { readOnly: [], all: [] };
  const patches = dependencies.models.usesPatches(model);
  const { readOnly, all, panel } = editorTools(toolDependencies(chat, dependencies), { patches });
  return { readOnly, all: dependencies.settings().permissionMode === "plan" ? [...readOnly, ...panel] : all };
}

function toolDependencies(
  chat: Chat,
  { workspace, review, reads, paths, commands }: ChatAgentsDependencies,
): ToolDependencies {
  const agentPath = (agentId: string) => paths.of(agentId);
  return {
    workspace,
    review: review.reviewFor({
      emit: (event) => chat.emit(event),
      lineage: (agentId) => paths.lineage(agentId),
      grants: chat.grants,
    }),
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
