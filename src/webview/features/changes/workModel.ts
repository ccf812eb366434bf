import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { AgentTree } from "../../../agent/types.ts";
import type { PlanItem } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { ChatModel } from "../../model/chatModel.ts";

/** What is shown in place of the conversation: nothing else, or one of these. */
type ShownView = "changes" | "comparisons" | undefined;

/** What the views of a run's work have from the chat. */
export interface WorkModel {
  readonly tree: ReadonlySignal<AgentTree>;
  readonly host: ReadonlySignal<HostState>;
  readonly title: ReadonlySignal<string>;
  /** When the latest run began. */
  readonly runStart: ReadonlySignal<number>;
  readonly plan: ReadonlySignal<readonly PlanItem[]>;
  /** All runs of the chat rather than the latest. */
  readonly isWholeChat: Signal<boolean>;
  readonly isByAgent: Signal<boolean>;
  readonly post: (intent: Intent) => void;
  /** Shows an agent's transcript. */
  select(agentId: string): void;
  /** Closes it for the conversation. */
  close(): void;
  /** Puts a text into the composer. */
  compose(text: string): void;
  /** Until the result is called it closes when the user selects an agent. */
  followSelection(): () => void;
}

export interface WorkModelOptions {
  chat: ChatModel;
  view: Signal<ShownView>;
  focusComposer(): void;
  compose(text: string): void;
}

export function createWorkModel({ chat, view, focusComposer, compose }: WorkModelOptions): WorkModel {
  return {
    ...{ compose, tree: chat.tree, host: chat.host, post: chat.post, select: chat.select },
    title: computed(() => chat.host.value.title ?? t("Changes")),
    runStart: computed(() => chat.runs.value.starts.at(-1) ?? 0),
    plan: computed(() => chat.host.value.plans[chat.root.value?.meta.id ?? ""] ?? []),
    isWholeChat: signal(false),
    isByAgent: signal(false),
    // Who selects an agent wants to read its transcript.
    followSelection() {
      const before = chat.selection.peek();
      return effect(() => {
        if (chat.selection.value !== before) view.value = undefined;
      });
    },
    close() {
      view.value = undefined;
      focusComposer();
    },
  };
}
