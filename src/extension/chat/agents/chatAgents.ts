import { type Agent, type AgentOptions, textOf, type UserMessage } from "../../../agent/index.ts";
import type { ExtendedHooks } from "../../../agent/vocabulary/hooks.ts";
import { modeNote, planModeHooks, withNotes } from "../../approvals/planMode.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Surroundings } from "../../context/surroundings.ts";
import { agentOptions, joinHooks, mainAgent } from "../../customization/agents.ts";
import type { ForeignOffers } from "../../foreignAgents/foreignOffers.ts";
import { findToolsName } from "../../mcp/toolNames.ts";
import { foreignProviderId } from "../../models/providers.ts";
import { editorTools, editTool, isEditorTool, planToolNames } from "../../tools/index.ts";
import type { Chat } from "../chat.ts";
import {
  type ChatToolDependencies,
  chooseEditTool,
  editorToolsFor,
  mcpToolsFor,
  offerMcpTools,
  offerTools,
  toolDependencies,
  toolsFor,
  unofferedTool,
} from "./chatTools.ts";
import { type DelegationDependencies, delegationOf, foreignParts, withHookParts } from "./delegationParts.ts";
import { agentAfter } from "./rootAgent.ts";

/** How often an agent asks again for a turn that was cut off. What had come of it stays to be read. */
const turnRetries = 2;

export interface ChatAgentsDependencies extends DelegationDependencies {
  review: ChatToolDependencies["review"] &
    Pick<RegisteredReview, "journal" | "history"> & { checkpoints: Pick<RegisteredReview["checkpoints"], "begin"> };
  foreign?: Pick<ForeignOffers, "offers" | "mainTurn" | "leaveMain">;
}

/** Makes a chat's root agent, with the agents it may delegate to. */
export function createChatAgent(chat: Chat, dependencies: ChatAgentsDependencies): Agent {
  const { models, settings, paths } = dependencies;
  const tools = toolsFor(chat, dependencies, models.mainModel());
  const isPlanning = () => settings().permissionMode === "plan";
  const planHooks = planModeHooks(isPlanning, [...planToolNames, findToolsName], {
    isEditorTool,
    reviewNoteFor: (agentId) => dependencies.review.history.takeNote(agentId),
  });
  const hooks: ExtendedHooks = {
    ...planHooks,
    missingTool: (name) => planHooks.missingTool(name) ?? unofferedTool(name, dependencies.isTrusted()),
  };
  chat.own({ dispose: () => dependencies.surroundings.forget(chat.id) });
  const delegation = delegationOf(chat, dependencies);
  const { maxDepth } = settings().limits;
  const ofHooks = dependencies.hooks?.(chat).parts();
  const runs = dependencies.runs.of(chat);
  const options: AgentOptions = {
    ...agentOptions(mainAgent, { tools }),
    hooks: joinHooks(ofHooks?.hooks, hooks),
    sessionId: chat.id,
    model: models.mainModel(),
    thinkingLevel: dependencies.thinking(models.mainModel()),
    streamFn: models.streamFn,
    registry: delegation.directory,
    steeringMode: "all",
    turnRetries,
    maxDepth,
    projectContext: delegation.projectContext,
    externalTurn: (model) =>
      dependencies.foreign?.mainTurn(chat, model, () => ({
        ...foreignParts(chat, dependencies),
        isTrusted: dependencies.isTrusted(),
      })),
  };
  // What waits is not answered by the end of the editor.
  chat.own({ dispose: () => dependencies.review.journal.release(chat.id) });
  const agent = runs.withRoot((parts) => agentAfter(chat.earlier, { ...options, ...withHookParts(parts, ofHooks) }));
  if (models.mainModel().provider !== foreignProviderId) dependencies.foreign?.leaveMain(chat, agent.id);
  delegation.attach(agent);
  agent.subscribe((event) => {
    paths.observe(event);
    dependencies.commands.observe(chat, event);
    if (event.type === "message_end" && event.agent.depth === 0 && event.message.role === "user") {
      dependencies.review.checkpoints.begin(event.message.id);
    }
    if (event.type === "tool_execution_end") {
      const { callId, toolName, result } = event;
      const isRoot = event.agent.depth === 0;
      dependencies.review.journal.finish(chat.id, { callId, toolName, result: resultText(result.content), isRoot });
    }
    if (event.type === "agent_start" && event.agent.depth > 0) chat.retryModel = undefined;
    // A sub-agent that has reported is not asked again.
    if (event.type === "agent_end" && event.agent.depth > 0) {
      dependencies.reads.forget(event.agent.id);
      if (event.reason === "aborted") dependencies.review.history.leaveUnreported(event.agent.id);
    }
  });
  return agent;
}

/** Brings a chat's root agent up to date with the settings and the custom files, before each run. */
export function configureChatAgent(agent: Agent, chat: Chat, dependencies: ChatAgentsDependencies): void {
  const { models } = dependencies;
  const model = models.mainModel();
  if (model.provider !== foreignProviderId) dependencies.foreign?.leaveMain(chat, agent.id);
  agent.setModel(model);
  agent.setThinkingLevel(dependencies.thinking(model));
  offerTools(
    agent,
    editorToolsFor(chat, dependencies, model).all,
    editorTools(toolDependencies(chat, dependencies)).all,
  );
  chooseEditTool(agent, editTool(toolDependencies(chat, dependencies), models.usesPatches(model)));
  dependencies.delegations.get(chat)?.update(agent);
  offerMcpTools(agent, mcpToolsFor(chat, dependencies));
}

function resultText(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

interface ReviewNotes {
  /** What the agent has to know of its edits; it counts as known then. */
  reviewNoteFor(agentId: string): string | undefined;
}

/** Adds to a message of the user's what its agent has to know of its surroundings, of the mode and of its edits. */
export function chatNotes({
  settings,
  surroundings,
  reviewNoteFor,
}: Pick<ChatAgentsDependencies, "settings"> & { surroundings: Pick<Surroundings, "notesFor"> } & ReviewNotes): (
  agent: Agent,
  message: UserMessage,
) => UserMessage {
  return (agent, message) => {
    const { messages, systemPrompt, model } = agent.state;
    // A program of its own has its own modes, and commands of its own.
    if (model.provider === foreignProviderId) {
      if (textOf(message).startsWith("/")) return message;
      const { sessionId } = agent;
      return withNotes(message, [...surroundings.notesFor({ sessionId, messages }), reviewNoteFor(agent.id)]);
    }
    return withNotes(message, [
      ...(agent.meta.depth === 0 ? surroundings.notesFor({ sessionId: agent.sessionId, messages }) : []),
      reviewNoteFor(agent.id),
      modeNote({ messages, systemPrompt }, settings().permissionMode === "plan"),
    ]);
  };
}
