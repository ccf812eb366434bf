import { t } from "@vscode/l10n";
import type { AgentMeta } from "../../agent/types.ts";
import type { GrantScope, ScopeOffer, ShownGrant } from "../../protocol/grants.ts";
import type { PermissionRequest } from "./permission.ts";
import { visibleText } from "./requestText.ts";

/** Files that an agent wants to change, all from one call. */
export interface EditRequest {
  kind: "edit";
  agent: AgentMeta;
  /** As the workspace names them; of a move both ends, and of a link where it leads, too. */
  paths: readonly string[];
  /** Any of them is asked for each time. */
  isSensitive: boolean;
}

/** What an answer may be given to beforehand. */
export type GrantableRequest = PermissionRequest | EditRequest;

/** What the user allowed without being asked again. Nothing but a person's answer makes one. */
export interface Grant {
  id: string;
  scope: GrantScope;
  /** With the scope `agent`: the agent that asked; what it spawned is allowed the same. */
  agentId?: string;
  /** By the count of `CommandTrust`. */
  givenAt: number;
  allowed: Allowed;
  shown: ShownGrant;
}

type Allowed =
  /** `folder` with a slash at its end, or "" for the whole workspace. */
  | { kind: "edit"; folder: string }
  | {
      kind: "command";
      command: string;
      folder: string;
      cwd: string;
      background: boolean;
      sandbox: "inside" | "outside" | undefined;
      version: string | undefined;
      runs: readonly string[];
    }
  /** `protocol` as a URL has it: what is fetched by http can be read and changed on the way. */
  | { kind: "fetch"; protocol: string; host: string }
  /** This file, as long as it is the same one. */
  | { kind: "read"; path: string; leadsTo: string | undefined }
  /** Without a tool: all of the server. */
  | { kind: "mcp"; server: string; tool?: { name: string; version: string } }
  /** Without a call: all edits of the program. */
  | { kind: "foreign"; program: string; call?: { title: string; details: string } };

/** The answers that reach further than once; none for what is asked each time. */
export function offersFor(request: GrantableRequest): ScopeOffer[] {
  if (!isGrantable(request)) return [];
  if (request.kind === "mcp") {
    const pattern = visibleText(`${request.server}: *`);
    return [{ scope: "agent" }, { scope: "session" }, { scope: "pattern", pattern }];
  }
  const folder = request.kind === "edit" ? commonFolder(request.paths) : "";
  const offers: ScopeOffer[] = [{ scope: "agent" }, { scope: "session" }];
  if (request.kind === "command" && request.sandbox === "inside") return [...offers, { scope: "workspace" }];
  return folder === "" ? offers : [...offers, { scope: "pattern", pattern: visibleText(`${folder}**`) }];
}

/** What an answer of that scope allows; undefined when it was not on offer. */
export function grantOf(
  request: GrantableRequest,
  scope: GrantScope,
  { id, agentPath, givenAt = 0 }: { id: string; agentPath: readonly string[]; givenAt?: number },
): Grant | undefined {
  if (request.kind === "hook" || !offersFor(request).some((offer) => offer.scope === scope)) return undefined;
  const allowed = allowedBy(request, scope);
  const isOfAgent = scope === "agent";
  return {
    ...{ id, scope, givenAt, allowed },
    ...(isOfAgent && { agentId: request.agent.id }),
    shown: { id, kind: request.kind, scope, ...shownText(allowed), ...(isOfAgent && { agentPath: [...agentPath] }) },
  };
}

/** Whether a grant lets a request through. `lineage` has the ids from the root agent down to the one that asks. */
export function isGranted({ agentId, allowed }: Grant, request: GrantableRequest, lineage: readonly string[]): boolean {
  if (!isGrantable(request)) return false;
  if (agentId !== undefined && !lineage.includes(agentId)) return false;
  switch (request.kind) {
    case "edit":
      return allowed.kind === "edit" && request.paths.every((path) => isInFolder(path, allowed.folder));
    case "command":
      return (
        allowed.kind === "command" &&
        allowed.command === request.command &&
        allowed.folder === request.folder &&
        allowed.background === (request.background ?? false) &&
        allowed.sandbox === request.sandbox &&
        allowed.version === request.version
      );
    case "fetch":
      return allowed.kind === "fetch" && allowed.host === request.host && allowed.protocol === protocolOf(request.url);
    case "read":
      return allowed.kind === "read" && allowed.path === request.path && allowed.leadsTo === request.leadsTo;
    case "mcp": {
      if (allowed.kind !== "mcp" || allowed.server !== request.server) return false;
      const { tool } = allowed;
      return tool === undefined || (tool.name === request.tool && tool.version === request.version);
    }
    case "foreign": {
      if (allowed.kind !== "foreign" || allowed.program !== request.program) return false;
      const { call } = allowed;
      return call === undefined ? request.isEdit : call.title === request.title && call.details === request.details;
    }
    case "hook":
      return false;
    default:
      request satisfies never;
      return false;
  }
}

function isGrantable(request: GrantableRequest): boolean {
  // What is allowed of hooks is kept beyond a chat, and apart.
  if (request.kind === "hook") return false;
  if (request.kind === "edit") return !request.isSensitive && request.paths.length > 0;
  if (request.kind === "mcp") return request.purpose === "call" && !request.isChanged && !request.claims.destroys;
  return request.kind !== "fetch" || (!request.isPrivate && request.concerns.length === 0);
}

function allowedBy(request: Exclude<GrantableRequest, { kind: "hook" }>, scope: GrantScope): Allowed {
  if (request.kind === "edit") return { kind: "edit", folder: scope === "pattern" ? commonFolder(request.paths) : "" };
  if (request.kind === "fetch") return { kind: "fetch", protocol: protocolOf(request.url), host: request.host };
  if (request.kind === "read") return { kind: "read", path: request.path, leadsTo: request.leadsTo };
  if (request.kind === "mcp") {
    const { server, tool: name, version } = request;
    return { kind: "mcp", server, ...(scope !== "pattern" && { tool: { name, version } }) };
  }
  if (request.kind === "foreign") {
    const { program, title, details, isEdit } = request;
    return { kind: "foreign", program, ...(!isEdit && { call: { title, details } }) };
  }
  const { command, folder, cwd, background = false, sandbox, version, runs = [] } = request;
  return { kind: "command", command, folder, cwd, background, sandbox, version, runs };
}

function shownText(allowed: Allowed): Pick<ShownGrant, "text" | "folder"> {
  if (allowed.kind === "edit") return { text: visibleText(`${allowed.folder}**`) };
  if (allowed.kind === "fetch") {
    const origin = allowed.protocol === "https:" ? allowed.host : `${allowed.protocol}//${allowed.host}`;
    return { text: visibleText(origin) };
  }
  if (allowed.kind === "read") return { text: visibleText(allowed.path) };
  if (allowed.kind === "mcp") return { text: visibleText(`${allowed.server}: ${allowed.tool?.name ?? "*"}`) };
  if (allowed.kind === "foreign") {
    return { text: visibleText(`${allowed.program}: ${allowed.call?.title ?? t("all edits")}`) };
  }
  return { text: visibleText(allowed.command), folder: visibleText(allowed.cwd) };
}

function protocolOf(url: string): string {
  return new URL(url).protocol;
}

/** The deepest folder that all are in, with a slash at its end; "" for the workspace itself. */
function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths.map((path) => path.slice(0, path.lastIndexOf("/") + 1));
  let folder = first;
  while (folder !== "" && !others.every((other) => other.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return folder;
}

/** A path that climbs is in no folder, whatever it starts with. */
function isInFolder(path: string, folder: string): boolean {
  return path.startsWith(folder) && !path.split(/[\\/]/).includes("..");
}
