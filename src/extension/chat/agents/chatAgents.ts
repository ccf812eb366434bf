// Long because all that a chat's agents are made of, and what is set again before each run, comes together here.
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentTool,
  type Model,
  textOf,
  type UserMessage,
} from "../../../agent/index.ts";
import type { StartingTask } from "../../../agent/toolkits/delegation.ts";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { ExtendedHooks } from "../../../agent/vocabulary/hooks.ts";
import { readKey } from "../../../protocol/hostState.ts";
import { modeNote, planModeHooks, withNotes } from "../../approvals/planMode.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Surroundings } from "../../context/surroundings.ts";
import { agentOptions, joinHooks, mainAgent } from "../../customization/agents.ts";
import type { Custom } from "../../customization/customization.ts";
import type { ProjectInstructions } from "../../customization/projectInstructions.ts";
import type { ForeignChatParts, ForeignOffers } from "../../foreignAgents/foreignOffers.ts";
import type { ChatHooks, HookParts } from "../../hooks/chatHooks.ts";
import type { IsolatingChat, Isolation } from "../../isolation/isolation.ts";
import type { McpToolParts } from "../../mcp/mcpTools.ts";
import { findToolsName, isMcpTool } from "../../mcp/toolNames.ts";
import type { ModelAccess } from "../../models/modelAccess.ts";
import { foreignProviderId } from "../../models/providers.ts";
import type { ArborSettings } from "../../settings/settings.ts";
import type { PanelAccess } from "../../tools/dependencies.ts";
import {
  editorTools,
  editTool,
  editToolNames,
  isEditorTool,
  isEditTool,
  planToolNames,
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
import { ChatDelegation } from "./chatDelegation.ts";
import { withReason } from "./editOrigins.ts";
import { agentAfter } from "./rootAgent.ts";

/** A rough measure, as elsewhere. */
const charactersPerToken = 4;

/** How often an agent asks again for a turn that was cut off. What had come of it stays to be read. */
const turnRetries = 2;

export interface ChatAgentsDependencies {
  workspace: Workspace;
  review: Pick<RegisteredReview, "reviewFor" | "journal" | "history"> & {
    checkpoints: Pick<RegisteredReview["checkpoints"], "begin">;
  };
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
  /** Agents of other programs. Absent: there are none. */
  foreign?: Pick<ForeignOffers, "offers" | "mainTurn" | "leaveMain">;
  runs: Runs<Chat>;
  settings(): ArborSettings;
  /** In an untrusted workspace agents get no tools. */
  isTrusted(): boolean;
  /** How much a model may think, as far as it can: what is wanted, or what the user chose. */
  thinking(model: Model, wanted?: ThinkingLevel): ThinkingLevel;
  /** What custom files say now. */
  custom(): Custom;
  /** Runs the hooks of a chat. Absent: there are none. */
  hooks?(chat: Chat): ChatHooks;
  /** How many problems the editor shows. Default: none. */
  problemCount?(): number;
  /** Where agents work that are isolated; loaded when the first one is. Absent: none can be. */
  isolation?(): Promise<Pick<Isolation, "begin">>;
  /** Whom the agents of each chat may delegate to. */
  delegations: WeakMap<Chat, ChatDelegation>;
  /** What the project says to agents. */
  projectInstructions(): Promise<ProjectInstructions>;
  surroundings: Surroundings;
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

/** Whom the agents of a chat may delegate to; made when it is first needed. */
export function delegationOf(chat: Chat, dependencies: ChatAgentsDependencies): ChatDelegation {
  const known = dependencies.delegations.get(chat);
  if (known !== undefined) return known;
  const { models, settings } = dependencies;
  const projectContext = projectContextOf(chat, dependencies);
  const sources = {
    // Asked for each new sub-agent: its model decides which edit tool it has.
    get tools() {
      return toolsFor(chat, dependencies, chat.retryModel ?? models.subAgentModel() ?? models.mainModel());
    },
    chosenModel: () => chat.retryModel,
    toolsFor: (model: Model) => toolsFor(chat, dependencies, model),
    subAgentModel: () => models.subAgentModel(),
    modelNamed: (name: string) => models.named(name),
    thinkingFor: (model: Model | undefined, wanted: ThinkingLevel) =>
      dependencies.thinking(model ?? models.mainModel(), wanted),
    isPlanning: () => settings().permissionMode === "plan",
    custom: () => dependencies.custom(),
    events: () => eventsOf(chat),
    watch: {
      ...dependencies.runs.of(chat).delegationWatch,
      ...(dependencies.isolation !== undefined && {
        isolate: async (task: StartingTask) => {
          const compared = chat.host.comparisons.find(({ id }) => id === task.context.callId);
          const wanted = task.isolation === "worktree" || delegation.isIsolated(task.agent) || compared !== undefined;
          if (!wanted || dependencies.isolation === undefined) return task.run();
          return (await dependencies.isolation()).begin(task, isolatingChat(chat, dependencies));
        },
      }),
    },
    problemCount: () => dependencies.problemCount?.() ?? 0,
    others: () =>
      dependencies.isTrusted()
        ? (dependencies.foreign?.offers(chat, () => foreignParts(chat, dependencies)) ?? [])
        : [],
    projectContext,
    each: () => ({
      ...withHooks(dependencies.runs.of(chat).subAgentParts(), dependencies.hooks?.(chat).parts()),
      projectContext: () => subAgentContext(chat.id, dependencies.surroundings, projectContext),
    }),
  };
  const delegation = new ChatDelegation(sources, chat.earlier?.messages);
  dependencies.delegations.set(chat, delegation);
  return delegation;
}

/** A chat as its isolated agents need it. */
export function isolatingChat(chat: Chat, dependencies: ChatAgentsDependencies): IsolatingChat {
  const { models, commands } = dependencies;
  const delegation = delegationOf(chat, dependencies);
  const modelOf = () => chat.retryModel ?? models.subAgentModel() ?? models.mainModel();
  return {
    tools: toolDependencies(chat, dependencies),
    commandsIn: (folder) => commands.elsewhere(chat, folder),
    usesPatches: (model) => models.usesPatches(model ?? modelOf()),
    modelNamed: (name) => models.named(name),
    directoryWith: (tools, note) => delegation.directoryWith(tools, note),
    isForeign: (name) => delegation.isForeign(name),
    comparisons: () => chat.host.comparisons,
    emit: (event) => chat.emit(event),
    onWritten: (paths) => chat.grants.lapseCommands(paths),
  };
}

/** All of the chat's log, of which a part may not have been read yet. */
async function eventsOf({ past, log }: Chat): Promise<AgentEvent[]> {
  while (past?.hasEarlier === true) await past.showEarlier();
  return (log.entriesAfter(0) ?? []).flatMap((entry) => ("agent" in entry ? [entry.agent] : []));
}

type RunParts = ReturnType<ReturnType<Runs<Chat>["of"]>["subAgentParts"]>;

/** The hooks begin with the run, and end before what counts it. */
function withHookParts(parts: RunParts, ofHooks: HookParts | undefined): RunParts {
  if (ofHooks === undefined) return parts;
  const { effects, middleware } = parts;
  return { effects: [...ofHooks.effects, ...effects], middleware: [...middleware, ...ofHooks.middleware] };
}

function withHooks(parts: RunParts, ofHooks: HookParts | undefined): RunParts & Partial<Pick<HookParts, "hooks">> {
  return { ...withHookParts(parts, ofHooks), ...(ofHooks && { hooks: ofHooks.hooks }) };
}

function foreignParts(chat: Chat, dependencies: ChatAgentsDependencies): ForeignChatParts {
  return {
    tools: toolDependencies(chat, dependencies),
    commands: dependencies.commands.of(chat),
    lineage: (agentId) => dependencies.paths.lineage(agentId),
    permissionMode: () => dependencies.settings().permissionMode,
    ...dependencies.runs.of(chat).foreignParts(),
  };
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

/** What a project says to agents counts once it is trusted, and stays as it was read, so that the prefix does. */
export function projectContextOf(
  chat: Pick<Chat, "notices">,
  { isTrusted, projectInstructions }: Pick<ChatAgentsDependencies, "isTrusted" | "projectInstructions">,
): () => Promise<string | undefined> {
  let known: Promise<string> | undefined;
  const read = async () => {
    const { text, problems } = await projectInstructions();
    if (problems.length > 0) {
      chat.notices.show({ id: "project instructions", level: "warning", text: problems.join("\n"), actions: [] });
    }
    return text;
  };
  return async () => {
    if (!isTrusted()) return undefined;
    known ??= read();
    return known;
  };
}

/** A sub-agent begins with what main began with: it has no chat to have it from. */
async function subAgentContext(
  chatId: string,
  surroundings: Surroundings,
  projectContext: () => Promise<string | undefined>,
): Promise<string> {
  const parts = [await projectContext(), await surroundings.environmentOf(chatId)];
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
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

/** Why a tool of the editor is not there, where no mode is the reason. */
function unofferedTool(name: string, isTrusted: boolean): string | undefined {
  if (!isEditorTool(name)) return undefined;
  if (!isTrusted) {
    return `${name} can't be used: the user has not trusted this workspace, so there are no tools for it. Say so, and answer without it.`;
  }
  const [textTool, patchTool] = editToolNames;
  return isEditTool(name)
    ? `${name} is not offered to this model. Use ${name === textTool ? patchTool : textTool}.`
    : undefined;
}

/** Those that only read are of the editor: what a server says of its own tools is not relied on. */
function toolsFor(chat: Chat, dependencies: ChatAgentsDependencies, model: Model) {
  const { readOnly, all } = editorToolsFor(chat, dependencies, model);
  return { readOnly, all: [...mcpToolsFor(chat, dependencies), ...all] };
}

function mcpToolsFor(chat: Chat, dependencies: ChatAgentsDependencies): AgentTool[] {
  if (!dependencies.isTrusted()) return [];
  const { askPermission, outputs } = dependencies.commands.of(chat);
  return dependencies.mcpTools({
    ...{ askPermission, outputs },
    ask: askIn(chat, dependencies),
    subAgentParts: () => dependencies.runs.of(chat).subAgentParts(),
  });
}

function askIn(chat: Chat, { paths }: Pick<ChatAgentsDependencies, "paths">): PanelAccess["ask"] {
  return ({ agent, options, ...asked }, signal) =>
    chat.questions.ask({ agentId: agent.id, agentPath: paths.of(agent.id), ...asked, options: [...options] }, signal);
}

/** Offered after all others, they come first, in the order of the configuration: the same tools in the same order keep what the provider has cached. */
function offerMcpTools(agent: Agent, tools: readonly AgentTool[]): void {
  // Also those that are the same to a model: their server may be another one.
  for (const { name } of agent.state.tools) if (isMcpTool(name)) agent.removeTool(name);
  for (const tool of tools.toReversed()) agent.addTool(tool);
}

function editorToolsFor(
  chat: Chat,
  dependencies: ChatAgentsDependencies,
  model: Model,
): { readOnly: AgentTool[]; all: AgentTool[] } {
  if (!dependencies.isTrusted()) return { readOnly: [], all: [] };
  const patches = dependencies.models.usesPatches(model);
  // The same in every mode: other tools would be another prefix. What a mode forbids, its hook refuses.
  return editorTools(toolDependencies(chat, dependencies), { patches });
}

function toolDependencies(
  chat: Chat,
  { workspace, review, reads, secretFileAt, paths, commands, userSkills }: ChatAgentsDependencies,
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

/** Gives an agent that edits the edit tool that its model knows best, in place of the other one. */
export function chooseEditTool(agent: Agent, edit: AgentTool): void {
  const present = agent.state.tools.find((tool) => editToolNames.some((name) => name === tool.name));
  // The same tools in the same order keep what the provider has cached of the request.
  if (present === undefined || present.name === edit.name) return;
  agent.removeTool(present.name);
  agent.addTool(edit);
}

/**
 * Gives an agent the tools of the editor that it may have now, and takes those that it may not: trust in the workspace
 * may have changed since its last run. What else it has stays. `all` are those that the editor may ever
 * offer.
 */
export function offerTools(agent: Agent, offered: readonly AgentTool[], all: readonly AgentTool[]): void {
  const ofEditor = new Set(all.map(nameOf));
  const wanted = new Set(offered.map(nameOf));
  const present = agent.state.tools.filter((tool) => ofEditor.has(nameOf(tool)));
  for (const tool of present) if (!wanted.has(nameOf(tool))) agent.removeTool(tool.name);
  const known = new Set(present.map(nameOf));
  // Each is put before the others.
  for (const tool of offered.toReversed()) if (!known.has(nameOf(tool))) agent.addTool(tool);
}

/** Of the two edit tools an agent has one, which its model decides. */
function nameOf({ name }: AgentTool): string {
  return isEditTool(name) ? "edit_file" : name;
}
