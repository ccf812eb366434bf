import type { HostEvents } from "./hostEventSchemas.ts";

/** What a run may use before the user is asked. */
/** Whether a command runs tests, by its words. */
export function isTestCommand(command: string): boolean {
  return /\b(tests?|specs?|jest|vitest|mocha|pytest|unittest|ctest|phpunit|rspec)\b/i.test(command);
}

export type BudgetLimits = HostEvents["budget_changed"]["limits"];

/** What a budget can limit. */
export const budgetFigures = ["cost", "tokens", "turns", "minutes"] as const;
export type BudgetFigure = (typeof budgetFigures)[number];

/** USD per run: many times what a usual one costs, and soon reached by one that goes round in circles. */
export const suggestedCostLimit = 5;

/** Whose budget: that of the whole tree, of each sub-agent with what it spawns, or of one agent, by its id. */
export type BudgetTarget = HostEvents["budget_changed"]["target"];

/** The key of a target's limits in `RunsState.budgets`. */
export function budgetKey(target: BudgetTarget): string {
  return target.scope === "agent" ? `agent:${target.agentId}` : target.scope;
}

/** How the user answers when a budget is used up. */
export const budgetDecisions = ["extend", "wrapUp", "stop"] as const;
export type BudgetDecision = (typeof budgetDecisions)[number];

/** A budget is used up and its agents wait. */
export type BudgetQuestion = HostEvents["budget_asked"]["question"];

/** How full a budget is. */
export type BudgetUse = Omit<HostEvents["budget_used"], "type">;

export type RunsEvent = HostEvents[
  | "budget_changed"
  | "budget_used"
  | "budget_asked"
  | "budget_answered"
  | "compaction_started"
  | "compaction_ended"];

type CompactionResult = NonNullable<HostEvents["compaction_ended"]["result"]>;

/** The fold of these events. */
export interface RunsState {
  /** By `budgetKey`; what the user set for this chat. */
  budgets: Readonly<Record<string, BudgetLimits>>;
  /** By agent id: budgets of the latest run. */
  uses: Readonly<Record<string, BudgetUse>>;
  /** Open ones only, oldest first. */
  questions: readonly BudgetQuestion[];
  /** Ids of the agents whose context is being summarized. */
  compacting: readonly string[];
  /** By the id of the message that holds the summary. */
  compactions: Readonly<Record<string, CompactionResult>>;
}

/** The state before any event. */
export const emptyRunsState: RunsState = { budgets: {}, uses: {}, questions: [], compacting: [], compactions: {} };

/** One that is open is replaced in place: it is asked again after a reload, or the user has edited the proposal. */
export function withQuestion<Question extends { id: string }>(open: readonly Question[], asked: Question): Question[] {
  if (!open.some(({ id }) => id === asked.id)) return [...open, asked];
  return open.map((question) => (question.id === asked.id ? asked : question));
}

/** Pure, like `reduceHost`, of which this is a part. */
export function reduceRuns(state: RunsState, event: RunsEvent): RunsState {
  switch (event.type) {
    case "budget_changed":
      return { ...state, budgets: { ...state.budgets, [budgetKey(event.target)]: event.limits } };
    case "budget_used": {
      const { type: _, ...use } = event;
      const ofRun = Object.entries(state.uses).filter(([, each]) => each.since === use.since);
      return { ...state, uses: { ...Object.fromEntries(ofRun), [use.agentId]: use } };
    }
    case "budget_asked":
      return { ...state, questions: withQuestion(state.questions, event.question) };
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
