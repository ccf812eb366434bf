import { t } from "@vscode/l10n";
import type { TreeNode } from "../../agent/types.ts";
import { askerNames } from "../text/askers.ts";
import { oneLine, visible } from "../text/visible.ts";
import { agentName } from "./agentStatus.ts";
import type { ChatState } from "./chatState.ts";

/** What a screen reader should hear of a change: agents that started or ended, approvals that are needed. */
export function announcements(before: ChatState, after: ChatState): string[] {
  if (before.chatId !== after.chatId) return [];
  const spoken: string[] = [];
  for (const approval of after.host.approvals) {
    if (before.host.approvals.some((known) => known.id === approval.id)) continue;
    const path = approval.request?.text ?? approval.files[0]?.path ?? approval.toolName;
    const [names, what] = [askerNames(approval), oneLine(path, 80)];
    spoken.push(
      approval.others === undefined
        ? t("{0} needs approval for {1}", names, what)
        : t("{0} need approval for {1}", names, what),
    );
  }
  for (const question of after.host.questions) {
    if (before.host.questions.some((known) => known.id === question.id)) continue;
    spoken.push(t("{0} asks: {1}", nameOf(question), oneLine(question.text, 120)));
  }
  for (const question of after.host.runs.questions) {
    if (before.host.runs.questions.some((known) => known.id === question.id)) continue;
    spoken.push(t("{0} has used up its budget and waits.", nameOf(question)));
  }
  for (const { id, command } of before.host.commands) {
    if (after.host.commands.some((running) => running.id === id)) continue;
    spoken.push(t("Command ended: {0}", oneLine(command, 80)));
  }
  for (const node of Object.values(after.tree.nodes)) {
    const { status, retry } = before.tree.nodes[node.meta.id] ?? {};
    if (node.retry !== undefined && node.retry !== retry && node.status === "running") {
      spoken.push(t("{0} has to ask again: {1}", agentName(node.meta), oneLine(node.retry.error, 120)));
    }
    if (status === node.status) continue;
    spoken.push(changeWords(agentName(node.meta), node.status));
  }
  return spoken;
}

function nameOf({ agentPath }: { agentPath: readonly string[] }): string {
  return visible(agentPath.at(-1) ?? t("An agent"));
}

function changeWords(name: string, status: TreeNode["status"]): string {
  switch (status) {
    case "running":
      return t("{0} started", name);
    case "done":
      return t("{0} done", name);
    case "error":
      return t("{0} failed", name);
    case "aborted":
      return t("{0} stopped", name);
    case "limit":
      return t("{0} stopped at a limit", name);
    default:
      status satisfies never;
      return name;
  }
}

/** Joins what gathered between two announcements; of many, the first few and a count. */
export function announcementText(spoken: readonly string[]): string {
  const shown = spoken.slice(0, 3);
  const rest = spoken.length - shown.length;
  const words = shown.map(sentence).join(" ");
  return rest > 0 ? t("{0} {1} more changes.", words, rest) : words;
}

/** What an agent asks, and what we say whole, has its own end. */
function sentence(words: string): string {
  return /[.!?…]$/u.test(words) ? words : `${words}.`;
}
