import { type ReadonlySignal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Intent } from "../../../protocol/messages.ts";
import type { SlashCommand, Suggestion } from "../../../protocol/suggestions.ts";
import { type Completion, type Trigger, triggerAt } from "./completion.ts";

/** The list while it is open. */
export interface CompletionList {
  trigger: Trigger;
  items: readonly Completion[];
  active: number;
}

/** An agent of the tree that can be told something now. */
export interface RunningAgent {
  id: string;
  name: string;
}

/** What is offered while a mention or a command is typed. */
export interface Completing {
  /** Undefined while it is closed: nothing to complete, nothing found, or sent away. */
  readonly list: ReadonlySignal<CompletionList | undefined>;
  /** The text or the caret changed. */
  follow(text: string, caret: number): void;
  move(step: 1 | -1): void;
  point(index: number): void;
  close(): void;
  receive(requestId: string, items: readonly Suggestion[]): void;
}

export interface CompletingOptions {
  post(intent: Intent): void;
  commands(): readonly SlashCommand[];
  runningAgents(): readonly RunningAgent[];
}

export function createCompleting({ post, commands, runningAgents }: CompletingOptions): Completing {
  const list = signal<CompletionList | undefined>(undefined);
  let trigger: Trigger | undefined;
  let found: readonly Suggestion[] = [];
  /** What was typed when they were found. */
  let foundFor = "";
  let requests = 0;
  /** Where the list was sent away: it stays away as long as the same word is typed. */
  let dismissedAt: number | undefined;

  function show(active: number): void {
    const items = trigger === undefined || trigger.start === dismissedAt ? [] : itemsFor(trigger);
    if (trigger === undefined || items.length === 0) list.value = undefined;
    else list.value = { trigger, items, active: Math.min(active, items.length - 1) };
  }

  function itemsFor({ kind, query }: Trigger): Completion[] {
    const wanted = query.toLowerCase();
    if (kind === "command") {
      return commands()
        .filter(({ name }) => name.startsWith(wanted))
        .map((command) => ({ kind: "command", key: command.name, command }));
    }
    const running = kind === "mention" ? runningAgents().filter(({ name }) => name.toLowerCase().includes(wanted)) : [];
    // Until the next answer the last one stays, without what can't be meant any more.
    const known = query === foundFor ? found : found.filter(({ mention }) => holdsInOrder(mention, wanted));
    return [...running.map(runningSuggestion), ...known].map((suggestion) => ({
      kind: "mention",
      key: JSON.stringify(suggestion.attachment),
      suggestion,
    }));
  }

  return {
    list,
    follow(text, caret) {
      const next = triggerAt(text, caret);
      const isSame = next?.kind === trigger?.kind && next?.start === trigger?.start;
      if (isSame && next?.query === trigger?.query && next?.end === trigger?.end) return;
      if (!isSame) {
        found = [];
        dismissedAt = undefined;
      }
      const asksAnew = !isSame || next?.query !== trigger?.query;
      trigger = next;
      if (next !== undefined && next.kind !== "command" && asksAnew && next.start !== dismissedAt) {
        post({ type: "suggest", requestId: String(++requests), kind: next.kind, query: next.query });
      }
      show(0);
    },
    move(step) {
      const open = list.peek();
      if (open === undefined) return;
      const count = open.items.length;
      list.value = { ...open, active: (open.active + step + count) % count };
    },
    point(index) {
      const open = list.peek();
      if (open !== undefined && open.active !== index) list.value = { ...open, active: index };
    },
    close() {
      dismissedAt = trigger?.start;
      list.value = undefined;
    },
    receive(requestId, items) {
      if (requestId !== String(requests) || trigger === undefined || trigger.kind === "command") return;
      found = items;
      foundFor = trigger.query;
      show(list.peek()?.active ?? 0);
    },
  };
}

/** Whether all letters stand in a text in their order. */
function holdsInOrder(text: string, letters: string): boolean {
  const lower = text.toLowerCase();
  let at = 0;
  for (const letter of letters) {
    at = lower.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function runningSuggestion({ id, name }: RunningAgent): Suggestion {
  return {
    attachment: { kind: "agent", name, agentId: id },
    label: name,
    detail: t("Tell this running agent"),
    mention: name,
  };
}
