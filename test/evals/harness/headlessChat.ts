import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { release, type } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentEvent, Model } from "../../../src/agent/index.ts";
import { isSensitiveEdit, secretFileAt } from "../../../src/extension/approvals/editSensitivity.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import { judgeRequest } from "../../../src/extension/approvals/permissionRules.ts";
import { createReviews } from "../../../src/extension/changes/createReviews.ts";
import { journalOnDisk } from "../../../src/extension/changes/journal/callRecord.ts";
import { editsOnDisk } from "../../../src/extension/changes/persistedEdits.ts";
import { reviewModeOf } from "../../../src/extension/changes/reviewByMode.ts";
import { AgentPaths } from "../../../src/extension/chat/agents/agentPaths.ts";
import {
  type ChatAgentsDependencies,
  chatNotes,
  configureChatAgent,
  createChatAgent,
} from "../../../src/extension/chat/agents/chatAgents.ts";
import type { ChatDelegation } from "../../../src/extension/chat/agents/chatDelegation.ts";
import { Chat } from "../../../src/extension/chat/chat.ts";
import { runNotice } from "../../../src/extension/chat/notices.ts";
import { ChatCommands } from "../../../src/extension/chat/processes/chatCommands.ts";
import { Runs } from "../../../src/extension/chat/runs/chatRuns.ts";
import { ToolError } from "../../../src/extension/common/userError.ts";
import { Surroundings } from "../../../src/extension/context/surroundings.ts";
import { nothingCustom } from "../../../src/extension/customization/customization.ts";
import { readProjectInstructions } from "../../../src/extension/customization/projectInstructions.ts";
import type { Isolation } from "../../../src/extension/isolation/isolation.ts";
import type { ModelAccess } from "../../../src/extension/models/modelAccess.ts";
import { listProviders } from "../../../src/extension/models/providers.ts";
import { thinkingFor } from "../../../src/extension/models/thinking.ts";
import type { Environment } from "../../../src/extension/prompts/contextBlocks.ts";
import type { ArborSettings } from "../../../src/extension/settings/settings.ts";
import { shellText } from "../../../src/extension/terminal/shell.ts";
import { createReadVersions } from "../../../src/extension/tools/index.ts";
import { folderWorkspace } from "../../../src/extension/workspace/folderWorkspace.ts";
import { ScriptedUser, type UserScript } from "./scriptedUser.ts";

export interface HeadlessOptions {
  /** The workspace. */
  folder: string;
  name: string;
  /** What the product stores of it. */
  storage: string;
  settings: ArborSettings;
  models: ModelAccess;
  /** Files that the user has open, the active one first. */
  openFiles: readonly string[];
  user: UserScript;
  /** Where agents work that are isolated. Default: none can be. */
  isolation?: Isolation;
  onEvent(event: AgentEvent): void;
  onError(error: unknown): void;
}

/**
 * A chat of the product without an editor: its own prompts, tools, agents, delegation, reviews, approvals, budgets and
 * compaction, on a folder of the disk, with real processes. Only what shows things is missing, and language servers.
 */
export function headlessChat(options: HeadlessOptions) {
  const { folder, storage, models, openFiles, onEvent, onError, isolation } = options;
  const settings = () => options.settings;
  const workspace = folderWorkspace(folder, options.name);
  const localFile = (path: string) => ({ root: folder, relative: path });
  const paths = new AgentPaths();
  const agentPath = (agentId: string) => paths.of(agentId);
  const permissions = new PermissionQueue({ newId: randomUUID, agentPath, lineage: (id) => paths.lineage(id) });
  const reviews = createReviews({
    workspace,
    mode: () => reviewModeOf(settings()),
    judge: (request) => judgeRequest(request, { rules: settings().permissionRules, roots: [folder], shell: "bash" }),
    isSensitive: (path) => isSensitiveEdit(path, localFile(path)),
    leadsTo: async () => undefined,
    isOpen: () => false,
    history: editsOnDisk(storage, undefined, "written-edits.json"),
    journal: journalOnDisk(join(storage, "journal")),
    onceSaved: async () => {},
    onceIntended: async () => {},
    showError: onError,
  });
  const reads = createReadVersions();
  const runs = new Runs<Chat>({
    agentPath: (agentId) => paths.of(agentId),
    filesSeenBy: (agentId) => reads.files(agentId),
    compactionThreshold: () => settings().compactionThreshold,
    defaultBudget: () => ({ turns: settings().limits.maxTurns, cost: settings().limits.maxCost }),
    observe: onEvent,
    showTrace: async () => {},
    now: Date.now,
    newId: randomUUID,
  });
  const dependencies: ChatAgentsDependencies = {
    ...{ workspace, reads, paths, runs, models, settings },
    // Nothing is rewound here.
    review: { ...reviews, checkpoints: { begin: () => {} } },
    secretFileAt: (path) => secretFileAt(path, localFile(path)),
    commands: new ChatCommands({
      ...{ permissions, agentPath },
      storage: join(storage, "outputs"),
      keyNames: () => listProviders(settings()).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
      folder: async (path = "") => {
        const found = await workspace.resolve(path);
        if ((await workspace.stat(path))?.kind !== "directory") throw new ToolError(`${path} is no folder.`);
        return { ...found, root: (await workspace.resolve("")).absolute };
      },
    }),
    // No server is connected, and no file makes agents of its own.
    mcpTools: () => [],
    custom: () => nothingCustom,
    delegations: new WeakMap<Chat, ChatDelegation>(),
    ...(isolation && { isolation: async () => isolation }),
    isTrusted: () => true,
    thinking: (model: Model) => thinkingFor(undefined, models.describe(model).thinkingLevels),
    projectInstructions: () => readProjectInstructions({ workspace, filesInPlay: () => openFiles }),
    surroundings: new Surroundings({
      environment: () => environmentOf(folder, options.name),
      editorState: () => {
        const [active, ...open] = openFiles;
        return {
          active: active === undefined ? undefined : { path: active, line: 1 },
          open: open.map((path) => ({ path, isUnsaved: false })),
          problems: [],
        };
      },
    }),
  };
  const chat = new Chat({
    createAgent: (chat) => createChatAgent(chat, dependencies),
    configure: (agent, chat) => configureChatAgent(agent, chat, dependencies),
    addNotes: chatNotes({ ...dependencies, reviewNoteFor: (agentId) => reviews.history.takeNote(agentId) }),
    beforeSend: async (chat) => {
      await Promise.all([reviews.history.refresh(), dependencies.surroundings.environmentOf(chat.id)]);
    },
    noticeFor: runNotice,
    onActivity: () => {},
  });
  const user = new ScriptedUser({
    ...{ chat, permissions, onError },
    proposals: reviews.proposals,
    runs: runs.of(chat),
    script: options.user,
  });
  chat.log.onAppend((entry) => {
    if ("host" in entry) user.observe(entry.host);
  });
  return {
    ...{ chat, user, agentPath, agents: dependencies },
    compact: () => runs.of(chat).compact(),
    async close() {
      await chat.dispose();
      reviews.history.dispose();
    },
  };
}

const maxEntries = 40;

/** What the editor would say of the folder. */
async function environmentOf(folder: string, name: string): Promise<Environment> {
  const names = (await readdir(folder)).filter((entry) => entry !== ".git").sort();
  const entries = await Promise.all(
    names
      .slice(0, maxEntries)
      .map(async (entry) => entry + ((await stat(join(folder, entry))).isDirectory() ? "/" : "")),
  );
  const omitted = names.length - entries.length;
  return {
    date: new Date().toLocaleDateString("sv"),
    system: `${type()} ${release()}, ${process.arch}`,
    shell: shellText(process.platform, process.env.SHELL),
    folders: [{ name, path: folder, entries, omitted, isReadOnly: false }],
    git: existsSync(join(folder, ".git")) ? await gitState(folder) : undefined,
    isTrusted: true,
  };
}

async function gitState(cwd: string): Promise<NonNullable<Environment["git"]>> {
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)("git", args, { cwd });
    return stdout.split("\n").filter((line) => line !== "");
  };
  const [[branch], changed, commits] = await Promise.all([
    git("branch", "--show-current"),
    git("--no-optional-locks", "status", "--porcelain"),
    git("log", "-3", "--format=%s"),
  ]);
  return { branch, changedFiles: changed.length, commits };
}
