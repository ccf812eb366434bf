import { t } from "@vscode/l10n";
import type { ScopeOffer, ShownGrant } from "../../protocol/grants.ts";
import type { Approval } from "../../protocol/hostEvents.ts";
import { oneLine, visible } from "./visible.ts";

const maxTextLength = 80;

/** What an answer that reaches further allows, above the choice of how far. */
export function grantedKind({ request }: Pick<Approval, "request">): string {
  if (request === undefined) return t("Always allow edits for:");
  switch (request.kind) {
    case "command":
      return t("Always allow this command for:");
    case "fetch":
      return t("Always allow fetching from this host for:");
    case "read":
      return t("Always allow reading this file for:");
    case "mcp":
      return t("Always allow this tool for:");
    case "foreign":
    case "hook":
      return t("Always allow this for:");
    default:
      request.kind satisfies never;
      return "";
  }
}

/** How far an answer reaches, as a choice. */
export function scopeText({ scope, pattern }: ScopeOffer, approval: Approval): string {
  switch (scope) {
    case "agent":
      return approval.others === undefined
        ? t("This agent and its sub-agents")
        : t("These agents and their sub-agents");
    case "session":
      return t("All agents in this chat");
    case "pattern":
      return t("{0} in this chat", oneLine(pattern ?? "", maxTextLength));
    case "rule":
      // All of it: it is written to the settings as it is shown.
      return t("All chats, by a rule in your settings: {0}", visible(pattern ?? ""));
    case "workspace":
      return t("All sandboxed commands in this workspace");
    default:
      scope satisfies never;
      return "";
  }
}

/** On a call that was allowed without asking. */
export function allowedText({ scope, agentPath, text }: ShownGrant): string {
  switch (scope) {
    case "agent":
      return t("Allowed by you for {0} and its sub-agents", (agentPath ?? []).map(visible).join(" › "));
    case "session":
      return t("Allowed by you for this chat");
    case "pattern":
      return t("Allowed by you for {0} in this chat", oneLine(text, maxTextLength));
    case "rule":
      return t("Allowed by the rule {0}", oneLine(text, maxTextLength));
    case "workspace":
      return t("Allowed by you for all sandboxed commands in this workspace");
    default:
      scope satisfies never;
      return "";
  }
}

/** What a grant allows, and to whom. */
export function grantText({ kind, scope, text, folder, agentPath }: ShownGrant): { what: string; whom: string } {
  if (scope === "workspace") return { what: t("Sandboxed commands"), whom: t("all chats of this workspace") };
  const whom =
    agentPath === undefined ? t("this chat") : t("{0} and its sub-agents", agentPath.map(visible).join(" › "));
  if (kind === "edit") {
    return { what: text === "**" ? t("Edits of all files") : t("Edits of {0}", oneLine(text, maxTextLength)), whom };
  }
  if (kind === "fetch") return { what: t("Fetches from {0}", oneLine(text, maxTextLength)), whom };
  if (kind === "read") return { what: t("Reading of {0}", oneLine(text, maxTextLength)), whom };
  if (kind === "mcp" || kind === "foreign") return { what: t("Calls of {0}", oneLine(text, maxTextLength)), whom };
  const what = visible(text);
  return { what, whom: folder === undefined ? whom : t("in {0}, {1}", visible(folder), whom) };
}
