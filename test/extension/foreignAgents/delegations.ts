import assert from "node:assert/strict";
import { lstat, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentEvent, type AgentMessage, type AgentTool, userMessage } from "../../../src/agent/index.ts";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { emptyTree } from "../../../src/agent/tree.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { directWrites } from "../../../src/extension/changes/directWrites.ts";
import type { TrackedFile } from "../../../src/extension/changes/model/change.ts";
import { CommandChanges } from "../../../src/extension/changes/rewind/commandChanges.ts";
import { ChatDelegation } from "../../../src/extension/chat/agents/chatDelegation.ts";
import { agentOptions, mainAgent } from "../../../src/extension/customization/agents.ts";
import { nothingCustom } from "../../../src/extension/customization/customization.ts";
import { ForeignOffers } from "../../../src/extension/foreignAgents/foreignOffers.ts";
import { ProgramCatalog } from "../../../src/extension/foreignAgents/programOffers.ts";
import type { CommandDependencies } from "../../../src/extension/tools/dependencies.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../src/protocol/hostState.ts";
import type { PermissionMode } from "../../../src/protocol/modes.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { memoryStorage } from "../../support/modelSetUp.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

const agentFile = join(import.meta.dirname, "../../support/acpAgent.ts");

export interface DelegationOptions {
  args?: string[];
  /** What the editor has of its folder. */
  files?: Record<string, string>;
  /** In place of the agent of our own under test/support. */
  setting?: Record<string, unknown>;
  /** Where it works. */
  folder?: string;
  environment?: Readonly<Record<string, string | undefined>>;
  allows?: boolean | ((request: PermissionRequest, signal: AbortSignal) => Promise<boolean>);
  /** Of what is not allowed. */
  reason?: string;
  answer?: Parameters<typeof scriptedReview>[1];
  changes?: Pick<CommandChanges, "begin">;
  host?: HostState;
  unsaved?: string[];
  mode?: PermissionMode;
  /** Of MCP servers. */
  serverTools?: AgentTool[];
}

/** A main agent of ours that gives each of these tasks to an agent of another program. */
export function arrangeDelegations(tasks: string[], options: DelegationOptions = {}) {
  const { args = [], setting, allows = true, reason, answer, changes, host, unsaved = [] } = options;
  const { serverTools = [], folder = tmpdir(), environment = process.env, mode = "ask" } = options;
  const memory = memoryWorkspace({ files: options.files ?? { "a.ts": "one\ntwo\nthree\n" } });
  const workspace = {
    ...memory,
    canonicalPath: (path: string) =>
      memory.canonicalPath(
        options.files !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path,
      ),
  };
  const review = scriptedReview(workspace, answer);
  const reads = createReadVersions();
  const asked: PermissionRequest[] = [];
  const emitted: HostEvent[] = [];
  const adopted: TrackedFile[] = [];
  const owned: { dispose(): void }[] = [];
  const chat = {
    host: host ?? emptyHostState(),
    emit(event: HostEvent) {
      emitted.push(event);
      chat.host = reduceHost(chat.host, event);
    },
    own: (part: { dispose(): void }) => void owned.push(part),
  };
  const commands = {
    askPermission: async (request: PermissionRequest, signal: AbortSignal) => {
      asked.push(request);
      const allowed = typeof allows === "boolean" ? allows : await allows(request, signal);
      return { allowed, ...(reason !== undefined && { reason }) };
    },
    folder: async () => ({ path: "ws", absolute: folder, root: folder }),
    ...(changes !== undefined && { changes }),
  } as unknown as CommandDependencies; // Nothing else of it is used here.
  const catalog = new ProgramCatalog(memoryStorage(), () => {});
  const offers = new ForeignOffers({
    definitions: () => setting ?? { Tester: { command: process.execPath, args: [agentFile, ...args] } },
    environment,
    catalog,
    warn: () => {},
    unsavedFiles: () => unsaved,
    adoptWrites: directWrites({
      ...{ store: new ChangeStore(), workspace, newId: () => "edit-1" },
      adopt: async (files) => void adopted.push(...files),
    }),
  });
  const toolParts = { workspace, review, reads, agentPath: () => ["main", "Tester"] };
  const parts = {
    ...{ tools: toolParts, commands, lineage: (id: string) => ["root", id], effects: [], usedUp: () => undefined },
    permissionMode: () => mode,
  };
  const { readOnly, all } = editorTools(toolParts);
  const tools = { readOnly, all: [...serverTools, ...all] };
  const calls = tasks.map((task) => ({
    calls: [{ name: "delegate_to_agent", args: { agent: "Tester", task, context: "" } }],
  }));
  const model = scriptedModel([...calls, { text: "Done." }]);
  const delegation = new ChatDelegation({
    ...{ tools, custom: () => nothingCustom, events: async () => [], projectContext: async () => undefined },
    modelNamed: () => undefined,
    subAgentModel: () => undefined,
    others: () => offers.offers(chat, () => parts),
    each: () => ({ effects: [], middleware: [] }),
  });
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    model: { id: "big", provider: "test" },
    streamFn: model.streamFn,
    registry: delegation.directory,
  });
  delegation.attach(main);
  const events: AgentEvent[] = [];
  main.subscribe((event) => events.push(event));
  const run = async () => {
    await main.prompt(userMessage("go"));
    return main.messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message)] : []));
  };
  const tree = () => foldTree(emptyTree(), events);
  /** The agent of the other program alone, as a chat that was loaded has it again. */
  const worker = (messages: readonly AgentMessage[] = []) => {
    const configuration = delegation.directory.configuration("Tester") ?? assert.fail();
    const { model: itsModel = assert.fail() } = configuration;
    const agent = new Agent({
      ...{ ...configuration, id: "child", model: itsModel, streamFn: model.streamFn },
      messages: [...messages],
    });
    agent.subscribe((event) => events.push(event));
    return agent;
  };
  return {
    run,
    worker,
    tree,
    events,
    owned,
    catalog,
    asked,
    emitted,
    adopted,
    chat,
    workspace,
    main,
    model,
    offers,
    parts,
    delegation,
  };
}

/** What changes in a folder while one works, by its path; `kept` is called with what a rewind restores. */
export function changesIn(folder: string, kept: (paths: readonly string[]) => void = () => {}): CommandChanges {
  return new CommandChanges({
    files: {
      list: async () => ({ paths: (await readdir(folder)).filter((name) => !name.startsWith(".")), truncated: false }),
      folders: async () => [],
      async stamp(path) {
        const found = await lstat(join(folder, path)).catch(() => undefined);
        const version = found && `${found.ino} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`;
        return found && version !== undefined ? { isFile: found.isFile(), bytes: found.size, version } : undefined;
      },
      async take(path) {
        const bytes = await readFile(join(folder, path)).catch(() => undefined);
        return bytes === undefined ? {} : { bytes };
      },
    },
    checkpoints: {
      moment: async () => ({ messageId: "m" }) as never,
      async addChanges(_moment, found) {
        kept([...found.keys()]);
        return new Map();
      },
    },
    warn: () => {},
  });
}
