import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { HostMessage, Intent } from "../../protocol/messages.ts";
import { createTreeModel, type TreeModel } from "../features/agents/treeModel.ts";
import { type ApprovalsModel, createApprovals } from "../features/approvals/approvals.ts";
import { type BudgetModel, createBudgetModel } from "../features/budget/budgetModel.ts";
import type { WorkModelOptions } from "../features/changes/workModel.ts";
import { type ComposerModel, createComposerModel } from "../features/composer/composerModel.ts";
import { type ConversationModel, createConversation } from "../features/conversation/conversationModel.ts";
import { createFind, type FindModel } from "../features/find/findModel.ts";
import { createGauge, type GaugeModel } from "../features/gauge/gaugeModel.ts";
import { createHistoryModel, type HistoryModel } from "../features/history/history.ts";
import type { PanelHost } from "../host.ts";
import { createAnnouncer } from "../model/announcer.ts";
import { createAnswerGuard } from "../model/answers.ts";
import type { EnlargedPicture } from "../model/attachments.ts";
import { type ChatModel, createChatModel } from "../model/chatModel.ts";
import type { PanelTiming } from "../timing.ts";

/** Asks a part of the page to take the focus; a new object each time. */
interface FocusRequest {
  target: Extract<HostMessage, { type: "focus" }>["target"];
}

/** The views of the whole log, which load when they are first shown. */
interface Besides {
  /** The timeline is shown in place of the tree. */
  readonly isTimeline: Signal<boolean>;
  /** The latest part of the log that the host has sent. */
  readonly recording: Signal<Extract<HostMessage, { type: "recording" }> | undefined>;
}

/** The models of all features, and what concerns several of them. */
export interface PanelModel {
  readonly chat: ChatModel;
  readonly tree: TreeModel;
  readonly conversation: ConversationModel;
  readonly find: FindModel;
  readonly approvals: ApprovalsModel;
  readonly budget: BudgetModel;
  readonly composer: ComposerModel;
  readonly gauge: GaugeModel;
  /** Of what shows the work of a run in place of the conversation. */
  readonly work: WorkModelOptions;
  readonly besides: Besides;
  readonly history: HistoryModel;
  readonly post: (intent: Intent) => void;
  readonly focusRequest: ReadonlySignal<FocusRequest | undefined>;
  /** Esc was pressed once with nothing to close. */
  readonly isStopArmed: Signal<boolean>;
  readonly enlarged: Signal<EnlargedPicture | undefined>;
  /** A new chat, for which the user can type at once. */
  startChat(): void;
  /** Listens to the messages of the page's window. */
  readonly receive: (event: { data: unknown }) => void;
  /** Asks the host for the chat. */
  start(): void;
}

export function createPanel(host: PanelHost, timing: PanelTiming): PanelModel {
  const { post, saved } = host;
  const focusRequest = signal<FocusRequest | undefined>(undefined);
  const requestFor = (target: FocusRequest["target"]) =>
    computed(() => (focusRequest.value?.target === target ? focusRequest.value : undefined));
  const focusComposer = () => {
    focusRequest.value = { target: "composer" };
  };
  const enlarged = signal<EnlargedPicture | undefined>(undefined);
  const enlarge = (picture: EnlargedPicture) => {
    enlarged.value = picture;
  };

  const chat = createChatModel({ host, timing, announcer: createAnnouncer(timing) });
  const tree = createTreeModel({ chat, saved, focusRequest: requestFor("tree") });
  const find = createFind(chat);
  const guard = createAnswerGuard(timing);
  const approvals = createApprovals(chat, guard);
  const history = createHistoryModel(chat, focusComposer);
  const gauge = createGauge(chat);
  const composer = createComposerModel({
    chat,
    saved,
    focusRequest: requestFor("composer"),
    enlarge,
    showUsage() {
      gauge.isOpen.value = true;
    },
    onSent() {
      conversation.sentCount.value++;
      // Who reads another agent would see neither this message nor its answer. What is queued is seen anywhere.
      showConversation();
    },
  });
  const view = signal(saved.view === "changes" ? saved.view : undefined);
  const besides: Besides = {
    isTimeline: signal(saved.view === "timeline"),
    recording: signal(undefined),
  };
  const work: WorkModelOptions = {
    ...{ chat, view, focusComposer, compose: (text) => composer.draft.compose(text, []) },
  };
  const showChanges = () => {
    view.value = "changes";
  };
  const conversation = createConversation({
    chat,
    showChanges,
    isSearched: computed(() => find.request.value !== undefined),
    editAndResend: composer.editAndResend,
    rewindTo: composer.rewindTo,
    resend: composer.resend,
    forkAt: (messageId) => history.fork(undefined, messageId),
    enlarge,
  });

  /** The chat rather than the history, and of its agents the root unless it is at work. */
  function showConversation(): void {
    history.close();
    work.view.value = undefined;
    const root = chat.root.peek();
    if (root !== undefined && !chat.isRunning.peek()) chat.select(root.meta.id);
  }

  const apply = createMessageHandler(host, {
    chat,
    tree,
    find,
    approvals,
    history,
    composer,
    work,
    besides,
    focusRequest,
    showConversation,
  });
  saveState(host, { chat, tree, composer, work, besides });

  return {
    chat,
    tree,
    conversation,
    find,
    approvals,
    budget: createBudgetModel(chat, guard),
    composer,
    gauge,
    work,
    besides,
    history,
    post,
    focusRequest,
    isStopArmed: signal(false),
    enlarged,
    startChat() {
      post({ type: "newChat" });
      history.close();
      focusComposer();
    },
    receive({ data }) {
      const message = messageIn(data);
      if (message !== undefined) apply(message);
    },
    start: () => post(saved.chatId === undefined ? { type: "ready" } : { type: "ready", chatId: saved.chatId }),
  };
}

interface MessageTargets
  extends Pick<PanelModel, "chat" | "tree" | "find" | "approvals" | "history" | "composer" | "work" | "besides"> {
  focusRequest: Signal<FocusRequest | undefined>;
  showConversation(): void;
}

/** What each message of the host does beyond the state of the chat. */
function createMessageHandler(host: PanelHost, targets: MessageTargets): (message: HostMessage) => void {
  const { chat, tree, find, approvals, history, composer, work, besides, focusRequest, showConversation } = targets;

  function showChat(message: Extract<HostMessage, { type: "chat" }>): void {
    const isSameChat = message.chatId === (chat.latest().chatId ?? host.saved.chatId);
    if (!isSameChat) {
      tree.reset();
      find.reset();
      work.view.value = undefined;
      composer.forgetRewind();
      if (history.isOpen.peek()) history.leave();
    }
    const { draft, draftAttachments = [], draftTypedAt, upToSeq } = message;
    const known = {
      ...{ text: draft, attachments: draftAttachments },
      ...(draftTypedAt !== undefined && { typedAt: draftTypedAt }),
    };
    composer.draft.showChat(message.chatId, known, upToSeq === 0);
    chat.reopen(isSameChat);
  }

  return (message) => {
    const rewindBefore = chat.latest().host.undoableRewind;
    if (message.type === "chat") showChat(message);
    chat.apply(message);
    const rewind = chat.latest().host.undoableRewind;
    if (rewind !== rewindBefore && composer.followRewind(rewind)) {
      focusRequest.value = { target: "composer" };
    }
    switch (message.type) {
      case "compose":
        composer.draft.compose(message.text, message.attachments);
        history.close();
        focusRequest.value = { target: "composer" };
        break;
      case "focus":
        if (message.target === "history") history.open();
        else history.close();
        if (message.target === "changes") work.view.value = "changes";
        if (message.target === "timeline") besides.isTimeline.value = true;
        if (message.target === "tree") besides.isTimeline.value = false;
        focusRequest.value = { target: message.target };
        break;
      case "suggestions":
        composer.completion.receive(message.requestId, message.items);
        break;
      case "prompts":
        composer.prompts = message.items;
        break;
      case "history":
        history.receive(message);
        break;
      case "chatKept":
        history.cancelRemove(message.chatId);
        break;
      case "answer":
        // Behind the history no approval is seen, and what is not seen is not answered.
        if (!history.isOpen.peek()) approvals.answerShown(message.decision);
        break;
      case "recording":
        besides.recording.value = message;
        break;
      case "showConversation":
        showConversation();
        break;
      default:
    }
  };
}

/** Saves what the next page of this panel begins with, now and whenever it changes. */
function saveState(
  host: PanelHost,
  { chat, tree, composer, work, besides }: Pick<PanelModel, "chat" | "tree" | "composer" | "work" | "besides">,
): void {
  const chatId = computed(() => chat.chatId.value ?? host.saved.chatId);
  const view = computed(() => work.view.value ?? (besides.isTimeline.value ? "timeline" : undefined));
  effect(() =>
    host.save({
      draft: composer.draft.savedText.value,
      draftTypedAt: composer.draft.typedAt(),
      collapsed: [...tree.collapsed.value],
      meters: tree.meters.value,
      ...(tree.height.value === undefined ? {} : { treeHeight: tree.height.value }),
      ...(view.value === undefined ? {} : { view: view.value }),
      ...(chatId.value === undefined ? {} : { chatId: chatId.value }),
      ...(chat.selectedId.value === undefined ? {} : { selectedAgentId: chat.selectedId.value }),
    }),
  );
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
