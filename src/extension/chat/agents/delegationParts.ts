import type { AgentEvent, Model } from "../../../agent/index.ts";
import type { StartingTask } from "../../../agent/toolkits/delegation.ts";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { Surroundings } from "../../context/surroundings.ts";
import type { Custom } from "../../customization/customization.ts";
import type { ProjectInstructions } from "../../customization/projectInstructions.ts";
import type { ForeignChatParts, ForeignOffers } from "../../foreignAgents/foreignOffers.ts";
import type { ChatHooks, HookParts } from "../../hooks/chatHooks.ts";
import type { IsolatingChat, Isolation } from "../../isolation/isolation.ts";
import type { ArborSettings } from "../../settings/settings.ts";
import type { Chat } from "../chat.ts";
import type { Runs } from "../runs/chatRuns.ts";
import { ChatDelegation } from "./chatDelegation.ts";
import { type ChatToolDependencies, toolDependencies, toolsFor } from "./chatTools.ts";

/** What the agents of a chat need to delegate, beside their tools. */
export interface DelegationDependencies extends ChatToolDependencies {
  /** Agents of other programs. Absent: there are none. */
  foreign?: Pick<ForeignOffers, "offers">;
  settings(): ArborSettings;
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

/** Whom the agents of a chat may delegate to; made when it is first needed. */
export function delegationOf(chat: Chat, dependencies: DelegationDependencies): ChatDelegation {
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
export function isolatingChat(chat: Chat, dependencies: DelegationDependencies): IsolatingChat {
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
    isolatedAgent: (key) => chat.host.isolatedTasks[key],
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
export function withHookParts(parts: RunParts, ofHooks: HookParts | undefined): RunParts {
  if (ofHooks === undefined) return parts;
  const { effects, middleware } = parts;
  return { effects: [...ofHooks.effects, ...effects], middleware: [...middleware, ...ofHooks.middleware] };
}

function withHooks(parts: RunParts, ofHooks: HookParts | undefined): RunParts & Partial<Pick<HookParts, "hooks">> {
  return { ...withHookParts(parts, ofHooks), ...(ofHooks && { hooks: ofHooks.hooks }) };
}

export function foreignParts(chat: Chat, dependencies: DelegationDependencies): ForeignChatParts {
  return {
    tools: toolDependencies(chat, dependencies),
    commands: dependencies.commands.of(chat),
    lineage: (agentId) => dependencies.paths.lineage(agentId),
    permissionMode: () => dependencies.settings().permissionMode,
    ...dependencies.runs.of(chat).foreignParts(),
  };
}

/** What a project says to agents counts once it is trusted, and stays as it was read, so that the prefix does. */
export function projectContextOf(
  chat: Pick<Chat, "notices">,
  { isTrusted, projectInstructions }: Pick<DelegationDependencies, "isTrusted" | "projectInstructions">,
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
