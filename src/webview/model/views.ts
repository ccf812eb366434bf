import { computed, type ReadonlySignal } from "@preact/signals";
import type { AgentTree, TreeNode } from "../../agent/types.ts";
import type { CommandOutcome } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import type { PanelStatus } from "../../protocol/messages.ts";
import { type AgentRow, agentRows } from "../features/agents/treeRows.ts";
import { emptyTranscript, type Transcript, transcriptOf } from "../features/conversation/transcript.ts";
import type { ChatState } from "./chatState.ts";

import { type Waiting, waitingAgents } from "./waiting.ts";

/** Parts of the state, each of which changes no more often than what it shows. */
export interface Views {
  readonly hostState: ReadonlySignal<HostState>;
  readonly waiting: ReadonlySignal<Waiting>;
  readonly allowedCalls: ReadonlySignal<HostState["allowedCalls"]>;
  /** By call id: what is known of background commands beyond their call. */
  readonly backgroundCalls: ReadonlySignal<ReadonlyMap<string, BackgroundState>>;
  readonly status: ReadonlySignal<PanelStatus | undefined>;
  /** With every frame: the agent whose transcript is shown, and that transcript. */
  readonly shownNode: ReadonlySignal<TreeNode | undefined>;
  readonly transcript: ReadonlySignal<Transcript>;
  /** Calm: what runs on in twenty agents at once is told a few times a second. */
  readonly tree: ReadonlySignal<AgentTree>;
  readonly rows: ReadonlySignal<AgentRow[]>;
  readonly root: ReadonlySignal<TreeNode | undefined>;
  readonly selected: ReadonlySignal<TreeNode | undefined>;
  readonly hasAgents: ReadonlySignal<boolean>;
  readonly isRunning: ReadonlySignal<boolean>;
  readonly chatId: ReadonlySignal<string | undefined>;
  /** There are messages before those that are shown. */
  readonly hasEarlier: ReadonlySignal<boolean>;
}

/** A command that its call has left in the background: it runs, or how it ended. */
export type BackgroundState = "running" | CommandOutcome;

export interface ViewSources {
  chat: ReadonlySignal<ChatState>;
  calm: ReadonlySignal<ChatState>;
  selectedId: ReadonlySignal<string | undefined>;
  collapsed: ReadonlySignal<ReadonlySet<string>>;
}

export function createViews({ chat, calm, selectedId, collapsed }: ViewSources): Views {
  const tree = computed(() => chat.value.tree);
  const calmTree = computed(() => calm.value.tree);
  const hostState = computed(() => chat.value.host);
  const asked = computed(() => hostState.value.approvals);
  const questions = computed(() => hostState.value.questions);
  const runs = computed(() => hostState.value.runs);
  const waiting = computed(() =>
    waitingAgents({ approvals: asked.value, questions: questions.value, runs: runs.value }),
  );
  const interrupted = computed(() => hostState.value.interrupted);
  const hasEarlier = computed(() => chat.value.hasEarlier);
  const shownNode = computed(() => nodeFor(tree.value, selectedId.value));
  const root = computed(() => nodeFor(calmTree.value, undefined));
  const commands = computed(() => hostState.value.commands);
  const commandOutcomes = computed(() => hostState.value.commandOutcomes);
  let previous = emptyTranscript;
  return {
    hostState,
    waiting,
    allowedCalls: computed(() => hostState.value.allowedCalls),
    backgroundCalls: computed(() => {
      const states = new Map<string, BackgroundState>(Object.entries(commandOutcomes.value));
      for (const { callId, chatTitle } of commands.value) if (chatTitle === undefined) states.set(callId, "running");
      return states;
    }),
    status: computed(() => chat.value.status),
    shownNode,
    transcript: computed(() => {
      const node = shownNode.value;
      previous = node === undefined ? emptyTranscript : transcriptOf(tree.value, node, previous);
      return previous;
    }),
    tree: calmTree,
    rows: computed(() =>
      agentRows({
        tree: calmTree.value,
        waiting: waiting.value,
        collapsed: collapsed.value,
        interrupted: interrupted.value,
        hasEarlier: hasEarlier.value,
      }),
    ),
    root,
    selected: computed(() => nodeFor(calmTree.value, selectedId.value)),
    hasAgents: computed(() => root.value !== undefined),
    chatId: computed(() => chat.value.chatId),
    hasEarlier,
    isRunning: computed(() => root.value?.status === "running"),
  };
}

/** The named agent, or else the root agent of the latest run. */
function nodeFor(tree: ChatState["tree"], id: string | undefined): TreeNode | undefined {
  return tree.nodes[id ?? ""] ?? tree.nodes[tree.roots.at(-1) ?? ""];
}
