import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { AgentTree, TreeNode } from "../../agent/types.ts";
import type { QueuedMessage } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import type { HostMessage, Intent, PanelStatus } from "../../protocol/messages.ts";
import type { PanelHost } from "../host.ts";
import { visible } from "../text/visible.ts";
import type { PanelTiming } from "../timing.ts";
import { agentName, agentPathText, agentTitle, type NamedAgent, type Waiting, waitingAgents } from "./agents.ts";
import type { Announcer } from "./announcer.ts";
import { type Activity, applyHostMessage, type ChatState, emptyChatState } from "./chat.ts";
import { createPublisher, type TextFeed } from "./publisher.ts";
import type { RunHistory } from "./runs.ts";

/** The chat on show, as all features of the panel see it. */
export interface ChatModel {
  readonly post: (intent: Intent) => void;
  readonly timing: PanelTiming;
  readonly announcer: Announcer;
  readonly chatId: ReadonlySignal<string | undefined>;
  readonly host: ReadonlySignal<HostState>;
  readonly status: ReadonlySignal<PanelStatus | undefined>;
  readonly waiting: ReadonlySignal<Waiting>;
  /** There are messages before those that are shown. */
  readonly hasEarlier: ReadonlySignal<boolean>;
  readonly runs: ReadonlySignal<RunHistory>;
  /** What agents write that are not opened. */
  readonly activity: ReadonlySignal<Activity>;
  /** The agents a few times a second: what runs on in twenty of them at once is shown calmly. */
  readonly tree: ReadonlySignal<AgentTree>;
  readonly root: ReadonlySignal<TreeNode | undefined>;
  /** The agent whose transcript is shown. */
  readonly selected: ReadonlySignal<TreeNode | undefined>;
  readonly hasAgents: ReadonlySignal<boolean>;
  readonly isRunning: ReadonlySignal<boolean>;
  /** Messages that were sent while no agent works, and that none has yet. */
  readonly held: ReadonlySignal<readonly QueuedMessage[]>;
  /** The agents with every frame, and the selected one of them. */
  readonly liveTree: ReadonlySignal<AgentTree>;
  readonly liveSelected: ReadonlySignal<TreeNode | undefined>;
  /** Text deltas of what is shown. */
  readonly textFeed: TextFeed;
  /** As it was given to `select`; undefined for the root agent. */
  readonly selectedId: ReadonlySignal<string | undefined>;
  /** What `select` was called with last; a new object each time. */
  readonly selection: ReadonlySignal<{ agentId: string } | undefined>;
  select(agentId: string): void;
  /** The latest state, which is shown with the next frame. */
  latest(): ChatState;
  apply(message: HostMessage): void;
  /** Shows another state, as it was at some moment. */
  show(state: ChatState): void;
  /** Another chat is shown, or the host has started again, which then knows of no opened agent. */
  reopen(isSameChat: boolean): void;
  agent(agentId: string): TreeNode | undefined;
  /** Whose something is, as people know it. */
  pathOf(agent: NamedAgent): string;
  /** The same in short, and with those above. */
  authorOf(agent: NamedAgent): { title: string; path: string };
  runningAgents(): { id: string; name: string }[];
}

const noMessages: readonly QueuedMessage[] = [];

export interface ChatModelOptions {
  host: PanelHost;
  timing: PanelTiming;
  announcer: Announcer;
}

export function createChatModel({ host: { post, saved }, timing, announcer }: ChatModelOptions): ChatModel {
  const selectedId = signal(saved.selectedAgentId);
  const selection = signal<{ agentId: string } | undefined>(undefined);
  const isShown = (agentId: string) => liveSelected.peek()?.meta.id === agentId;
  const { chat, calm, textFeed, publish } = createPublisher({ timing, announcer, isShown });
  let current = emptyChatState();

  const liveTree = computed(() => chat.value.tree);
  const liveSelected = computed(() => nodeFor(liveTree.value, selectedId.value));
  const tree = computed(() => calm.value.tree);
  const root = computed(() => nodeFor(tree.value, undefined));
  const host = computed(() => chat.value.host);
  // Parts of their own, so that who waits is found again only when one of them changes.
  const approvals = computed(() => host.value.approvals);
  const questions = computed(() => host.value.questions);
  const runs = computed(() => host.value.runs);
  const queue = computed(() => host.value.queue);
  const isRunning = computed(() => root.value?.status === "running");

  return {
    post,
    timing,
    announcer,
    chatId: computed(() => chat.value.chatId),
    host,
    status: computed(() => chat.value.status),
    waiting: computed(() =>
      waitingAgents({ approvals: approvals.value, questions: questions.value, runs: runs.value }),
    ),
    runs: computed(() => calm.value.runs),
    activity: computed(() => calm.value.activity),
    hasEarlier: computed(() => chat.value.hasEarlier),
    tree,
    root,
    selected: computed(() => nodeFor(tree.value, selectedId.value)),
    hasAgents: computed(() => root.value !== undefined),
    isRunning,
    held: computed(() => (isRunning.value ? noMessages : queue.value.filter(({ kind }) => kind === "held"))),
    liveTree,
    liveSelected,
    textFeed,
    selectedId,
    selection,
    select(agentId) {
      selection.value = { agentId };
      const before = liveSelected.peek();
      const node = current.tree.nodes[agentId];
      if (node === undefined || node.meta.id === before?.meta.id) return;
      selectedId.value = node.meta.depth === 0 ? undefined : agentId;
      if (before !== undefined && before.meta.depth > 0) post({ type: "closeAgent", agentId: before.meta.id });
      if (node.meta.depth > 0) post({ type: "openAgent", agentId });
    },
    latest: () => current,
    apply(message) {
      const { state, ask, textDeltas } = applyHostMessage(current, message);
      current = state;
      if (ask !== undefined) post(ask);
      publish(current, textDeltas);
    },
    show(state) {
      current = state;
      publish(state);
    },
    reopen(isSameChat) {
      if (!isSameChat) selectedId.value = undefined;
      const opened = selectedId.peek();
      if (opened !== undefined) post({ type: "openAgent", agentId: opened });
    },
    agent: (agentId) => tree.value.nodes[agentId],
    pathOf: (agent) => agentPathText(tree.value, agent),
    authorOf(agent) {
      const node = tree.value.nodes[agent.agentId];
      const title = node === undefined ? visible(agent.agentPath.at(-1) ?? "") : agentTitle(node.meta);
      return { title, path: agentPathText(tree.value, agent) };
    },
    runningAgents() {
      const nodes = Object.values(current.tree.nodes);
      const running = nodes.filter((node) => node.meta.depth > 0 && node.status === "running");
      return running.map((node) => ({ id: node.meta.id, name: agentName(node.meta) }));
    },
  };
}

/** The named agent, or else the root agent of the latest run. */
function nodeFor(tree: AgentTree, id: string | undefined): TreeNode | undefined {
  return tree.nodes[id ?? ""] ?? tree.nodes[tree.roots.at(-1) ?? ""];
}
