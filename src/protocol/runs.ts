/** What a run may use before the user is asked. An absent figure has its default, 0 sets no limit. */
export interface BudgetLimits {
  /** USD */
  cost?: number;
  tokens?: number;
  /** Model requests. */
  turns?: number;
  minutes?: number;
}

/** What a budget can limit. */
export const budgetFigures = ["cost", "tokens", "turns", "minutes"] as const;
export type BudgetFigure = (typeof budgetFigures)[number];

/** Whose budget: that of the whole tree, of each sub-agent with what it spawns, or of one agent, by its id. */
export type BudgetTarget = { scope: "tree" | "eachSubAgent" } | { scope: "agent"; agentId: string };

/** Under which name a target's limits are kept. */
export function budgetKey(target: BudgetTarget): string {
  return target.scope === "agent" ? `agent:${target.agentId}` : target.scope;
}

/** How the user answers when a budget is used up. */
export const budgetDecisions = ["extend", "wrapUp", "stop"] as const;
export type BudgetDecision = (typeof budgetDecisions)[number];

/** A budget is used up and its agents wait: whose it is, and what of it. */
export interface BudgetQuestion {
  id: string;
  /** Whose budget it is. */
  agentId: string;
  /** Names from the root agent down. */
  agentPath: string[];
  /** Who waits to go on; perhaps an agent below. */
  waitingId: string;
  figure: BudgetFigure;
  used: number;
  /** With all extensions so far. */
  allowed: number;
  /** By how much Extend raises it. */
  step: number;
}

export type RunsEvent =
  | { type: "budget_changed"; target: BudgetTarget; limits: BudgetLimits }
  | { type: "budget_asked"; question: BudgetQuestion }
  /** Without a decision: nobody waits for one any more. */
  | { type: "budget_answered"; questionId: string; decision?: BudgetDecision }
  | { type: "compaction_started"; agentId: string }
  /** Without a result: nothing came of it. */
  | { type: "compaction_ended"; agentId: string; result?: CompactionResult };

interface CompactionResult {
  /** The message that holds the summary. */
  messageId: string;
  /** Tokens of the context; estimated. */
  before: number;
  after: number;
}

/** The fold of these events. */
export interface RunsState {
  /** By `budgetKey`; what the user set for this chat. */
  budgets: Readonly<Record<string, BudgetLimits>>;
  /** Open ones only, oldest first. */
  questions: readonly BudgetQuestion[];
  /** Ids of the agents whose context is being summarized. */
  compacting: readonly string[];
  /** By the id of the message that holds the summary. */
  compactions: Readonly<Record<string, CompactionResult>>;
}

/** The state before any event. */
export const emptyRunsState: RunsState = { budgets: {}, questions: [], compacting: [], compactions: {} };

/** Pure, like `reduceHost`, of which this is a part. */
export function reduceRuns(state: RunsState, event: RunsEvent): RunsState {
  switch (event.type) {
    case "budget_changed":
      return { ...state, budgets: { ...state.budgets, [budgetKey(event.target)]: event.limits } };
    case "budget_asked":
      return { ...state, questions: [...state.questions, event.question] };
    case "budget_answered":
      return { ...state, questions: state.questions.filter(({ id }) => id !== event.questionId) };
    case "compaction_started":
      return { ...state, compacting: [...state.compacting.filter((id) => id !== event.agentId), event.agentId] };
    case "compaction_ended": {
      const compacting = state.compacting.filter((id) => id !== event.agentId);
      const { result } = event;
      if (result === undefined) return { ...state, compacting };
      return { ...state, compacting, compactions: { ...state.compactions, [result.messageId]: result } };
    }
    default:
      event satisfies never;
      return state;
  }
}
