import { t } from "@vscode/l10n";
import { oneLine, visible } from "../text/visible.ts";
import { agentName, statusWords } from "./agentStatus.ts";
import type { ChatState } from "./chatState.ts";

/** What a screen reader should hear of a change: agents that started or ended, approvals that are needed. */
export function announcements(before: ChatState, after: ChatState): string[] {
  if (before.chatId !== after.chatId) return [];
  const spoken: string[] = [];
  for (const approval of after.host.approvals) {
    if (before.host.approvals.some((known) => known.id === approval.id)) continue;
    const path = approval.request?.text ?? approval.files[0]?.path ?? approval.toolName;
    spoken.push(`${visible(approval.agentPath.at(-1) ?? "An agent")} needs approval for ${oneLine(path, 80)}`);
  }
  for (const question of after.host.questions) {
    if (before.host.questions.some((known) => known.id === question.id)) continue;
    spoken.push(`${visible(question.agentPath.at(-1) ?? "An agent")} asks: ${oneLine(question.text, 120)}`);
  }
  for (const question of after.host.runs.questions) {
    if (before.host.runs.questions.some((known) => known.id === question.id)) continue;
    spoken.push(t("{0} has used up its budget and waits.", visible(question.agentPath.at(-1) ?? t("An agent"))));
  }
  for (const node of Object.values(after.tree.nodes)) {
    const { status, retry } = before.tree.nodes[node.meta.id] ?? {};
    if (node.retry !== undefined && node.retry !== retry && node.status === "running") {
      spoken.push(t("{0} has to ask again: {1}", agentName(node.meta), oneLine(node.retry.error, 120)));
    }
    if (status === node.status) continue;
    spoken.push(`${agentName(node.meta)} ${node.status === "running" ? "started" : statusWords[node.status]}`);
  }
  return spoken;
}

/** Joins what gathered between two announcements; of many, the first few and a count. */
export function announcementText(spoken: readonly string[]): string {
  const shown = spoken.slice(0, 3);
  const rest = spoken.length - shown.length;
  return rest > 0 ? `${shown.join(". ")}. ${rest} more changes.` : `${shown.join(". ")}.`;
}
