import type { Agent, AgentTool, Model } from "../../../agent/index.ts";
import { readKey } from "../../../protocol/hostState.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { McpToolParts } from "../../mcp/mcpTools.ts";
import { isMcpTool } from "../../mcp/toolNames.ts";
import type { ModelAccess } from "../../models/modelAccess.ts";
import type { PanelAccess } from "../../tools/dependencies.ts";
import {
  editorTools,
  editToolNames,
  isEditorTool,
  isEditTool,
  listedName,
  type ReadVersions,
  type SecretReadRules,
  SecretReads,
  type ToolDependencies,
} from "../../tools/index.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Chat } from "../chat.ts";
import type { ChatCommands } from "../processes/chatCommands.ts";
import type { Runs } from "../runs/chatRuns.ts";
import type { AgentPaths } from "./agentPaths.ts";
import { withReason } from "./editOrigins.ts";

/** A rough measure, as elsewhere. */
const charactersPerToken = 4;

/** What the tools of a chat's agents work with. */
export interface ChatToolDependencies {
  workspace: Workspace;
  review: Pick<RegisteredReview, "reviewFor">;
  reads: ReadVersions;
  /** The user's own skills. */
  userSkills?: ToolDependencies["userSkills"];
  /** What makes the reading of a file a question. */
  secretFileAt: SecretReadRules["secretFileAt"];
  paths: AgentPaths;
  commands: ChatCommands;
  models: ModelAccess;
  /** The tools of MCP servers as they are now. */
  mcpTools(parts: Omit<McpToolParts, "allowed">): AgentTool[];
  runs: Runs<Chat>;
  /** In an untrusted workspace agents get no tools. */
  isTrusted(): boolean;
}

/** Those that only read are of the editor: what a server says of its own tools is not relied on. */
export function toolsFor(chat: Chat, dependencies: ChatToolDependencies, model: Model) {
  const { readOnly, all } = editorToolsFor(chat, dependencies, model);
  return { readOnly, all: [...mcpToolsFor(chat, dependencies), ...all] };
}

export function editorToolsFor(
  chat: Chat,
  dependencies: ChatToolDependencies,
  model: Model,
): { readOnly: AgentTool[]; all: AgentTool[] } {
  if (!dependencies.isTrusted()) return { readOnly: [], all: [] };
  const patches = dependencies.models.usesPatches(model);
  // The same in every mode: other tools would be another prefix. What a mode forbids, its hook refuses.
  return editorTools(toolDependencies(chat, dependencies), { patches });
}

export function mcpToolsFor(chat: Chat, dependencies: ChatToolDependencies): AgentTool[] {
  if (!dependencies.isTrusted()) return [];
  const { askPermission, outputs } = dependencies.commands.of(chat);
  return dependencies.mcpTools({
    ...{ askPermission, outputs },
    ask: askIn(chat, dependencies),
    subAgentParts: () => dependencies.runs.of(chat).subAgentParts(),
  });
}

/** Offered after all others, they come first, in the order of the configuration: the same tools in the same order keep what the provider has cached. */
export function offerMcpTools(agent: Agent, tools: readonly AgentTool[]): void {
  // Also those that are the same to a model: their server may be another one.
  for (const { name } of agent.state.tools) if (isMcpTool(name)) agent.removeTool(name);
  for (const tool of tools.toReversed()) agent.addTool(tool);
}

export function toolDependencies(
  chat: Chat,
  { workspace, review, reads, secretFileAt, paths, commands, userSkills }: ChatToolDependencies,
): ToolDependencies {
  const agentPath = (agentId: string) => paths.of(agentId);
  return {
    workspace,
    review: review.reviewFor({
      id: chat.id,
      emit: (event) => chat.emit(withReason(event, chat.log)),
      lineage: (agentId) => paths.lineage(agentId),
      rootCall: (agentId) => paths.rootCall(agentId),
      grants: chat.grants,
    }),
    reads,
    ...(userSkills !== undefined && { userSkills }),
    secrets: new SecretReads({
      secretFileAt,
      isGranted: (request) => chat.grants.covers(request, paths.lineage(request.agent.id)),
      askPermission: (request, signal) => commands.of(chat).askPermission(request, signal),
    }),
    agentPath,
    onRead(agentId, path, content) {
      const before = chat.log.host.fileReads[readKey({ agentId, path })]?.tokens ?? 0;
      const read = {
        path,
        agentId,
        agentPath: [...agentPath(agentId)],
        tokens: before + Math.ceil(content.length / charactersPerToken),
      };
      chat.emit({ type: "file_read", ...read });
    },
    collisions: {
      isBeside: (agentId, otherId) => paths.areBeside(agentId, otherId),
      report: (collision) => chat.emit({ type: "files_collided", ...collision }),
    },
    commands: commands.of(chat),
    panel: {
      showPlan: (agentId, items) => chat.emit({ type: "plan_changed", agentId, items: [...items] }),
      ask: askIn(chat, { paths }),
    },
  };
}

function askIn(chat: Chat, { paths }: Pick<ChatToolDependencies, "paths">): PanelAccess["ask"] {
  return ({ agent, options, ...asked }, signal) =>
    chat.questions.ask({ agentId: agent.id, agentPath: paths.of(agent.id), ...asked, options: [...options] }, signal);
}

/** Why a tool of the editor is not there, where no mode is the reason. */
export function unofferedTool(name: string, isTrusted: boolean): string | undefined {
  if (!isEditorTool(name)) return undefined;
  if (!isTrusted) {
    return `${name} can't be used: the user has not trusted this workspace, so there are no tools for it. Say so, and answer without it.`;
  }
  const [textTool, patchTool] = editToolNames;
  return isEditTool(name)
    ? `${name} is not offered to this model. Use ${name === textTool ? patchTool : textTool}.`
    : undefined;
}

/**
 * Gives an agent the tools of the editor that it may have now, and takes those that it may not: trust in the workspace
 * may have changed since its last run. What else it has stays. `all` are those that the editor may ever
 * offer.
 */
export function offerTools(agent: Agent, offered: readonly AgentTool[], all: readonly AgentTool[]): void {
  const nameOf = ({ name }: AgentTool) => listedName(name);
  const ofEditor = new Set(all.map(nameOf));
  const wanted = new Set(offered.map(nameOf));
  const present = agent.state.tools.filter((tool) => ofEditor.has(nameOf(tool)));
  for (const tool of present) if (!wanted.has(nameOf(tool))) agent.removeTool(tool.name);
  const known = new Set(present.map(nameOf));
  // Each is put before the others.
  for (const tool of offered.toReversed()) if (!known.has(nameOf(tool))) agent.addTool(tool);
}

/** Gives an agent that edits the edit tool that its model knows best, in place of the other one. */
export function chooseEditTool(agent: Agent, edit: AgentTool): void {
  const present = agent.state.tools.find((tool) => editToolNames.some((name) => name === tool.name));
  // The same tools in the same order keep what the provider has cached of the request.
  if (present === undefined || present.name === edit.name) return;
  agent.removeTool(present.name);
  agent.addTool(edit);
}
