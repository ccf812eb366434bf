import { t } from "@vscode/l10n";
import * as z from "zod";
import { AgentError, errorText } from "../../agent/vocabulary/errors.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { visibleLine } from "../approvals/requestText.ts";
import { type AgentConnection, AgentRequestError } from "./connection.ts";
import type { ForeignAgentDefinition } from "./definitions.ts";
import { canBeGuarded, wantedMode } from "./modes.ts";
import { modelsOption, offeredLogins, offeredOptions, type ProgramLogin, type ProgramOption } from "./programOffers.ts";
import {
  errorCodes,
  initializeResultSchema,
  protocolVersion,
  type SessionModes,
  type SessionResult,
  sessionResultSchema,
} from "./protocol.ts";
import type { ToolServer } from "./toolServer.ts";

/** A session that prompts can be sent to. */
export interface OpenedAgent {
  sessionId: string;
  /** It knows nothing yet of what was said before. */
  isNew: boolean;
  /** As the agent names itself. */
  agentName: string;
  modes: SessionModes | undefined;
  /** What the user may choose of it. */
  options: ProgramOption[];
  /** Whether it takes in what is said while it works. */
  canSteer: boolean;
  /** It has Arbor's tools in place of its own. */
  isGuarded: boolean;
  wantedMode(mode: PermissionMode): string | undefined;
  setMode(connection: AgentConnection, modeId: string, signal: AbortSignal): Promise<void>;
  setOption(connection: AgentConnection, option: { id: string; value: string }, signal: AbortSignal): Promise<void>;
}

/**
 * What we offer: files are read and written through the editor. Terminals are not: agents run their commands by
 * themselves.
 */
const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: false,
  session: { notices: {}, compaction: {} },
  subagents: {},
  plan: {},
  auth: { terminal: true },
  // Before the protocol had it.
  _meta: { "terminal-auth": true },
};

export const initializeParameters = {
  ...{ protocolVersion, clientCapabilities },
  clientInfo: { name: "arbor", title: "Arbor", version: "1.0.0" },
};

/** Hooks and settings of the repository stay off: they would run commands without asking. */
const ownSettings = { settingSources: ["user"] };
/**
 * Of its own tools a guarded agent has what neither reads nor changes a file, runs a command or starts an agent. Named
 * twice, since a later version may know one of the two lists only. Servers of its own settings are not asked about here.
 */
const guardedSettings = {
  ...ownSettings,
  tools: ["WebSearch"],
  disallowedTools: [
    ...["Bash", "BashOutput", "KillShell", "PowerShell", "Monitor", "Read", "Glob", "Grep", "LS", "LSP", "REPL"],
    ...["Edit", "MultiEdit", "Write", "NotebookEdit", "Task", "Agent", "Workflow", "WebFetch", "Skill"],
  ],
  strictMcpConfig: true,
};

const guardedNote =
  "Files, searches, commands, web pages and sub-agents are reached by the tools of the server arbor alone; it shows the user what they do. Read a file with them before you edit it.";

/** What a session has of ours. */
interface SessionSetup {
  isGuarded: boolean;
  /** Of an agent that is one of ours but for its model: who it is and what it has to do. */
  instructions?: string;
  /** Called with the ways to log in. */
  onLogins(logins: ProgramLogin[]): void;
  /** Undefined where there is nothing to offer. */
  toolServer(agentName: string): Promise<ToolServer["address"] | undefined>;
}

function sessionMeta({ isGuarded, instructions = "" }: SessionSetup): object {
  const append = [instructions, isGuarded ? guardedNote : ""].filter((text) => text !== "").join("\n\n");
  return {
    claudeCode: { options: isGuarded ? guardedSettings : ownSettings },
    ...(append !== "" && { systemPrompt: { append } }),
  };
}

interface OpenOptions {
  cwd: string;
  sessionId?: string;
  setup: SessionSetup;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Starts the process and opens its session: the earlier one, where the agent still has it, or a new one. */
export async function openAgent(
  connection: AgentConnection,
  { cwd, sessionId, setup, signal, timeoutMs }: OpenOptions,
): Promise<OpenedAgent> {
  await connection.start();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const agent = await connection.request("initialize", initializeParameters, {
    ...{ result: initializeResultSchema, signal: limited },
  });
  setup.onLogins(offeredLogins(agent.authMethods ?? []));
  if (agent.protocolVersion !== protocolVersion) {
    throw new AgentRequestError(0, `It speaks version ${agent.protocolVersion} of the protocol.`);
  }
  const takesServers = agent.agentCapabilities?.mcpCapabilities?.http === true;
  if (setup.isGuarded && !(takesServers && canBeGuarded(agent.agentInfo?.name ?? ""))) {
    throw new AgentRequestError(0, t("It can't be guarded, since its own tools can't be switched off."));
  }
  const server = takesServers ? await setup.toolServer(agent.agentInfo?.name ?? "") : undefined;
  const params = { cwd, mcpServers: server === undefined ? [] : [server], _meta: sessionMeta(setup) };
  const loaded = await load(connection, agent, { params, sessionId, signal: limited });
  const { isGuarded } = setup;
  if (loaded !== undefined && sessionId !== undefined) {
    return opened(agent, loaded, { sessionId, isNew: false, isGuarded });
  }
  const created = await connection.request("session/new", params, { result: sessionResultSchema, signal: limited });
  if (created.sessionId === undefined) throw new AgentRequestError(0, "It gave its session no id.");
  return opened(agent, created, { sessionId: created.sessionId, isNew: true, isGuarded });
}

/** Undefined where it can't be loaded: the agent starts a new session then. */
async function load(
  connection: AgentConnection,
  { agentCapabilities }: InitializeResult,
  { params, sessionId, signal }: { params: object; sessionId: string | undefined; signal: AbortSignal },
): Promise<SessionResult | undefined> {
  if (sessionId === undefined || agentCapabilities?.loadSession !== true) return undefined;
  try {
    const asked = { ...params, sessionId };
    return await connection.request("session/load", asked, { result: sessionResultSchema, signal });
  } catch (error) {
    if (error instanceof AgentRequestError && error.code !== errorCodes.authRequired) return undefined;
    throw error;
  }
}

function opened(
  agent: InitializeResult,
  result: SessionResult,
  { sessionId, isNew, isGuarded }: Pick<OpenedAgent, "sessionId" | "isNew" | "isGuarded">,
): OpenedAgent {
  const agentName = agent.agentInfo?.name ?? "";
  const modes = result.modes ?? undefined;
  return {
    ...{ sessionId, agentName, modes, isNew, isGuarded, options: offeredOptions(result) },
    canSteer: agent._meta?.steering?.supported === true,
    wantedMode: (mode) => wantedMode(agentName, modes, mode),
    async setMode(connection, modeId, signal) {
      await connection.request("session/set_mode", { sessionId, modeId }, { result: z.unknown(), signal });
    },
    async setOption(connection, { id, value }, signal) {
      const [method, params] =
        id === modelsOption
          ? ["session/set_model", { sessionId, modelId: value }]
          : ["session/set_config_option", { sessionId, configId: id, value }];
      await connection.request(method, params, { result: z.unknown(), signal });
    },
  };
}

/** Why an agent could not be started, for people and for the model that gave it work. */
export function startFailure(error: unknown, definition: ForeignAgentDefinition, log: readonly string[]): AgentError {
  const { name } = definition;
  const [last = ""] = log.slice(-1);
  if (error instanceof AgentRequestError && error.code === errorCodes.authRequired) {
    return new AgentError(
      "provider",
      t(
        "{0} needs you to log in first: {1} Use “Arbor: Options of a Foreign Agent…”, Log In.",
        name,
        visibleLine(error.message, 300),
      ),
    );
  }
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const reason = isTimeout ? t("It does not answer.") : visibleLine(errorText(error), 500);
  return new AgentError(
    "provider",
    [t("{0} could not be started: {1}", name, reason), visibleLine(last, 300)].join(" ").trim(),
  );
}

type InitializeResult = z.infer<typeof initializeResultSchema>;
