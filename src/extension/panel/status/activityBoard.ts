import { t } from "@vscode/l10n";
import type { AgentEvent, AgentMeta } from "../../../agent/types.ts";
import type { ApprovalAsker } from "../../../protocol/hostEvents.ts";
import { concernsPending, type HostState, pendingDecisions } from "../../../protocol/hostState.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { visibleLine, visibleText } from "../../approvals/requestText.ts";

/** A chat as far as it is followed. */
export interface FollowedChat {
  readonly log: { readonly host: HostState; onAppend(listener: (entry: LogEntry) => void): { dispose(): void } };
}

/** Something that needs an answer. */
export interface WaitingItem<Chat> {
  chat: Chat;
  id: string;
  /** Of those who wait. */
  agentIds: readonly string[];
  /** Of those who wait, the titles of their work from the top, or the names from the root agent down. */
  agentPaths: readonly (readonly string[])[];
  /** The command, the file or the question. */
  what: string;
}

/** Which agents run and what waits for the user, over all chats. Oldest first. */
export class ActivityBoard<Chat extends FollowedChat> {
  readonly #onChange: () => void;
  readonly #running = new Map<string, { chat: Chat; name: string }>();
  readonly #waiting = new Map<string, WaitingItem<Chat>>();
  /** All that has started in the chats that are followed, by id. */
  readonly #agents = new Map<string, { chat: Chat; meta: AgentMeta }>();
  /** What of each chat is in it. */
  readonly #shown = new WeakMap<Chat, string>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The agents that run and do not wait for the user, each by the title of its work or its name. */
  get running(): readonly string[] {
    const waiting = new Set([...this.#waiting.values()].flatMap(({ agentIds }) => agentIds));
    return [...this.#running].filter(([id]) => !waiting.has(id)).map(([, { name }]) => name);
  }

  get waiting(): readonly WaitingItem<Chat>[] {
    return [...this.#waiting.values()];
  }

  /** Until it is disposed, which is the chat's end. */
  follow(chat: Chat): { dispose(): void } {
    const following = chat.log.onAppend((entry) => {
      if (
        "agent" in entry ? this.#observeAgent(chat, entry.agent) : concernsPending(entry.host) && this.#update(chat)
      ) {
        this.#onChange();
      }
    });
    // What waits since before the editor was opened.
    if (this.#update(chat)) this.#onChange();
    return {
      dispose: () => {
        following.dispose();
        for (const [id, agent] of this.#running) if (agent.chat === chat) this.#running.delete(id);
        for (const [id, item] of this.#waiting) if (item.chat === chat) this.#waiting.delete(id);
        for (const [id, agent] of this.#agents) if (agent.chat === chat) this.#agents.delete(id);
        this.#onChange();
      },
    };
  }

  /** Whether it changed anything: most events of a run do not. */
  #observeAgent(chat: Chat, { type, agent }: AgentEvent): boolean {
    if (type === "agent_start") {
      this.#agents.set(agent.id, { chat, meta: agent });
      this.#running.set(agent.id, { chat, name: titleOf(agent) });
    } else if (type === "agent_end") this.#running.delete(agent.id);
    else return false;
    return true;
  }

  /** Over all chats the order is that in which they came to wait. */
  #update(chat: Chat): boolean {
    const pending = pendingDecisions(chat.log.host).map(({ askers, ...item }) => ({
      ...item,
      agentIds: askers.map(({ agentId }) => agentId),
      agentPaths: askers.map((asker) => this.#pathOf(asker)),
    }));
    const now = JSON.stringify(pending);
    if (now === (this.#shown.get(chat) ?? "[]")) return false;
    this.#shown.set(chat, now);
    const ids = new Set(pending.map(({ id }) => id));
    for (const [id, item] of this.#waiting) if (item.chat === chat && !ids.has(id)) this.#waiting.delete(id);
    for (const { id, agentIds, agentPaths, subject = t("budget reached") } of pending) {
      this.#waiting.set(id, { chat, id, agentIds, agentPaths, what: subject });
    }
    return true;
  }

  /** As the panel names it. */
  #pathOf({ agentId, agentPath }: Pick<ApprovalAsker, "agentId" | "agentPath">): readonly string[] {
    const titles: string[] = [];
    let hasTitle = false;
    // The length of the path ends the walk even if a damaged log made a circle.
    for (let agent = this.#agents.get(agentId)?.meta; agent !== undefined && titles.length < agentPath.length; ) {
      if (agent.depth > 0) titles.unshift(titleOf(agent));
      hasTitle ||= agent.depth > 0 && agent.label !== undefined && agent.label !== "";
      agent = agent.depth > 0 ? this.#agents.get(agent.parentId ?? "")?.meta : undefined;
    }
    return hasTitle ? titles : agentPath;
  }
}

/** What an agent's work is, in a few words, or else its name. */
function titleOf({ label = "", name = "agent" }: AgentMeta): string {
  return label === "" ? name : label;
}

export interface ShownActivity {
  running: readonly string[];
  waiting: readonly { agentPaths: readonly (readonly string[])[]; what: string }[];
}

export interface StatusText {
  text: string;
  tooltip: string;
  /** For screen readers, without the icon. */
  label: string;
}

const maxNamed = 8;
const maxLength = 60;

/** What the status bar says of all chats; undefined when there is nothing to say. */
export function statusText({ running, waiting }: ShownActivity): StatusText | undefined {
  const parts = [
    ...(running.length > 0 ? [t("{0} running", running.length)] : []),
    ...(waiting.length > 0 ? [t("{0} waiting", waiting.length)] : []),
  ];
  if (parts.length === 0) return undefined;
  const words = parts.join(" · ");
  return { text: `$(hubot) ${words}`, tooltip: tooltipOf({ running, waiting }), label: t("Arbor: {0}", words) };
}

function tooltipOf({ running, waiting }: ShownActivity): string {
  const waits = waiting.map(({ agentPaths, what }) => {
    const names = agentPaths.map((path) => path.map(visibleText).join(" › "));
    return t("{0} waits for you: {1}", names.join(", "), noticeLine(what));
  });
  const runs = running.length === 0 ? [] : [t("Running: {0}", shortList(running.map(visibleText)).join(", "))];
  return [...shortList(waits), ...runs].join("\n");
}

function shortList(all: readonly string[]): string[] {
  const rest = all.length - maxNamed;
  return rest > 0 ? [...all.slice(0, maxNamed), t("and {0} more", rest)] : [...all];
}

/** Not too long for a notification. */
export const noticeLine = (text: string): string => visibleLine(text, maxLength);

/** What waits for the user, for the view's badge: like "1 request needs your approval, 2 questions need your answer". */
export function pendingText(approvals: number, questions: number): { count: number; text: string } {
  const parts = [
    ...(approvals === 0
      ? []
      : [approvals === 1 ? t("1 request needs your approval") : t("{0} requests need your approval", approvals)]),
    ...(questions === 0
      ? []
      : [questions === 1 ? t("1 question needs your answer") : t("{0} questions need your answer", questions)]),
  ];
  return { count: approvals + questions, text: parts.join(", ") };
}
