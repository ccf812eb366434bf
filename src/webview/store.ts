import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TreeNode } from "../agent/types.ts";
import type { HostState } from "../protocol/hostState.ts";
import type { HostMessage, Intent, PanelStatus } from "../protocol/messages.ts";
import type { Host } from "./host.ts";
import { parseHostMessage } from "./receive/parseHostMessage.ts";
import { announcements } from "./state/announcements.ts";
import { type Announcer, createAnnouncer } from "./state/announcer.ts";
import { applyHostMessage, type ChatState, emptyChatState } from "./state/chatState.ts";
import { type Composer, createComposer } from "./state/composer.ts";
import { emptyTranscript, type Transcript, transcriptOf } from "./state/transcript.ts";
import { type AgentRow, agentRows } from "./state/treeRows.ts";
import { typedText } from "./state/userMessage.ts";
import type { Timing } from "./timing.ts";

/** Asks a part of the page to take the focus; a new object each time. */
export interface FocusRequest {
  target: "composer" | "tree";
}

/** All that the panel shows, as signals, and all that it can do. */
export interface Store {
  readonly chat: ReadonlySignal<ChatState>;
  /** Parts of it, for what need not be drawn again with every word of an agent. */
  readonly hostState: ReadonlySignal<HostState>;
  readonly status: ReadonlySignal<PanelStatus | undefined>;
  readonly rows: ReadonlySignal<AgentRow[]>;
  readonly root: ReadonlySignal<TreeNode | undefined>;
  readonly isRunning: ReadonlySignal<boolean>;
  /** The agent whose transcript is shown. */
  readonly selected: ReadonlySignal<TreeNode | undefined>;
  readonly transcript: ReadonlySignal<Transcript>;
  readonly hasAgents: ReadonlySignal<boolean>;
  readonly focusRequest: ReadonlySignal<FocusRequest | undefined>;
  readonly composerFocus: ReadonlySignal<FocusRequest | undefined>;
  /** Which of the waiting approvals is shown. */
  readonly approvalIndex: Signal<number>;
  readonly isGaugeOpen: Signal<boolean>;
  /** Esc was pressed once with nothing to close. */
  readonly isStopArmed: Signal<boolean>;
  /** Rises with each message of the user's own. */
  readonly sentCount: Signal<number>;
  readonly announcer: Announcer;
  readonly composer: Composer;
  /** The panel's only way to act: the host decides. */
  readonly post: (intent: Intent) => void;
  receive(data: unknown): void;
  select(agentId: string): void;
  setExpanded(agentIds: readonly string[], isExpanded: boolean): void;
  agent(agentId: string): TreeNode | undefined;
  /** What the user sent so far, oldest first. */
  sentTexts(): string[];
  /** Asks the host for the chat. */
  start(): void;
}

export function createStore(host: Host, timing: Timing): Store {
  const chat = signal(emptyChatState());
  const collapsed = signal<ReadonlySet<string>>(new Set(host.saved.collapsed));
  const selectedId = signal(host.saved.selectedAgentId);
  const focusRequest = signal<FocusRequest | undefined>(undefined);
  const announcer = createAnnouncer(timing);
  const composer = createComposer(host.post, timing, host.saved.draft ?? "");
  let current = chat.peek();
  let isPublishing = false;

  const tree = computed(() => chat.value.tree);
  const hostState = computed(() => chat.value.host);
  const approvals = computed(() => hostState.value.approvals);
  const root = computed(() => tree.value.nodes[tree.value.roots.at(-1) ?? ""]);
  const selected = computed(() => tree.value.nodes[selectedId.value ?? ""] ?? root.value);
  let shown = emptyTranscript;
  const transcript = computed(() => {
    const node = selected.value;
    shown = node === undefined ? emptyTranscript : transcriptOf(tree.value, node, shown);
    return shown;
  });

  /** Messages are folded as they come and shown once per frame. */
  function publish(): void {
    isPublishing = false;
    const before = chat.peek();
    chat.value = current;
    announcer.say(announcements(before, current));
  }

  function apply(message: HostMessage): void {
    const step = applyHostMessage(current, message);
    if (message.type === "chat") turnTo(message);
    current = step.state;
    if (step.ask !== undefined) host.post(step.ask);
    if (message.type === "compose") composer.compose(message.text, message.attachments);
    if (message.type === "compose" || message.type === "focus") {
      focusRequest.value = { target: message.type === "compose" ? "composer" : message.target };
    }
    if (isPublishing) return;
    isPublishing = true;
    timing.frame(publish);
  }

  function turnTo(message: Extract<HostMessage, { type: "chat" }>): void {
    const isSameChat = message.chatId === (current.chatId ?? host.saved.chatId);
    if (!isSameChat) {
      collapsed.value = new Set();
      selectedId.value = undefined;
    }
    if (message.chatId !== current.chatId) composer.turnTo(isSameChat && !composer.isEmpty ? "" : message.draft);
    // The host forgets which agents are open when it starts afresh.
    if (selectedId.peek() !== undefined) host.post({ type: "openAgent", agentId: selectedId.peek() ?? "" });
  }

  effect(() => {
    const chatId = chat.value.chatId ?? host.saved.chatId;
    host.save({
      draft: composer.text.value,
      collapsed: [...collapsed.value],
      ...(chatId === undefined ? {} : { chatId }),
      ...(selectedId.value === undefined ? {} : { selectedAgentId: selectedId.value }),
    });
  });

  return {
    chat,
    hostState,
    status: computed(() => chat.value.status),
    rows: computed(() => agentRows({ tree: tree.value, approvals: approvals.value, collapsed: collapsed.value })),
    root,
    isRunning: computed(() => root.value?.status === "running"),
    selected,
    transcript,
    hasAgents: computed(() => root.value !== undefined),
    focusRequest,
    composerFocus: computed(() => (focusRequest.value?.target === "composer" ? focusRequest.value : undefined)),
    approvalIndex: signal(0),
    isGaugeOpen: signal(false),
    isStopArmed: signal(false),
    sentCount: signal(0),
    announcer,
    composer,
    post: host.post,
    receive(data) {
      const message = parseHostMessage(data);
      if (message !== undefined) apply(message);
    },
    select(agentId) {
      const before = selected.peek();
      const node = tree.peek().nodes[agentId];
      if (node === undefined || node === before) return;
      batch(() => {
        selectedId.value = node.meta.depth === 0 ? undefined : agentId;
      });
      if (before !== undefined && before.meta.depth > 0) host.post({ type: "closeAgent", agentId: before.meta.id });
      if (node.meta.depth > 0) host.post({ type: "openAgent", agentId });
    },
    setExpanded(agentIds, isExpanded) {
      const next = new Set(collapsed.peek());
      for (const id of agentIds) {
        if (isExpanded) next.delete(id);
        else next.add(id);
      }
      collapsed.value = next;
    },
    agent: (agentId) => tree.value.nodes[agentId],
    sentTexts: () =>
      (root.peek()?.messages ?? []).flatMap((message) => (message.role === "user" ? [typedText(message)] : [])),
    start() {
      const { chatId } = host.saved;
      host.post(chatId === undefined ? { type: "ready" } : { type: "ready", chatId });
    },
  };
}
