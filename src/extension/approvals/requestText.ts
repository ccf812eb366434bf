import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import { lookalikes } from "../../protocol/lookalikes.ts";
import { oddBlanks, unseenCharacters } from "../../protocol/unseen.ts";
import type { CommandPermission, HookPermission, McpPermission, PermissionRequest } from "./permission.ts";

/** What is to be run, fetched or read, all of it, with nothing hidden in it. */
export function requestText(request: PermissionRequest): string {
  switch (request.kind) {
    case "command":
      return visibleText(request.command);
    case "fetch":
      return visibleText(request.url);
    case "read":
      return visibleText(request.path);
    case "mcp":
      return visibleText(request.purpose === "call" ? `${request.tool} ${request.arguments}` : request.arguments);
    case "foreign":
      return visibleText([request.title, request.details].filter((part) => part !== "").join("\n"));
    case "hook":
      return visibleText(request.command);
    default:
      return assertNever(request);
  }
}

export function wantsToRun(request: PermissionRequest): request is CommandPermission {
  return request.kind === "command";
}

/** What is shown is what would be edited: not where something is written out that can't be seen. */
export function mayEdit(request: PermissionRequest): boolean {
  return wantsToRun(request) && request.mayEdit === true && requestText(request) === request.command;
}

/** Where it runs or goes, and what is odd about it. */
export function requestDetail(request: PermissionRequest): string {
  const odd = lookalikes(request.kind === "fetch" ? "" : `${requestText(request)}\n${place(request)[0] ?? ""}`);
  const note = odd.length === 0 ? [] : [t("Letters look like others in: {0}", odd.slice(0, maxOddWords).join(", "))];
  return [...place(request), ...note].join("\n");
}

const maxOddWords = 5;

function place(request: PermissionRequest): string[] {
  if (request.kind === "command") {
    const cwd = request.cwd === "." ? t("the workspace folder") : visibleText(request.cwd);
    const folder =
      request.background === true ? t("in {0}, in the background until it is stopped", cwd) : t("in {0}", cwd);
    const changed = request.isChanged
      ? [t("A rule of your settings allows it, but an agent changed a file that decides what it runs.")]
      : [];
    return [folder, ...sandboxText(request.sandbox), ...changed];
  }
  if (request.kind === "read") {
    const { leadsTo } = request;
    const link = leadsTo === undefined ? [] : [t("a link to {0}", visibleText(leadsTo))];
    return [...link, t("This file may hold passwords or keys. Its text is sent to the model.")];
  }
  if (request.kind === "mcp") return mcpDetails(request);
  if (request.kind === "foreign") {
    return [t("{0} does this itself, with your rights, once you allow it.", visibleText(request.program))];
  }
  if (request.kind === "hook") return hookDetails(request);
  const host = visibleText(request.host);
  const known = request.isPrivate
    ? t("from {0}, which is this machine or in a network of its own", host)
    : t("from {0}", host);
  const asker = request.toolName === "run_command" ? [t("for a command that runs in the sandbox")] : [];
  return [known, ...asker, ...request.concerns.map(visibleText)];
}

function hookDetails({ purpose, event, matcher, path, reason = "", isSandboxed, isChanged }: HookPermission): string[] {
  if (purpose === "call")
    return [t("A hook asks for your decision."), visibleText(reason)].filter((line) => line !== "");
  const when = matcher === "" ? event : `${event} (${visibleText(matcher)})`;
  return [
    t("A hook at {0}, from {1}. Once you allow it, it runs each time without asking.", when, visibleText(path)),
    isSandboxed ? t("It runs in the sandbox.") : t("It runs on this machine with your rights."),
    ...(isChanged ? [t("It, or a script that it runs, has changed since you allowed it.")] : []),
  ];
}

function mcpDetails({ purpose, server, claims, isChanged, description }: McpPermission): string[] {
  if (purpose === "sampling") {
    const name = visibleText(server);
    return [
      t("The MCP server {0} wants the model to answer this, on the budget of this agent, and gets the answer.", name),
    ];
  }
  return [
    t("on the MCP server {0}", visibleText(server)),
    ...(claims.readsOnly ? [t("The server says that this only reads.")] : []),
    ...(claims.destroys ? [t("The server says that this may delete or overwrite something.")] : []),
    ...(claims.reachesOut ? [t("The server says that this reaches other systems.")] : []),
    ...(isChanged
      ? [
          t("The server describes this tool differently since you last allowed it:"),
          visibleText(description).slice(0, 2_000),
        ]
      : []),
  ];
}

function sandboxText(sandbox: CommandPermission["sandbox"]): string[] {
  if (sandbox === undefined) return [];
  return sandbox === "inside"
    ? [t("in the sandbox: it can change files of this workspace only, and each host of the network is asked for")]
    : [t("outside the sandbox, with all your rights")];
}

/** With the brackets that show them here, so that nothing can be written to look like one. */
const unseen = new RegExp(`[${unseenCharacters}⟨⟩]|${oddBlanks}`, "gu");

/**
 * A text in which every character can be seen: two texts that differ are shown differently. Lines stay lines; anything
 * else that hides is written as its code point, like ⟨U+200B⟩.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => (character === "\n" ? "\n" : codePoint(character)));
}

/** The same on one line, cut off at so many characters. */
export function visibleLine(text: string, maxLength: number): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
