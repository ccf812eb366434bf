import { type ReadonlySignal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { TreeNode } from "../../agent/types.ts";
import { askerNames } from "../text/askers.ts";
import { plural } from "../text/format.ts";
import { oneLine, visible } from "../text/visible.ts";
import type { PanelTiming } from "../timing.ts";
import { agentTitle, type NamedAgent } from "./agents.ts";
import type { ChatState } from "./chat.ts";

const quietMs = 2_000;

interface Announcement {
  readonly text: string;
  /** Counted, so that the same text is announced again when it comes twice. */
  readonly number: number;
}

/** Announces at most once every two seconds; what gathers meanwhile is announced together. */
export interface Announcer {
  readonly latest: ReadonlySignal<Announcement>;
  announce(texts: readonly string[]): void;
}

export function createAnnouncer(timing: Pick<PanelTiming, "later">): Announcer {
  const latest = signal<Announcement>({ text: "", number: 0 });
  let waiting: string[] = [];
  let isQuiet = false;

  function flush(): void {
    isQuiet = false;
    if (waiting.length === 0) return;
    latest.value = { text: announcementText(waiting), number: latest.peek().number + 1 };
    waiting = [];
    isQuiet = true;
    timing.later(flush, quietMs);
  }

  return {
    latest,
    announce(texts) {
      if (texts.length === 0) return;
      waiting.push(...texts);
      if (!isQuiet) flush();
    },
  };
}

/** What a screen reader announces of a change: agents that started or ended, approvals that are needed. */
export function announcements(before: ChatState, after: ChatState): string[] {
  if (before.chatId !== after.chatId) return [];
  const news: string[] = [];
  for (const approval of after.host.approvals) {
    if (before.host.approvals.some((known) => known.id === approval.id)) continue;
    const path = approval.request?.text ?? approval.files[0]?.path ?? approval.toolName;
    const [names, what] = [askerNames(approval, (asker) => nameOf(after, asker)), oneLine(path, 80)];
    news.push(
      approval.others === undefined
        ? t("{0} needs approval for {1}", names, what)
        : t("{0} need approval for {1}", names, what),
    );
  }
  for (const question of after.host.questions) {
    if (before.host.questions.some((known) => known.id === question.id)) continue;
    news.push(t("{0} asks: {1}", nameOf(after, question), oneLine(question.text, 120)));
  }
  for (const question of after.host.runs.questions) {
    if (before.host.runs.questions.some((known) => known.id === question.id)) continue;
    news.push(t("{0} is paused: budget reached", nameOf(after, question)));
  }
  for (const { id, command } of before.host.commands) {
    if (after.host.commands.some((running) => running.id === id)) continue;
    news.push(t("Command ended: {0}", oneLine(command, 80)));
  }
  for (const node of Object.values(after.tree.nodes)) {
    const { status, retry } = before.tree.nodes[node.meta.id] ?? {};
    const { error = "" } = node.retry ?? {};
    if (error !== "" && node.retry !== retry && node.status === "running") {
      news.push(t("{0} is retrying: {1}", agentTitle(node.meta), oneLine(error, 120)));
    }
    if (status === node.status) continue;
    news.push(statusText(agentTitle(node.meta), node.status));
  }
  return news;
}

function nameOf({ tree }: ChatState, { agentId, agentPath }: NamedAgent): string {
  const meta = tree.nodes[agentId]?.meta;
  return meta?.label === undefined ? visible(agentPath.at(-1) ?? t("An agent")) : agentTitle(meta);
}

function statusText(name: string, status: TreeNode["status"]): string {
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
function announcementText(news: readonly string[]): string {
  const shown = news.slice(0, 3);
  const rest = news.length - shown.length;
  const text = shown.map(sentence).join(" ");
  if (rest === 0) return text;
  return plural(rest, t("{0} {1} more change.", text, rest), t("{0} {1} more changes.", text, rest));
}

/** What an agent asks, and what is a sentence already, has its own end. */
function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
