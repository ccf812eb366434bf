import { type ReadonlySignal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Attachment } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { SlashCommand, Suggestion, SuggestionKind } from "../../../protocol/suggestions.ts";

/** The list while it is open. */
export interface OpenCompletions {
  trigger: Trigger;
  items: readonly CompletionItem[];
  active: number;
}

/** An agent of the tree that can be sent a message now. */
export interface RunningAgent {
  id: string;
  name: string;
}

/** What is offered while a mention or a command is typed. */
export interface CompletionModel {
  /** Undefined while it is closed: nothing to complete, nothing found, or dismissed. */
  readonly list: ReadonlySignal<OpenCompletions | undefined>;
  /** The text or the caret changed. */
  follow(text: string, caret: number): void;
  move(step: 1 | -1): void;
  point(index: number): void;
  close(): void;
  /** A second answer to the same request replaces the first. */
  receive(requestId: string, items: readonly Suggestion[]): void;
}

export interface CompletionOptions {
  post(intent: Intent): void;
  commands(): readonly SlashCommand[];
  runningAgents(): readonly RunningAgent[];
}

export function createCompletion({ post, commands, runningAgents }: CompletionOptions): CompletionModel {
  const list = signal<OpenCompletions | undefined>(undefined);
  let trigger: Trigger | undefined;
  let found: readonly Suggestion[] = [];
  /** What was typed when they were found. */
  let foundFor = "";
  let requests = 0;
  /** The number of the request that `found` answers. */
  let answered = 0;
  /** Where the list was dismissed: it stays away as long as the same word is typed. */
  let dismissedAt: number | undefined;

  function show(active: number): void {
    const items = trigger === undefined || trigger.start === dismissedAt ? [] : itemsFor(trigger);
    if (trigger === undefined || items.length === 0) list.value = undefined;
    else list.value = { trigger, items, active: Math.min(active, items.length - 1) };
  }

  function itemsFor({ kind, query }: Trigger): CompletionItem[] {
    const wanted = query.toLowerCase();
    if (kind === "command") {
      return grouped(
        commands()
          .filter(({ name }) => name.startsWith(wanted))
          .map((command) => ({ kind: "command", key: command.name, command })),
      );
    }
    const running = kind === "mention" ? runningAgents().filter(({ name }) => name.toLowerCase().includes(wanted)) : [];
    // Until the next answer the last one is shown, without what can't be meant any more.
    const known = query === foundFor ? found : found.filter(({ mention }) => hasInOrder(mention, wanted));
    return grouped(
      [...running.map(runningSuggestion), ...known].map((suggestion) => ({
        kind: "mention",
        key: JSON.stringify(suggestion.attachment),
        suggestion,
      })),
    );
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
      const isNewQuery = !isSame || next?.query !== trigger?.query;
      trigger = next;
      if (next !== undefined && next.kind !== "command" && isNewQuery && next.start !== dismissedAt) {
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
      const before = list.peek();
      const chosen = before?.items[before.active]?.key;
      // The rest of an answer that has begun: what is chosen stays chosen.
      const isRest = answered === requests && chosen !== undefined;
      answered = requests;
      found = items;
      foundFor = trigger.query;
      const active = before?.active ?? 0;
      show(active);
      const open = list.peek();
      const at = open?.items.findIndex(({ key }) => key === chosen) ?? -1;
      if (isRest && open !== undefined && at >= 0 && at !== active) list.value = { ...open, active: at };
    },
  };
}

/** Whether a text has all letters in their order. */
function hasInOrder(text: string, letters: string): boolean {
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
    detail: t("Message this running agent"),
    mention: name,
  };
}

/** What is being typed that a list can complete: from its first sign to the end of its word. */
export interface Trigger {
  kind: SuggestionKind | "command";
  start: number;
  end: number;
  /** Without the sign. */
  query: string;
}

/** One line of the list. */
export type CompletionItem =
  | { kind: "mention"; key: string; suggestion: Suggestion }
  | { kind: "command"; key: string; command: SlashCommand };

/** What an item is, as the list heads it. */
export type CompletionGroup =
  | NonNullable<SlashCommand["group"]>
  | ("command" | "context" | "file" | "folder" | "symbol" | "agent" | "resource");

export function groupOf(item: CompletionItem): CompletionGroup {
  if (item.kind === "command") return item.command.group ?? "command";
  const { kind } = item.suggestion.attachment;
  switch (kind) {
    case "file":
    case "folder":
    case "symbol":
    case "agent":
    case "resource":
      return kind;
    default:
      return "context";
  }
}

/** The same items, each group at the place of its first. */
function grouped(items: readonly CompletionItem[]): CompletionItem[] {
  const groups = new Map<CompletionGroup, CompletionItem[]>();
  for (const item of items) {
    const group = groupOf(item);
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  return [...groups.values()].flat();
}

/** Longer than any path that is typed by hand; a longer text is not looked through with each key. */
const maxTriggerLength = 300;
const mention = /(?:^|[\s([{])@(#?)(?:"([^"\n]*)|([^\s@"]*))$/u;
const command = /^\/([\w-]*)$/;

/** What the caret is in: a name after a slash at the text's start, or a mention that begins a word. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const from = Math.max(0, caret - maxTriggerLength);
  const before = text.slice(from, caret);
  const named = from === 0 ? command.exec(before) : null;
  if (named !== null) return { kind: "command", start: 0, end: wordEnd(text, caret), query: named[1] ?? "" };
  const found = mention.exec(before);
  if (found === null) return undefined;
  const [whole, hash, quoted, plain] = found;
  const query = quoted ?? plain ?? "";
  const start = caret - (whole.length - whole.indexOf("@"));
  const end = quoted === undefined ? wordEnd(text, caret) : caret;
  return { kind: hash === "#" ? "symbol" : "mention", start, end, query };
}

function wordEnd(text: string, caret: number): number {
  const rest = /^[^\s@"]*/u.exec(text.slice(caret, caret + maxTriggerLength));
  return caret + (rest?.[0].length ?? 0);
}

/** What replaces the trigger's text. */
export function completedText(completion: CompletionItem): string {
  if (completion.kind === "command") return `/${completion.command.name} `;
  return `${mentionText(completion.suggestion.mention)} `;
}

/** A mention as it is written in a text; quoted where it would end too soon. */
function mentionText(name: string): string {
  return /[\s"@]/u.test(name) ? `@"${name.replaceAll('"', "")}"` : `@${name}`;
}

/** The text without a mention that was removed; what only begins like it stays. */
export function withoutMention(text: string, name: string): string {
  const written = mentionText(name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return text.replace(new RegExp(`(?<=^|[\\s([{])${written}(?:$|(?=[.,;:!?)\\]}])|\\s)`, "gu"), "");
}

/** How a text mentions an attachment, without the `@`; undefined for what is not mentioned. */
export function mentionOf(attachment: Attachment): string | undefined {
  switch (attachment.kind) {
    case "file":
      return attachment.path;
    case "folder":
      return `${attachment.path}/`;
    case "symbol":
    case "agent":
    case "resource":
      return attachment.name;
    case "selection":
    case "problems":
    case "terminal":
    case "diff":
      return attachment.kind;
    case "text":
    case "image":
      return undefined;
    default:
      attachment satisfies never;
      return undefined;
  }
}
