import { askersOf, type HostEvent } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import type { BudgetDecision, BudgetQuestion } from "../../../protocol/runs.ts";
import { LeftDecisions } from "../../approvals/leftDecisions.ts";
import { leftApproval, type PermissionDecision } from "../../approvals/permissionQueue.ts";
import { budgetQuestionKey } from "../budget/budgets.ts";
import { questionKey } from "../notices.ts";

/** What waits for the user in a run that the editor cut off, and can go on waiting: its calls have done nothing yet. */
export type WaitingCards = Pick<HostState, "approvals" | "questions"> & { budgets: readonly BudgetQuestion[] };

export const noCards: WaitingCards = { approvals: [], questions: [], budgets: [] };

export function waitingCardsIn({ approvals, questions, runs }: HostState): WaitingCards {
  return {
    approvals: approvals.filter((approval) => leftApproval(approval) !== undefined),
    // What a server asks in the midst of its call is not asked again.
    questions: questions.filter(({ mayAskAgain }) => mayAskAgain === true),
    budgets: runs.questions,
  };
}

/**
 * The cards of a run that was cut off. They stay as they are until the run goes on: then the same calls run again, and
 * get the answers that were given since.
 */
export class LeftCards {
  readonly approvals: LeftDecisions<PermissionDecision>;
  readonly questions: LeftDecisions<string>;
  readonly budgets: LeftDecisions<BudgetDecision>;
  /** What was used when the user was asked. */
  readonly budgetQuestions: readonly BudgetQuestion[];
  readonly #calls: Set<string>;
  readonly #emit: (event: HostEvent) => void;

  constructor({ approvals, questions, budgets }: WaitingCards, emit: (event: HostEvent) => void) {
    this.approvals = new LeftDecisions(approvals.flatMap((approval) => leftApproval(approval) ?? []));
    this.questions = new LeftDecisions(questions.map((each) => ({ id: each.id, keys: [questionKey(each)] })));
    this.budgets = new LeftDecisions(
      budgets.map(({ id, agentId, figure }) => ({ id, keys: [budgetQuestionKey({ ownerId: agentId, figure })] })),
    );
    this.budgetQuestions = budgets;
    this.#calls = new Set([...approvals.flatMap(askersOf), ...questions].map(callKey));
    this.#emit = emit;
  }

  /** Whether a call waits for an answer, or has one that it has not been given yet: it did nothing else. */
  isWaiting(agentId: string, callId: string): boolean {
    return this.#calls.has(callKey({ agentId, callId }));
  }

  /** The answer to an approval; false where it is none of these. */
  answerApproval(approvalId: string, answer: PermissionDecision): boolean {
    if (!this.approvals.answer(approvalId, answer)) return false;
    this.#emit({ type: "approval_closed", approvalId, outcome: answer.decision });
    return true;
  }

  answerQuestion(questionId: string, answer: string): boolean {
    if (!this.questions.answer(questionId, answer)) return false;
    this.#emit({ type: "question_answered", questionId, answer });
    return true;
  }

  answerBudget(questionId: string, decision: BudgetDecision): boolean {
    if (!this.budgets.answer(questionId, decision)) return false;
    this.#emit({ type: "budget_answered", questionId, decision });
    return true;
  }

  /** The run does not go on with them. */
  withdraw(): void {
    this.#calls.clear();
    for (const approvalId of this.approvals.withdraw()) {
      this.#emit({ type: "approval_closed", approvalId, outcome: "canceled" });
    }
    for (const questionId of this.questions.withdraw()) this.#emit({ type: "question_answered", questionId });
    for (const questionId of this.budgets.withdraw()) this.#emit({ type: "budget_answered", questionId });
  }
}

function callKey({ agentId, callId }: { agentId: string; callId: string }): string {
  return JSON.stringify([agentId, callId]);
}
