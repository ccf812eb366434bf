import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AgentTree, TreeNode, UserMessage } from "../../../agent/types.ts";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { CommandOutcome, Notice, QueuedMessage, SteeredAgent } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { ownValue } from "../../../protocol/records.ts";
import { agentStatus, type ShownStatus } from "../../model/agents.ts";
import type { EnlargedPicture } from "../../model/attachments.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { failureText } from "../../model/messages.ts";
import type { TextFeed } from "../../model/publisher.ts";
import type { EarlierRun, Run, RunStop } from "../../model/runs.ts";
import type { PanelTiming } from "../../timing.ts";
import { emptyTranscript, type TranscriptView, viewTranscript } from "./transcript.ts";

/** A command that its call has left in the background: it runs, or how it ended. */
export type BackgroundState = "running" | CommandOutcome;

/** What is done with a message of the user's beyond the conversation. */
interface SentMessageActions {
  /** Puts it back into the composer, and removes it and what followed from the conversation. */
  editAndResend(message: UserMessage): void;
  /** Removes it and what followed, and sends it again. */
  resend(message: UserMessage): void;
  /** Files and conversation back to before it. */
  rewindTo(message: UserMessage): void;
  /** A new chat with what precedes it. */
  forkAt(messageId: string): void;
  enlarge(picture: EnlargedPicture): void;
  /** Shows what agents changed in place of the conversation. */
  showChanges(): void;
}

interface EndNotice {
  notice: Notice;
  /** The message that says the same; undefined where the run says it. */
  messageId: string | undefined;
}

interface RunsShown {
  tree: AgentTree;
  host: HostState;
  root: TreeNode | undefined;
  latest: Run | undefined;
  /** Something of the latest run is in the conversation: a rewind may have removed all of it. */
  hasLatest: boolean;
  /** By the id of the last message of each. */
  ended: ReadonlyMap<string, EarlierRun>;
}

/** The selected agent's transcript. */
export interface ConversationModel extends SentMessageActions {
  /** With every frame. */
  readonly node: ReadonlySignal<TreeNode | undefined>;
  readonly transcript: ReadonlySignal<TranscriptView>;
  /** The id of the root agent's last answer, and what it answers, while it can be asked for again. */
  readonly lastAnswer: ReadonlySignal<{ id: string; message: UserMessage } | undefined>;
  readonly hasEarlier: ReadonlySignal<boolean>;
  readonly isRunning: ReadonlySignal<boolean>;
  /** Find is open: all messages have to be there. */
  readonly isSearched: ReadonlySignal<boolean>;
  /** Messages of the user's own that no agent has yet. */
  readonly held: ReadonlySignal<readonly QueuedMessage[]>;
  /** Rises with each message of the user's own. */
  readonly sentCount: Signal<number>;
  readonly textFeed: TextFeed;
  readonly timing: PanelTiming;
  readonly post: (intent: Intent) => void;
  readonly notices: ReadonlySignal<readonly Notice[]>;
  /** The notice that says why the shown run has ended: it is shown in the conversation, in place of the same words there. */
  readonly endNotice: ReadonlySignal<EndNotice | undefined>;
  /** By call id: what is known of background commands beyond their call. */
  readonly backgroundCalls: ReadonlySignal<ReadonlyMap<string, BackgroundState>>;
  /** The runs of the root agent, and those of them that have ended by the id of their last message. */
  readonly runs: ReadonlySignal<RunsShown>;
  readonly endedRuns: ReadonlySignal<ReadonlyMap<string, EarlierRun>>;
  /** Runs of the root agent that ended before they were done, by the id of their last message. */
  readonly stops: ReadonlySignal<ReadonlyMap<string, RunStop>>;
  select(agentId: string): void;
  showEarlier(): void;
  agent(agentId: string): { node: TreeNode; status: ShownStatus } | undefined;
  /** What the user wrote to the agents that a call started, and they have read. */
  steered(callId: string): readonly SteeredAgent[];
  /** What allowed a call without asking. */
  grantFor(callId: string): ShownGrant | undefined;
  isInterrupted(agentId: string): boolean;
  isCompacting(agentId: string): boolean;
  /** It, or one that it works for. */
  isPaused(agentId: string): boolean;
  compaction(messageId: string): HostState["runs"]["compactions"][string] | undefined;
}

export interface ConversationOptions extends SentMessageActions {
  chat: ChatModel;
  isSearched: ReadonlySignal<boolean>;
}

export function createConversation({ chat, isSearched, ...actions }: ConversationOptions): ConversationModel {
  const { host } = chat;
  const notices = computed(() => host.value.notices);
  const commands = computed(() => host.value.commands);
  const commandOutcomes = computed(() => host.value.commandOutcomes);
  const allowedCalls = computed(() => host.value.allowedCalls);
  const endedRuns = computed(() => new Map(chat.runs.value.ended.map((run) => [run.last, run])));
  const runs = computed(() => {
    const { starts, before, after } = chat.runs.value;
    const [tree, root] = [chat.tree.value, chat.root.value];
    const startedAt = starts.at(-1) ?? root?.startedAt;
    const latest = startedAt === undefined ? undefined : { startedAt, before, after };
    return {
      tree,
      root,
      host: host.value,
      ended: endedRuns.value,
      latest,
      hasLatest: latest !== undefined && root !== undefined && hasMessages(root, latest),
    };
  });
  let previous = emptyTranscript;
  return {
    ...actions,
    node: chat.liveSelected,
    transcript: computed(() => {
      const node = chat.liveSelected.value;
      previous = node === undefined ? emptyTranscript : viewTranscript(chat.liveTree.value, node, previous);
      return previous;
    }),
    lastAnswer: computed(() => lastAnswerOf(chat.selected.value)),
    hasEarlier: chat.hasEarlier,
    isRunning: chat.isRunning,
    isSearched,
    held: chat.held,
    sentCount: signal(0),
    textFeed: chat.textFeed,
    timing: chat.timing,
    post: chat.post,
    notices,
    endNotice: computed(() => (runs.value.hasLatest ? endNoticeOf(chat.selected.value, notices.value) : undefined)),
    backgroundCalls: computed(() => {
      const states = new Map<string, BackgroundState>(Object.entries(commandOutcomes.value));
      for (const { callId, chatTitle } of commands.value) if (chatTitle === undefined) states.set(callId, "running");
      return states;
    }),
    runs,
    endedRuns,
    stops: computed(() => new Map(chat.runs.value.stops.map((stop) => [stop.last, stop]))),
    select: chat.select,
    showEarlier: () => chat.post({ type: "showEarlier" }),
    agent(agentId) {
      const node = chat.agent(agentId);
      return node === undefined ? undefined : { node, status: agentStatus(node, chat.waiting.value) };
    },
    steered: (callId) => host.value.steered.filter((each) => each.callId === callId),
    grantFor: (callId) => ownValue(allowedCalls.value, callId),
    isInterrupted: (agentId) => host.value.interrupted.includes(agentId),
    isCompacting: (agentId) => host.value.runs.compacting.includes(agentId),
    isPaused(agentId) {
      const { pausedBranches } = host.value;
      const seen = new Set<string>();
      // A damaged log may say that an agent works for itself.
      for (
        let id: string | undefined = agentId;
        id !== undefined && !seen.has(id);
        id = chat.agent(id)?.meta.parentId
      ) {
        if (pausedBranches.includes(id)) return true;
        seen.add(id);
      }
      return false;
    },
    compaction: (messageId) => ownValue(host.value.runs.compactions, messageId),
  };
}

function hasMessages({ messages }: TreeNode, { after, startedAt }: Run): boolean {
  const before = messages.findIndex(({ id }) => id === after);
  if (before >= 0 || after === undefined) return before + 1 < messages.length;
  // A summary may take the place of the message before it.
  return messages.some(({ timestamp }) => timestamp >= startedAt);
}

function endNoticeOf(node: TreeNode | undefined, notices: readonly Notice[]): EndNotice | undefined {
  if (node === undefined || node.meta.depth > 0 || (node.status !== "error" && node.status !== "limit"))
    return undefined;
  const last = node.messages.at(-1);
  const inMessage = last?.role === "assistant" ? failureText(last) : undefined;
  const said = inMessage ?? node.error?.message ?? "";
  const notice = said === "" ? undefined : notices.find(({ text }) => text.startsWith(said));
  return notice && { notice, messageId: inMessage === undefined ? undefined : last?.id };
}

/** Where a run has failed, its end has a button of the same name. */
function lastAnswerOf(node: TreeNode | undefined): { id: string; message: UserMessage } | undefined {
  if (node === undefined || node.meta.depth > 0 || node.status === "running" || node.status === "error")
    return undefined;
  const answer = node.messages.at(-1);
  const message = node.messages.findLast((each) => each.role === "user");
  return answer?.role === "assistant" && message?.role === "user" ? { id: answer.id, message } : undefined;
}
