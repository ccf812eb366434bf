import type { PermissionMode } from "../../protocol/modes.ts";
import type { SessionModes } from "./protocol.ts";

/**
 * What is true of an agent in its mode: it works with Arbor's tools alone, it asks before it changes something, it is
 * held in a sandbox of its own, or nothing of that is known.
 */
export type Supervision = "guarded" | "asks" | "sandboxed" | "unsupervised";

/** How an agent of another program is kept in bounds, as it was seen with the version that is named. */
interface KnownAgent {
  /** As it names itself. */
  name: RegExp;
  /** Its mode for changes, and the one for plans. Absent: it has none, and no plan is safe with it. */
  working?: string;
  planning?: string;
  /** By mode; in any other it is unsupervised. Of an agent without modes under "". */
  supervision: Readonly<Record<string, Supervision>>;
  /** Its edits come as requests to write, and an answer with an error leaves the file as it is. */
  writesThroughUs?: true;
  /** Its model does not learn what an error of such a request says. */
  losesErrors?: true;
  /** Its own tools can be switched off; the name by which its model calls one of a server's. */
  canBeGuarded?: { toolName(server: string, tool: string): string };
  /** It replaces variables in the headers of a server, but names that server in the arguments of another process. */
  readsVariables?: true;
}

const known: readonly KnownAgent[] = [
  // 0.100: asks before edits and commands.
  {
    name: /^@agentclientprotocol\/claude-agent-acp$/,
    ...{ working: "default", planning: "plan" },
    supervision: { default: "asks", plan: "asks" },
    canBeGuarded: { toolName: (server, tool) => `mcp__${server}__${tool}` },
    readsVariables: true,
  },
  // 2.6: writes in its own sandbox without a question and asks before a command leaves it; its mode for reading is
  // enforced by the system. In "agent", where it starts, a model of its own answers those questions.
  {
    name: /^@agentclientprotocol\/codex-acp$/,
    ...{ working: "workspace-write", planning: "read-only" },
    supervision: { "workspace-write": "sandboxed", "read-only": "sandboxed" },
  },
  // 0.61: asks before edits and commands.
  {
    name: /^gemini-cli$/,
    ...{ working: "default", planning: "plan" },
    supervision: { default: "asks", plan: "asks" },
    writesThroughUs: true,
    // "[object Object]", it says.
    losesErrors: true,
  },
  // 1.18: asks because of OPENCODE_PERMISSION, which it is started with.
  { name: /^OpenCode$/, supervision: { "": "asks" } },
];

/** The mode that an agent is to work in; undefined for one that has to stay in the mode it is in. */
export function wantedMode(
  agentName: string,
  modes: SessionModes | undefined,
  permissionMode: PermissionMode,
): string | undefined {
  const agent = known.find(({ name }) => name.test(agentName));
  const wanted = permissionMode === "plan" ? agent?.planning : agent?.working;
  return modes?.availableModes.some(({ id }) => id === wanted) === true ? wanted : undefined;
}

/** Whether an agent can be relied on to change nothing. */
export function canPlan(agentName: string, modeId: string | undefined): boolean {
  const planning = known.find(({ name }) => name.test(agentName))?.planning;
  return planning !== undefined && planning === modeId;
}

export function supervisionOf(agentName: string, modeId: string | undefined, isGuarded = false): Supervision {
  const agent = known.find(({ name }) => name.test(agentName));
  const supervision = agent?.supervision[modeId ?? ""] ?? "unsupervised";
  return isGuarded && supervision === "asks" ? "guarded" : supervision;
}

/** Whether an agent can do without its own tools. */
export function canBeGuarded(agentName: string): boolean {
  return known.find(({ name }) => name.test(agentName))?.canBeGuarded !== undefined;
}

/**
 * How an agent's model calls a tool of a server that it was given; undefined where such a name may be that of another
 * server, too.
 */
export function servedToolName(agentName: string, server: string, tool: string): string | undefined {
  return known.find(({ name }) => name.test(agentName))?.canBeGuarded?.toolName(server, tool);
}

/** Whether a token may be named by its variable, so that it is in no list of processes. */
export function readsVariables(agentName: string): boolean {
  return known.find(({ name }) => name.test(agentName))?.readsVariables === true;
}

/** Whether the question of an edit would be asked twice. */
export function writesThroughUs(agentName: string): boolean {
  return known.find(({ name }) => name.test(agentName))?.writesThroughUs === true;
}

/** Whether what came of a write has to be said once more, as a message. */
export function losesErrors(agentName: string): boolean {
  return known.find(({ name }) => name.test(agentName))?.losesErrors === true;
}
