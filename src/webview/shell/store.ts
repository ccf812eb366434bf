import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TreeNode, UserMessage } from "../../agent/types.ts";
import type { Rewind } from "../../protocol/hostEvents.ts";
import type { HostMessage, Intent } from "../../protocol/messages.ts";
import { type ChatFacts, type Composing, createComposing } from "../features/composer/composing.ts";
import { createResending } from "../features/composer/resending.ts";
import { createHistory, type History } from "../features/history/history.ts";
import type { Host } from "../host.ts";
import { agentName } from "../model/agentStatus.ts";
import { type Announcer, createAnnouncer } from "../model/announcer.ts";
import { applyHostMessage, emptyChatState } from "../model/chatState.ts";
import type { GrowthFeed } from "../model/growth.ts";
import { createPublisher } from "../model/publisher.ts";
import { typedText } from "../model/userMessage.ts";
import { createViews, type Views } from "../model/views.ts";
import type { Timing } from "../timing.ts";

/** Asks a part of the page to take the focus; a new object each time. */
interface FocusRequest {
  target: Extract<HostMessage, { type: "focus" }>["target"];
}

/** All that the panel shows, as signals, and all that it can do. */
export interface Store extends Views, Composing {
  readonly focusRequest: ReadonlySignal<FocusRequest | undefined>;
  readonly composerFocus: ReadonlySignal<FocusRequest | undefined>;
  /** Which of the waiting approvals is shown. */
  readonly approvalIndex: Signal<number>;
  /** Answers the approval that is shown, if any. */
  answerShown(decision: "accepted" | "rejected"): void;
  /** In pixels, as the user drew it; undefined: as much as the panel gives. */
  readonly treeHeight: Signal<number | undefined>;
  readonly isGaugeOpen: Signal<boolean>;
  /** Esc was pressed once with nothing to close. */
  readonly isStopArmed: Signal<boolean>;
  /** Find is open; a new object each time it is asked for. */
  readonly findRequest: Signal<object | undefined>;
  readonly timing: Timing;
  /** Words that a text on the page gains while it is written. */
  readonly growth: GrowthFeed;
  /** Rises with each message of the user's own. */
  readonly sentCount: Signal<number>;
  readonly announcer: Announcer;
  readonly history: History;
  openHistory(): void;
  /** Back to the chat on show. */
  closeHistory(): void;
  openChat(chatId: string): void;
  /** A copy of the chat, or of what stands before a message of the user's. */
  forkChat(chatId: string | undefined, messageId?: string): void;
  /** The panel's only way to act: the host decides. */
  readonly post: (intent: Intent) => void;
  receive(data: unknown): void;
  select(agentId: string): void;
  /** The chat rather than the history, and of its agents the one that answers unless they are at work. */
  showConversation(): void;
  /** Takes a message of the user's back into the composer, and all that followed out of the conversation. */
  editAndResend(message: UserMessage): void;
  /** Files and conversation back to before a message of the user's. */
  rewindTo(message: UserMessage): void;
  setExpanded(agentIds: readonly string[], isExpanded: boolean): void;
  agent(agentId: string): TreeNode | undefined;
  /** What the user sent so far, oldest first. */
  sentTexts(): string[];
  /** Asks the host for the chat. */
  start(): void;
}

export function createStore(host: Host, timing: Timing): Store {
  const collapsed = signal<ReadonlySet<string>>(new Set(host.saved.collapsed));
  const selectedId = signal(host.saved.selectedAgentId);
  const treeHeight = signal(host.saved.treeHeight);
  const approvalIndex = signal(0);
  const focusRequest = signal<FocusRequest | undefined>(undefined);
  const announcer = createAnnouncer(timing);
  const isShown = (agentId: string) => views.shownNode.peek()?.meta.id === agentId;
  const { chat, calm, growth, publish } = createPublisher({ timing, announcer, isShown });
  const views = createViews({ chat, calm, selectedId, collapsed });
  const history = createHistory(host.post);
  const composing = createComposing({ post: host.post, timing, saved: host.saved, facts: chatFacts });
  const { composer, completing } = composing;
  const resending = createResending(host.post, composer);
  let current = emptyChatState();

  function apply(message: HostMessage): void {
    const step = applyHostMessage(current, message);
    if (message.type === "chat") turnTo(message);
    followRewind(current.host.undoableRewind, step.state.host.undoableRewind);
    current = step.state;
    if (step.ask !== undefined) host.post(step.ask);
    if (message.type === "compose") composer.compose(message.text, message.attachments);
    if (message.type === "suggestions") completing.receive(message.requestId, message.items);
    if (message.type === "history") history.receive(message);
    if (message.type === "chatKept") history.keep(message.chatId);
    // Behind the history no approval is seen, and what is not seen is not answered.
    if (message.type === "answer" && !history.isOpen.peek()) answerShown(message.decision);
    if (message.type === "showConversation") showConversation();
    if (message.type === "compose" || message.type === "focus") {
      if (message.type === "focus" && message.target === "history") history.isOpen.value = true;
      else history.close();
      focusRequest.value = { target: message.type === "compose" ? "composer" : message.target };
    }
    publish(current, step.growths);
  }

  function showConversation(): void {
    history.close();
    const root = views.root.peek();
    if (root !== undefined && !views.isRunning.peek()) select(root.meta.id);
  }

  function select(agentId: string): void {
    const before = views.shownNode.peek();
    const node = current.tree.nodes[agentId];
    if (node === undefined || node.meta.id === before?.meta.id) return;
    selectedId.value = node.meta.depth === 0 ? undefined : agentId;
    if (before !== undefined && before.meta.depth > 0) host.post({ type: "closeAgent", agentId: before.meta.id });
    if (node.meta.depth > 0) host.post({ type: "openAgent", agentId });
  }

  function chatFacts(): ChatFacts {
    const { tree, status } = current;
    const running = Object.values(tree.nodes).filter((node) => node.meta.depth > 0 && node.status === "running");
    return {
      commands: status?.commands ?? [],
      isRunning: views.isRunning.peek(),
      messages: views.root.peek()?.messages ?? [],
      runningAgents: running.map((node) => ({ id: node.meta.id, name: agentName(node.meta) })),
    };
  }

  function answerShown(decision: "accepted" | "rejected"): void {
    const { approvals } = current.host;
    const shown = approvals[Math.min(approvalIndex.peek(), approvals.length - 1)];
    if (shown !== undefined) host.post({ type: "decide", approvalId: shown.id, decision });
  }

  function closeHistory(): void {
    history.close();
    focusRequest.value = { target: "composer" };
  }

  function followRewind(before: Rewind | undefined, after: Rewind | undefined): void {
    if (after === before || after === undefined) return;
    if (resending.follow(after)) focusRequest.value = { target: "composer" };
  }

  function turnTo(message: Extract<HostMessage, { type: "chat" }>): void {
    const isSameChat = message.chatId === (current.chatId ?? host.saved.chatId);
    if (!isSameChat) {
      collapsed.value = new Set();
      selectedId.value = undefined;
      if (history.isOpen.peek()) closeHistory();
    }
    const { draft, draftAttachments = [], upToSeq } = message;
    composer.turnTo(message.chatId, { text: draft, attachments: draftAttachments }, upToSeq === 0);
    // The host forgets which agents are open when it starts afresh.
    const opened = selectedId.peek();
    if (opened !== undefined) host.post({ type: "openAgent", agentId: opened });
  }

  const chatId = computed(() => chat.value.chatId ?? host.saved.chatId);
  effect(() =>
    host.save({
      draft: composer.keptText.value,
      collapsed: [...collapsed.value],
      ...(treeHeight.value === undefined ? {} : { treeHeight: treeHeight.value }),
      ...(chatId.value === undefined ? {} : { chatId: chatId.value }),
      ...(selectedId.value === undefined ? {} : { selectedAgentId: selectedId.value }),
    }),
  );

  return {
    ...views,
    growth,
    focusRequest,
    composerFocus: computed(() => (focusRequest.value?.target === "composer" ? focusRequest.value : undefined)),
    approvalIndex,
    answerShown,
    treeHeight,
    isGaugeOpen: signal(false),
    isStopArmed: signal(false),
    findRequest: signal(undefined),
    timing,
    sentCount: signal(0),
    announcer,
    ...composing,
    history,
    openHistory: () => {
      history.isOpen.value = true;
    },
    closeHistory,
    openChat(id) {
      closeHistory();
      host.post({ type: "openChat", chatId: id });
    },
    forkChat(id, messageId) {
      if (history.isOpen.peek()) closeHistory();
      host.post({
        type: "forkChat",
        ...(id === undefined ? {} : { chatId: id }),
        ...(messageId === undefined ? {} : { messageId }),
      });
    },
    post: host.post,
    receive(data) {
      const message = messageIn(data);
      if (message !== undefined) apply(message);
    },
    select,
    editAndResend: resending.start,
    rewindTo: resending.rewind,
    showConversation,
    setExpanded(agentIds, isExpanded) {
      const next = new Set(collapsed.peek());
      for (const id of agentIds) {
        if (isExpanded) next.delete(id);
        else next.add(id);
      }
      collapsed.value = next;
    },
    agent: (agentId) => calm.value.tree.nodes[agentId],
    sentTexts: () =>
      (views.root.peek()?.messages ?? []).flatMap((sent) => (sent.role === "user" ? [typedText(sent)] : [])),
    start() {
      const { chatId: known } = host.saved;
      host.post(known === undefined ? { type: "ready" } : { type: "ready", chatId: known });
    },
  };
}

/** Messages of the host are JSON texts; whatever else reaches the page's window is not for the panel. */
function messageIn(data: unknown): HostMessage | undefined {
  if (typeof data !== "string") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  // The host makes them by the types of the protocol.
  return typeof value === "object" && value !== null && "type" in value ? (value as HostMessage) : undefined;
}
