// Long because all parts that agents need are created here, each after what it needs.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Model } from "../../agent/index.ts";
import { startTimer } from "../../agent/vocabulary/abort.ts";
import { PermissionQueue } from "../approvals/permissionQueue.ts";
import { SandboxGrant } from "../approvals/sandboxGrant.ts";
import { snapshotFiles } from "../changes/editor/imagedFiles.ts";
import type { CommandChanges } from "../changes/rewind/commandChanges.ts";
import { AgentPaths } from "../chat/agents/agentPaths.ts";
import type { ChatDelegation } from "../chat/agents/chatDelegation.ts";
import { createSteering } from "../chat/agents/steering.ts";
import type { Chat } from "../chat/chat.ts";
import { countProblems } from "../chat/compose/editorContext.ts";
import { ChatCommands, type ChatSandboxOptions } from "../chat/processes/chatCommands.ts";
import { CommandTerminals } from "../chat/processes/commandTerminals.ts";
import { Runs } from "../chat/runs/chatRuns.ts";
import { createEditorEnvironment, editorState, openPaths } from "../context/editorSurroundings.ts";
import { Surroundings } from "../context/surroundings.ts";
import type { AgentIgnore } from "../customization/agentIgnore.ts";
import { homeFiles } from "../customization/customFiles.ts";
import type { Customization } from "../customization/customization.ts";
import { readProjectInstructions } from "../customization/projectInstructions.ts";
import { ProgramCatalog } from "../foreignAgents/programOffers.ts";
import { ChatHooks } from "../hooks/chatHooks.ts";
import { HookApproval } from "../hooks/hookApproval.ts";
import { toolsOfAll } from "../mcp/findTools.ts";
import type { McpToolParts } from "../mcp/mcpTools.ts";
import { demoProviderId, foreignProviderId, listProviders } from "../models/providers.ts";
import { thinkingFor } from "../models/thinking.ts";
import { ActivityBoard, type ShownActivity, statusText } from "../panel/status/activityBoard.ts";
import { AwayNotices, type AwayNoticesOptions } from "../panel/status/awayNotices.ts";
import { removeOldOutputs } from "../terminal/outputStore.ts";
import { createReadVersions, type ReadVersions } from "../tools/index.ts";
import { type RegisteredTraces, registerTraces } from "../traces/registerTraces.ts";
import { diskRoots, editorFolder } from "../workspace/editorRoots.ts";
import type { Editing } from "./editing.ts";
import { createForeignAgents } from "./foreignAgents.ts";
import type { Host } from "./host.ts";
import type { Mcp } from "./mcp.ts";
import type { Models } from "./models.ts";
import type { OtherExtensions } from "./otherExtensions.ts";

export interface ChatAgentParts {
  host: Host;
  models: Models;
  editing: Editing;
  customization: Customization;
  mcp: Mcp;
  extensions: OtherExtensions;
  needs: AgentNeeds;
}

/** What agents need of the chats that come after them. */
interface AgentNeeds {
  refreshStatus(): void;
}

/** What chats make their agents of, and what keeps those in order. */
export function createAgents({ host, models, editing, customization, mcp, extensions, needs }: ChatAgentParts) {
  const { workspace, allFiles, agentIgnore, review, rules, secretFileAt } = editing;
  const { context, own, warn, reportFailure, pathOf } = host;
  const { workspaceFolder: storageFolder } = host.storage;
  const { settings } = models;
  const paths = new AgentPaths();
  const permissions = new PermissionQueue({
    newId: randomUUID,
    agentPath: (agentId) => paths.of(agentId),
    lineage: (agentId) => paths.lineage(agentId),
    rules,
  });
  const outputs = join(storageFolder, "outputs");
  removeOldOutputs(outputs, Date.now()).catch(reportFailure);
  const terminals = own(new CommandTerminals());
  const keyNames = () => listProviders(settings()).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const steering = createSteering(context.workspaceState, settings, {
    onChange: needs.refreshStatus,
    onFocus: review.setPanelFocused,
  });
  const statusItem = own(createStatusItem());
  const activity = new ActivityBoard<Chat>(() => {
    statusItem.show(activity);
    away.update();
  });
  const away = createAwayNotices(() => activity.waiting, own);
  const reads = createReadVersions();
  const traces = own(
    registerTraces({
      ...{ storageFolder, warn },
      version: String(context.extension.packageJSON.version),
      settings: () => settings().trace,
    }),
  );
  const runs = createRuns({ settings, paths, reads, traces });
  const shownPathOf = shownPaths(pathOf, agentIgnore);
  const catalog = new ProgramCatalog(context.globalState, needs.refreshStatus);
  const foreign = createForeignAgents(host, models, editing, catalog);
  const environment = createEditorEnvironment(workspace);
  let commandChanges: Promise<CommandChanges> | undefined;
  const commands = new ChatCommands({
    permissions,
    storage: outputs,
    keyNames,
    folder: editorFolder,
    paused: editing.pausedCommands,
    agentPath: (agentId) => paths.of(agentId),
    sandbox: createSandboxing(host, settings),
    changes: {
      async begin(agentId, onEarlier) {
        commandChanges ??= import("../changes/rewind/commandChanges.ts").then(
          ({ CommandChanges }) =>
            new CommandChanges({
              ...{ files: snapshotFiles(allFiles), checkpoints: review.checkpoints, warn },
              onChanged: (changed) => review.history.absorb(changed),
              lineage: (id) => paths.lineage(id),
              onDidWrite: (listener) => {
                const write = (uri: vscode.Uri) => {
                  const path = pathOf(uri);
                  if (path !== undefined) listener(path);
                };
                return vscode.Disposable.from(
                  review.checkpoints.onDidWrite(listener),
                  vscode.workspace.onDidSaveTextDocument(({ uri }) => write(uri)),
                  vscode.workspace.onDidCreateFiles(({ files }) => files.forEach(write)),
                  vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach(write)),
                  vscode.workspace.onDidRenameFiles(({ files }) => {
                    for (const { oldUri, newUri } of files) for (const uri of [oldUri, newUri]) write(uri);
                  }),
                );
              },
              onDidSave: (listener) => {
                const change = (uri: vscode.Uri) => {
                  const path = pathOf(uri);
                  if (path !== undefined && !review.checkpoints.isChanging(path)) listener(path);
                };
                return vscode.Disposable.from(
                  vscode.workspace.onDidSaveTextDocument(({ uri }) => change(uri)),
                  vscode.workspace.onDidRenameFiles(({ files }) => {
                    for (const { oldUri, newUri } of files) for (const uri of [oldUri, newUri]) change(uri);
                  }),
                );
              },
            }),
        );
        return (await commandChanges).begin(agentId, onEarlier);
      },
    },
  });
  const chatAgents = {
    foreign,
    hooks: hooksOfChats({ commands, customization, memory: context.workspaceState, settings }),
    workspace,
    review,
    reads,
    secretFileAt,
    isolation: editing.isolation.load,
    paths,
    runs,
    commands,
    models: models.access,
    mcpTools: (parts: Omit<McpToolParts, "allowed">) => toolsOfAll(parts, [mcp.tools, extensions.tools]),
    settings,
    isTrusted: () => vscode.workspace.isTrusted,
    thinking: (model: Model, wanted = steering.thinking()) =>
      thinkingFor(wanted, models.access.describe(model).thinkingLevels),
    custom: () => extensions.registry.withAgents(customization.current),
    problemCount: countProblems,
    userSkills: homeFiles(homedir()),
    delegations: new WeakMap<Chat, ChatDelegation>(),
    projectInstructions: () => readProjectInstructions({ workspace, filesInPlay: () => openPaths(shownPathOf) }),
    surroundings: new Surroundings({
      environment: environment.read,
      editorState: () => (steering.sendsEditorState() ? editorState(shownPathOf) : undefined),
    }),
  };
  return {
    chatAgents,
    environment,
    catalog,
    permissions,
    steering,
    runs,
    showTrace: () => traces.show(),
    activity,
    away,
    terminals,
  };
}

interface HookParts extends Pick<Models, "settings"> {
  commands: ChatCommands;
  customization: Customization;
  memory: vscode.Memento;
}

/** What runs the hooks of each chat. Allowed is a hook in all of them. */
function hooksOfChats({ commands, customization, memory, settings }: HookParts): (chat: Chat) => ChatHooks {
  const isTrusted = () => vscode.workspace.isTrusted;
  const approval = new HookApproval({ memory, isTrusted });
  const known = new WeakMap<Chat, ChatHooks>();
  const create = (chat: Chat) =>
    new ChatHooks({
      ...commands.apart(chat, "hooks"),
      ...{ sessionId: chat.id, approval, folder: editorFolder },
      definitions: () => customization.current.hooks,
      askPermission: commands.of(chat).askPermission,
      mode: () => settings().permissionMode,
      rootId: () => chat.rootId ?? chat.id,
      emit: (event) => chat.emit(event),
      showNotice: (notice) => chat.notices.show(notice),
    });
  return (chat) => {
    const hooks = known.get(chat) ?? create(chat);
    known.set(chat, hooks);
    return hooks;
  };
}

/** The paths of what agents may see. */
export function shownPaths(pathOf: Host["pathOf"], agentIgnore: AgentIgnore): Host["pathOf"] {
  return (uri) => {
    const path = pathOf(uri);
    return path === undefined || agentIgnore.hidesNow(path) ? undefined : path;
  };
}

/** The sandbox of all chats' commands. That there is none is said once: in one chat, until there is another reason. */
function createSandboxing({ context, probeSandbox }: Host, settings: Models["settings"]): ChatSandboxOptions {
  const reasonKey = "arbor.sandboxUnavailable";
  return {
    probe: probeSandbox,
    roots: diskRoots,
    setting: () => settings().commandSandbox,
    mode: () => settings().permissionMode,
    grant: new SandboxGrant(context.workspaceState),
    onUnavailable(chat, reason) {
      if (context.globalState.get(reasonKey) === reason) return;
      void context.globalState.update(reasonKey, reason);
      const text = vscode.l10n.t("Commands can't run in a sandbox here, so each of them is asked for. {0}", reason);
      chat.notices.show({ id: "no sandbox", level: "info", text, actions: [] });
    },
  };
}

interface RunsParts extends Pick<Models, "settings"> {
  paths: AgentPaths;
  reads: ReadVersions;
  traces: RegisteredTraces;
}

/** What keeps the runs of all chats in order. */
function createRuns({ settings, paths, reads, traces }: RunsParts): Runs<Chat> {
  return new Runs<Chat>({
    agentPath: (agentId) => paths.of(agentId),
    filesSeenBy: (agentId) => reads.files(agentId),
    // The demo model follows what it has read by rules, and has no window that could be full.
    // An agent of another program manages its own context.
    compactionThreshold: ({ provider }) =>
      provider === demoProviderId || provider === foreignProviderId ? 0 : settings().compactionThreshold,
    defaultBudget: () => ({ turns: settings().limits.maxTurns, cost: settings().limits.maxCost }),
    observe: (event) => traces.recorder.observe(event),
    isWatched: () => vscode.window.state.focused,
    showTrace: () => traces.show(),
    now: Date.now,
    newId: randomUUID,
  });
}

/** Notifications while the window is not looked at, without a sound: no extension can play an accessibility signal. */
function createAwayNotices(waiting: AwayNoticesOptions["waiting"], own: Host["own"]): AwayNotices {
  const away = new AwayNotices({
    waiting,
    isLooking: () => vscode.window.state.focused,
    async show(text) {
      const show = vscode.l10n.t("Show");
      if ((await vscode.window.showInformationMessage(text, show)) !== show) return;
      await vscode.commands.executeCommand("arbor.showWaiting");
    },
    later: (run, delayMs) => startTimer(delayMs, run),
  });
  own(vscode.window.onDidChangeWindowState(({ focused }) => focused && away.look()));
  return own(away);
}

interface StatusItem extends vscode.Disposable {
  show(activity: ShownActivity): void;
}

/** In the status bar while agents run or wait; a click shows what waits longest. */
function createStatusItem(): StatusItem {
  const item = vscode.window.createStatusBarItem("arbor.activity", vscode.StatusBarAlignment.Left, 0);
  item.name = "Arbor";
  item.command = "arbor.showWaiting";
  return {
    show(activity) {
      const words = statusText(activity);
      void vscode.commands.executeCommand("setContext", "arbor.waiting", activity.waiting.length > 0);
      if (words === undefined) {
        item.hide();
        return;
      }
      item.text = words.text;
      item.tooltip = words.tooltip;
      item.accessibilityInformation = { label: words.label, role: "button" };
      item.show();
    },
    dispose: () => item.dispose(),
  };
}
