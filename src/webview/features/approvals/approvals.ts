import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GrantScope } from "../../../protocol/grants.ts";
import { type Approval, askersOf, type Question } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { type AnswerGuard, createShownItem } from "../../model/answers.ts";
import type { ChatModel } from "../../model/chatModel.ts";

export type Decision = "accepted" | "rejected";

/** What is answered beyond yes or no. */
interface DecisionDetails {
  /** One hunk alone. */
  hunkId?: string;
  /** One file alone. */
  path?: string;
  /** Why it is rejected. */
  reason?: string;
  /** How far an acceptance reaches. */
  scope?: GrantScope;
  /** It is accepted over lines that have changed. */
  isOver?: true;
}

/** The approvals and questions that are pending, one of each is shown. Answers go to what is shown, by its id. */
export interface ApprovalsModel {
  readonly pending: ReadonlySignal<readonly Approval[]>;
  readonly shown: ReadonlySignal<Approval | undefined>;
  /** Of the shown one, from 0; -1 without any. */
  readonly index: ReadonlySignal<number>;
  readonly question: ReadonlySignal<Question | undefined>;
  readonly guard: AnswerGuard;
  /** By approval: what is to run in place of its command, as it is written now. */
  readonly editedCommands: Signal<ReadonlyMap<string, string>>;
  readonly post: (intent: Intent) => void;
  readonly pathOf: ChatModel["pathOf"];
  /** To the next one (1) or the one before (-1), round the end. */
  turn(step: 1 | -1): void;
  show(approvalId: string): void;
  showOldest(): void;
  decide(approvalId: string, decision: Decision, details?: DecisionDetails): void;
  /** Answers several edits at once, from what has been in view under this id. */
  decideEdits(seenId: string, approvalIds: readonly string[], answer: { decision: Decision; reason?: string }): void;
  answerQuestion(questionId: string, text: string): void;
  /** Answers the approval that is shown, if any. */
  answerShown(decision: Decision): void;
}

export function createApprovals(chat: ChatModel, guard: AnswerGuard): ApprovalsModel {
  const { host, latest, post } = chat;
  const pending = computed(() => host.value.approvals);
  const questions = computed(() => host.value.questions);
  const selectedId = () => chat.selected.peek()?.meta.id;
  const isAskedBy = (approval: Approval, agentId: string | undefined) =>
    askersOf(approval).some((asker) => asker.agentId === agentId);
  const approvals = createShownItem(pending, (approval) => isAskedBy(approval, selectedId()));
  const question = createShownItem(questions, ({ agentId }) => agentId === selectedId());

  // A row that is selected brings what its agent waits for.
  effect(() => {
    const agentId = chat.selection.value?.agentId;
    if (agentId === undefined) return;
    const { approvals: open, questions: asked } = latest().host;
    const isShownAlready = approvals.item.peek() !== undefined && isAskedBy(approvals.item.peek() as Approval, agentId);
    if (!isShownAlready) approvals.show(open.find((approval) => isAskedBy(approval, agentId))?.id);
    question.show(asked.find((each) => each.agentId === agentId)?.id);
  });

  const editedCommands = signal<ReadonlyMap<string, string>>(new Map());

  /** By a button, a key or a command of the editor: the answer is to the command as it is seen, with the user's changes. */
  function editedCommand(approvalId: string): { command: string } | undefined {
    const command = editedCommands.peek().get(approvalId);
    const asked = latest().host.approvals.find(({ id }) => id === approvalId)?.request?.text;
    return command === undefined || command === asked ? undefined : { command };
  }

  /** By the latest state: what was answered or withdrawn since is not answered. */
  const isOpen = (approvalId: string) => latest().host.approvals.some(({ id }) => id === approvalId);

  function decide(
    approvalId: string,
    decision: Decision,
    { hunkId, path, reason, scope, isOver }: DecisionDetails = {},
  ): void {
    const edited = decision === "accepted" ? editedCommand(approvalId) : undefined;
    if (edited?.command.trim() === "") return;
    if (!isOpen(approvalId) || !guard.take(approvalId, hunkId ?? path)) return;
    const details = {
      ...edited,
      ...(hunkId !== undefined && { hunkId }),
      ...(path !== undefined && { path }),
      ...(reason !== undefined && { reason }),
      ...(scope !== undefined && { scope }),
      ...(isOver === true && { isOver }),
    };
    post({ type: "decide", approvalId, decision, ...details });
  }

  return {
    pending,
    shown: approvals.item,
    index: approvals.index,
    question: question.item,
    guard,
    editedCommands,
    post,
    pathOf: chat.pathOf,
    turn(step) {
      const open = pending.peek();
      approvals.show(open[(approvals.index.peek() + step + open.length) % open.length]?.id);
    },
    show: approvals.show,
    showOldest: () => approvals.show(latest().host.approvals[0]?.id),
    decide,
    decideEdits(seenId, approvalIds, { decision, reason }) {
      const open = approvalIds.filter(isOpen);
      if (open.length === 0 || !guard.take(seenId)) return;
      post({ type: "decideEdits", approvalIds: open, decision, ...(reason !== undefined && { reason }) });
    },
    answerQuestion(questionId, text) {
      const isAsked = latest().host.questions.some(({ id }) => id === questionId);
      if (isAsked && guard.take(questionId)) post({ type: "answerQuestion", questionId, text });
    },
    answerShown(decision) {
      const shown = approvals.item.peek();
      if (shown !== undefined) decide(shown.id, decision);
    },
  };
}

/** The answer that a key gives to an approval. A key that is held down answers once. */
export function approvalKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "isComposing">,
): Decision | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.repeat || event.isComposing) return undefined;
  if (event.key === "Enter") return "accepted";
  return event.key === "Backspace" ? "rejected" : undefined;
}

/** What a key does in an open menu: the index of the item that gets the focus, or that the menu closes. */
export function menuStep(key: string, focused: number, count: number): number | "close" | undefined {
  switch (key) {
    case "ArrowDown":
      return (focused + 1) % count;
    case "ArrowUp":
      return (Math.max(focused, 0) - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
    case "Tab":
      return "close";
    default:
      return undefined;
  }
}
