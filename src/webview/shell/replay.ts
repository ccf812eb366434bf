import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { HostMessage, Intent, ReplayRequest, TimedEntry } from "../../protocol/messages.ts";
import { createTreeModel, type TreeModel } from "../features/agents/treeModel.ts";
import { type ApprovalsModel, createApprovals } from "../features/approvals/approvals.ts";
import { type BudgetModel, createBudgetModel } from "../features/budget/budgetModel.ts";
import { type ConversationModel, createConversation } from "../features/conversation/conversationModel.ts";
import { createGauge, type GaugeModel } from "../features/gauge/gaugeModel.ts";
import { createPlayer, type Player } from "../features/replay/player.ts";
import { createTimeline, type Timeline } from "../features/timeline/timelineFold.ts";
import { createAnswerGuard } from "../model/answers.ts";
import type { EnlargedPicture } from "../model/attachments.ts";
import { type ChatModel, createChatModel } from "../model/chatModel.ts";
import type { PanelTiming } from "../timing.ts";

/** The models of the panel over a recorded log, at one moment of it. */
export interface ReplayModel {
  readonly player: Player;
  readonly chat: ChatModel;
  readonly tree: TreeModel;
  readonly conversation: ConversationModel;
  readonly approvals: ApprovalsModel;
  readonly budget: BudgetModel;
  readonly gauge: GaugeModel;
  readonly isTimeline: Signal<boolean>;
  /** Of the whole log: it is drawn until the moment. */
  readonly timeline: Timeline;
  /** Another number with each other picture of the timeline. */
  readonly version: ReadonlySignal<number>;
  readonly enlarged: Signal<EnlargedPicture | undefined>;
  /** Takes part after part of the log. */
  receive(part: Pick<Extract<HostMessage, { type: "recording" }>, "entries" | "isFirst" | "isWhole">): void;
  /** The moment in which a call or a message began. */
  goTo(agentId: string, moment: string | undefined): void;
}

interface ReplayOptions {
  timing: PanelTiming;
  /** Where to begin, once all of the log is here. Default: at its end. */
  position?: number | undefined;
  copy(text: string): void;
}

export function createReplay({ timing, position, copy }: ReplayOptions): ReplayModel {
  const player = createPlayer({ timing, show: (state) => chat.show(state) });
  /** Nothing that was asked of the host then is asked now. */
  function post(intent: Intent): void {
    if (intent.type === "copy") copy(intent.text);
    else if (intent.type !== "openAgent" && intent.type !== "closeAgent")
      console.debug(`A replay does not act: ${intent.type}`);
  }
  const silent = { latest: signal({ text: "", number: 0 }), announce() {} };
  const chat: ChatModel = {
    ...createChatModel({ host: { post, save() {}, saved: {} }, timing: atOnce, announcer: silent }),
    timing: player.timing,
  };
  const guard = createAnswerGuard(timing);
  const enlarged = signal<EnlargedPicture | undefined>(undefined);
  const nothing = () => {};
  const timeline = createTimeline();
  let isPlaced = position === undefined;

  return {
    player,
    chat,
    tree: createTreeModel({ chat, saved: {}, focusRequest: signal(undefined) }),
    conversation: {
      ...createConversation({
        ...{ chat, isSearched: signal(false), showChanges: nothing, editAndResend: nothing },
        ...{ rewindTo: nothing, resend: nothing, forkAt: nothing },
        enlarge(picture) {
          enlarged.value = picture;
        },
      }),
      // There are no notices here: the conversation says why a run failed.
      endNotice: signal(undefined),
    },
    // Cards have keys as well, which answer as their buttons do.
    approvals: {
      ...createApprovals(chat, guard),
      ...{ decide: nothing, decideEdits: nothing, answerQuestion: nothing, answerShown: nothing },
    },
    budget: createBudgetModel(chat, guard),
    gauge: createGauge(chat),
    isTimeline: signal(false),
    timeline,
    version: computed(() => player.count.value * 1e8 + player.position.value),
    enlarged,
    receive({ entries, isWhole }) {
      for (const entry of entries) timeline.add(entry);
      player.add(entries);
      if (!isWhole || isPlaced || position === undefined) return;
      isPlaced = true;
      player.seek(position);
    },
    goTo(agentId, moment) {
      const at = moment === undefined ? -1 : player.log.entries.findIndex((entry) => beginsAt(entry, moment));
      if (at >= 0) player.seek(at + 1);
      chat.select(agentId);
    },
  };
}

function beginsAt(entry: TimedEntry["entry"], moment: string): boolean {
  if (!("agent" in entry)) return false;
  const { agent: event } = entry;
  if (event.type === "tool_execution_start") return event.callId === moment;
  return (event.type === "message_start" || event.type === "message_end") && event.message.id === moment;
}

/** There is nothing to wait for: each moment is whole. */
const atOnce: PanelTiming = {
  now: () => 0,
  frame: (run) => run(),
  later(run) {
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) run();
    });
    return () => {
      isCancelled = true;
    };
  },
};

/** The theme around the page, for a page without an editor around it. */
export function themeOf({ body, documentElement }: Document): Extract<ReplayRequest, { type: "export" }>["theme"] {
  const kinds = ["vscode-dark", "vscode-light", "vscode-high-contrast-light", "vscode-high-contrast"] as const;
  const variables: Record<string, string> = {};
  for (const name of documentElement.style) {
    const value = documentElement.style.getPropertyValue(name).trim();
    if (/^--vscode-[\w-]+$/.test(name) && /^[^<>{};\\]{0,1000}$/.test(value)) variables[name] = value;
  }
  return { kind: kinds.find((kind) => body.classList.contains(kind)) ?? "vscode-dark", variables };
}
