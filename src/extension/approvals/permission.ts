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
  background?: boolean;
  /** Inside it can change the workspace alone and reach no network. Absent where there is no sandbox. */
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

export type PermissionRequest = CommandPermission | FetchPermission | ReadPermission;
export type PermissionAnswer = { allowed: true } | { allowed: false; reason?: string };

/** Waits for the answer of whoever decides. An abort withdraws the question: it is then answered with no. */
export type AskPermission = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer>;
