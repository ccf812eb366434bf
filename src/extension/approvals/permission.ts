import type { AgentMeta } from "../../agent/types.ts";

/** Who wants something. */
interface Asker {
  agent: AgentMeta;
  callId: string;
  toolName: string;
}

/** A command to be run. What is shown of it is all of it. */
export interface CommandPermission extends Asker {
  kind: "command";
  command: string;
  /** As the workspace names the folder. */
  cwd: string;
  /** The same, absolute and without links. */
  folder: string;
  background?: boolean;
  /** Differs when files that it runs do, as far as they are known. Absent in the sandbox, where they can do no harm. */
  version?: string;
  /** Those files, as absolute paths. */
  runs?: readonly string[];
  /** A rule would let it run, but an agent changed something of it meanwhile. */
  isChanged?: true;
  /** Who asks can run another command in its place. */
  mayEdit?: true;
  /** The user wrote it in place of another one: only rules that forbid it are left to ask. */
  isEdited?: true;
  /** Inside it can change the workspace alone and reach only hosts that are asked for. Absent where there is no sandbox. */
  sandbox?: "inside" | "outside";
}

/** An address to be fetched. */
export interface FetchPermission extends Asker {
  kind: "fetch";
  url: string;
  host: string;
  /** The host is this machine or one of its own networks. */
  isPrivate: boolean;
  /** What is odd about the address, as sentences. */
  concerns: readonly string[];
}

/** A file with keys or passwords whose text would go to the model. */
export interface ReadPermission extends Asker {
  kind: "read";
  /** As the workspace names it. */
  path: string;
  /** Of a link: the file that is read. */
  leadsTo?: string;
}

/** A tool of an MCP server that would be called, or the model by the server. */
export interface McpPermission extends Asker {
  kind: "mcp";
  /** `sampling`: the server has the model answer something, during a call of its tool; each time is asked. */
  purpose: "call" | "sampling";
  /** As its configuration names it. */
  server: string;
  /** As the server names it. */
  tool: string;
  /** JSON, all of it; of sampling, what the model would be asked. */
  arguments: string;
  /** What the server says of the tool; shown where it has changed. */
  description: string;
  /** Differs when what the server says of the tool does. */
  version: string;
  /** It says something else than when the user allowed a call last. */
  isChanged: boolean;
  /** What the server says that the tool does. It may be wrong or a lie: it can make a question stricter, never spare it. */
  claims: { readsOnly: boolean; destroys: boolean; reachesOut: boolean };
}

/** Something that an agent of another program asks about before it does it. */
interface ForeignPermission extends Asker {
  kind: "foreign";
  /** As the settings name it. */
  program: string;
  /** As the agent names it, and what it says of it. */
  title: string;
  details: string;
  /** An edit of files: one answer may be for all of them. */
  isEdit: boolean;
}

/** A hook of the workspace that would be run, or a call that a hook wants the user to be asked about. */
export interface HookPermission extends Asker {
  kind: "hook";
  purpose: "run" | "call";
  event: string;
  /** What it is run for; empty for all. */
  matcher: string;
  /** The command, or the call. */
  command: string;
  /** The file that names it. */
  path: string;
  /** Why the hook wants the user to be asked. */
  reason?: string;
  isSandboxed: boolean;
  /** It, or a script that it runs, is another one than the user allowed. */
  isChanged: boolean;
  version: string;
}

export type PermissionRequest =
  | CommandPermission
  | FetchPermission
  | ReadPermission
  | McpPermission
  | ForeignPermission
  | HookPermission;
export type PermissionAnswer =
  /** `command`: what the user wants to run in place of the one that was asked for. */
  | { allowed: true; command?: string }
  /** `isRule`: a rule of the settings said no, for this reason. */
  | { allowed: false; reason?: string; isRule?: true };

/** Waits for the answer. An abort withdraws the question: it is then answered with no. */
export type AskPermission = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;
