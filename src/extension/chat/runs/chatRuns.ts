import { t } from "@vscode/l10n";
import type { Agent, AgentEvent, AgentMeta, AgentOptions, LimitName, Model } from "../../../agent/index.ts";
import type { DelegationWatch } from "../../../agent/toolkits/delegation.ts";
import { startTimer } from "../../../agent/vocabulary/abort.ts";
import type { Effect } from "../../../agent/vocabulary/hooks.ts";
import { askersOf, type HostEvent, type Notice } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import {
  type BudgetDecision,
  type BudgetFigure,
  type BudgetLimits,
  type BudgetTarget,
  budgetKey,
} from "../../../protocol/runs.ts";
import { breakDownContext, CompactionWatch } from "../../context/contextBreakdown.ts";
import { type ContextCompaction, contextCompaction } from "../../context/contextCompaction.ts";
import type { KnownFacts } from "../../context/workState.ts";
import { foreignProviderId } from "../../models/providers.ts";
import { budgetEffect, nearingWords, uncountedWords, usedUpText } from "../budget/budgetEffect.ts";
import { Budgets } from "../budget/budgets.ts";
import { type FigureUse, limitNames } from "../budget/ledger.ts";
import type { LeftCards } from "../restore/leftCards.ts";
import { PausedBranches } from "./pausedBranches.ts";
import { Reports } from "./reports.ts";

/** What of a chat its runs are kept in order with. */
export interface RunsChat {
  readonly log: {
    readonly host: HostState;
  };
  readonly notices: { show(notice: Notice): void; close(noticeId: string): void };
  /** What waited for the user when the editor ended. */
  readonly left?: LeftCards | undefined;
  emit(event: HostEvent): void;
  /** Makes the root agent if there is none yet, and brings it up to date with the settings. */
  wake(): void;
  /** Aborted by the next stop of the whole run. Default: never. */
  readonly nextStop?: AbortSignal;
  /** Disposed with the chat. */
  own(part: { dispose(): void }): void;
}

export interface ChatRunsDependencies {
  /** Share of the window; 0 leaves compaction to the user. */
  compactionThreshold(model: Model): number;
  /** Limits of a run where the user has set none for the chat. */
  defaultBudget(): BudgetLimits;
  agentPath(agentId: string): string[];
  filesSeenBy(agentId: string): KnownFacts["files"];
  /** Called with every event of every agent. */
  observe(event: AgentEvent): void;
  /** Whether the user looks at the editor: a report with a flag then waits a moment for them. Default: no. */
  isWatched?(): boolean;
  now(): number;
  newId(): string;
}

type AgentParts = Required<Pick<AgentOptions, "effects" | "middleware">>;

/** Keeps the runs of one chat within their contexts and budgets. */
export class ChatRuns {
  readonly #chat: RunsChat;
  readonly #dependencies: ChatRunsDependencies;
  readonly #budgets: Budgets;
  readonly #watch: CompactionWatch;
  readonly #pauses: PausedBranches;
  readonly reports: Reports;
  readonly #requested = new Set<string>();
  readonly #uncounted = new Set<string>();
  /** Ids of the open notices that a budget is nearly used up. */
  readonly #nearing = new Set<string>();
  #root: { agent: Agent; compaction: ContextCompaction } | undefined;

  constructor(chat: RunsChat, dependencies: ChatRunsDependencies) {
    this.#chat = chat;
    this.#dependencies = dependencies;
    this.#budgets = new Budgets({
      defaults: dependencies.defaultBudget,
      chosen: () => chat.log.host.runs.budgets,
      agentPath: dependencies.agentPath,
      now: dependencies.now,
      newId: dependencies.newId,
      left: chat.left,
      asked: (question) => chat.emit({ type: "budget_asked", question }),
      answered: (questionId, decision) => {
        chat.emit({ type: "budget_answered", questionId, ...(decision !== undefined && { decision }) });
        // What was used of the old amount is no news any more.
        this.#closeNearing();
      },
      nearing: (agentId, figure, use) => this.#notifyNearing(agentId, figure, use),
      used: (use) => chat.emit({ type: "budget_used", ...use }),
      uses: () => chat.log.host.runs.uses,
    });
    this.#pauses = new PausedBranches({
      chat,
      ancestry: (agentId) => this.#budgets.ledger.ancestry(agentId),
      stopClock: () => this.#budgets.ledger.pause(),
    });
    this.reports = new Reports({
      root: () => this.#root?.agent,
      emit: (event) => chat.emit(event),
      nextStop: () => chat.nextStop,
      isWatched: () => dependencies.isWatched?.() ?? false,
      later: (run, delayMs) => startTimer(delayMs, run),
    });
    chat.own(this.reports);
    this.#watch = new CompactionWatch({
      emit: (event) => chat.emit(event),
      stateOf: (agentId) => this.#root?.agent.find(agentId)?.state,
      breakDown: breakDownContext,
    });
  }

  /** Makes the root agent of what its runs need. */
  withRoot(create: (parts: AgentParts) => Agent): Agent {
    const { compaction, ...parts } = this.#newParts();
    const agent = create(parts);
    this.#root = { agent, compaction };
    agent.subscribe((event) => this.#observe(event));
    return agent;
  }

  /** What each new sub-agent needs. */
  subAgentParts(): AgentParts {
    const { effects, middleware } = this.#newParts();
    return { effects, middleware };
  }

  /** What is done about the agents that are delegated to. */
  readonly delegationWatch: DelegationWatch = {
    onReport: (report) => this.reports.onReport(report),
    onBudget: (child, { requests: turns, ...given }, { agent }) => {
      const target: BudgetTarget = { scope: "agent", agentId: child.id };
      // One that goes on after a reload has what it was given, or what the user has made of it.
      if (Object.hasOwn(this.#chat.log.host.runs.budgets, budgetKey(target))) return;
      const amounts = Object.entries({ ...given, turns }).filter(([, amount]) => amount !== undefined);
      const limits = this.#budgets.grantOf(agent.id, Object.fromEntries(amounts));
      this.setBudget(target, limits);
    },
  };

  /** What keeps an agent of another program within its budgets; its context is its own. */
  foreignParts(): { effects: Effect[]; usedUp(agentId: string): { limit: LimitName; text: string } | undefined } {
    return {
      effects: [this.#pauses.effect, budgetEffect(this.#budgets, () => {})],
      usedUp: (agentId) => {
        const spent = this.#budgets.usedUp(agentId);
        return spent && { limit: limitNames[spent.figure], text: usedUpText(spent) };
      },
    };
  }

  /** Summarizes an agent's context: now if it is idle, else before its next request. Without an agent: of the root. */
  async compact(agentId?: string): Promise<void> {
    this.#chat.wake();
    const root = this.#root;
    const agent = agentId === undefined ? root?.agent : root?.agent.find(agentId);
    if (root === undefined || agent === undefined || agent.messages.length === 0) return this.#notifyNothingToCompact();
    if (agent.state.model.provider === foreignProviderId) {
      const text = t("{0} manages its own context.", agent.state.model.id);
      return this.#notify("nothing to compact", "info", text);
    }
    this.#requested.add(agent.id);
    if (agent.status !== "idle" || agent !== root.agent) return;
    const before = agent.messages.length;
    const { error } = await agent.maintain([root.compaction.effect]);
    this.#requested.delete(agent.id);
    if (error === undefined && agent.messages.length === before) this.#notifyNothingToCompact();
  }

  /** The agent and all below it make no further request until they are resumed; their tools finish. */
  pause(agentId: string): void {
    this.#pauses.pause(agentId);
  }

  resumePaused(agentId: string): void {
    this.#pauses.resume(agentId);
  }

  setBudget(target: BudgetTarget, limits: BudgetLimits): void {
    this.#chat.emit({ type: "budget_changed", target, limits });
    this.#budgets.changed(target);
  }

  answerBudget(questionId: string, decision: BudgetDecision): void {
    if (this.#budgets.answer(questionId, decision)) return;
    // Nothing waits for it any more: it is left from a run that was cut off.
    this.#chat.emit({ type: "budget_answered", questionId });
  }

  #newParts(): AgentParts & { compaction: ContextCompaction } {
    const compaction = contextCompaction({
      threshold: this.#dependencies.compactionThreshold,
      takeRequest: (agentId) => this.#requested.delete(agentId),
      facts: (agentId) => this.#factsOf(agentId),
      onFailure: (agentId, error) => this.#notifyFailure(agentId, error),
    });
    const budget = budgetEffect(this.#budgets, (agent, model) => this.#notifyUncounted(agent, model));
    return {
      compaction,
      effects: [this.#pauses.effect, budget, compaction.effect],
      middleware: [compaction.middleware],
    };
  }

  #observe(event: AgentEvent): void {
    if (event.type === "agent_start" && event.agent.depth === 0) this.#uncounted.clear();
    this.#budgets.observe(event);
    this.#pauses.observe(event);
    this.reports.observe(event);
    this.#watch.observe(event);
    this.#dependencies.observe(event);
    if (event.type === "agent_end" && event.agent.depth === 0) this.#closeNearing();
  }

  #factsOf(agentId: string): KnownFacts {
    const { plans, pendingEdits, approvals } = this.#chat.log.host;
    return {
      plan: plans[agentId] ?? [],
      written: pendingEdits.filter((edits) => edits.agentId === agentId),
      proposed: approvals
        .filter((approval) => askersOf(approval).some((asker) => asker.agentId === agentId))
        .flatMap(({ files }) => files.map(({ path, hunks }) => ({ path, hunks: hunks.length }))),
      files: this.#dependencies.filesSeenBy(agentId),
    };
  }

  #notifyUncounted(agent: AgentMeta, model: Model): void {
    // What it reports to have spent is counted.
    if (model.provider === foreignProviderId) return;
    if (model.price !== undefined) return;
    this.#budgets.leaveUncounted(agent.id);
    if (this.#uncounted.has(model.id)) return;
    const isLimited = this.#budgets.ledger
      .ancestry(agent.id)
      .some((ownerId) => (this.#budgets.limitsOf(ownerId).cost ?? 0) > 0);
    if (!isLimited) return;
    this.#uncounted.add(model.id);
    this.#notify(`uncounted ${model.id}`, "warning", uncountedWords(model), ["openSettings"]);
  }

  #notifyNearing(agentId: string, figure: BudgetFigure, use: FigureUse): void {
    const id = `budget ${agentId} ${figure}`;
    this.#nearing.add(id);
    this.#notify(id, "info", nearingWords(this.#nameOf(agentId), figure, use));
  }

  /** A budget is one of a run: after it, and with another amount, the notice would be wrong. */
  #closeNearing(): void {
    for (const id of this.#nearing) this.#chat.notices.close(id);
    this.#nearing.clear();
  }

  #notifyFailure(agentId: string, error: Error): void {
    const words = t("The context of {0} could not be summarized: {1}", this.#nameOf(agentId), error.message);
    this.#notify(`compaction ${agentId}`, "warning", words);
  }

  #notifyNothingToCompact(): void {
    this.#notify("nothing to compact", "info", t("There is nothing new to summarize yet."));
  }

  #nameOf(agentId: string): string {
    return this.#dependencies.agentPath(agentId).join(" › ") || t("The agent");
  }

  /** A notice with a name of its own replaces the one before it. */
  #notify(id: string, level: Notice["level"], text: string, actions: Notice["actions"] = []): void {
    this.#chat.notices.show({ id, level, text, actions });
  }
}

export interface RunsDependencies extends ChatRunsDependencies {
  showTrace(): Promise<void>;
}

/** The runs of all chats. */
export class Runs<Chat extends RunsChat> {
  readonly #dependencies: RunsDependencies;
  readonly #chats = new WeakMap<Chat, ChatRuns>();

  constructor(dependencies: RunsDependencies) {
    this.#dependencies = dependencies;
  }

  of(chat: Chat): ChatRuns {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    const runs = new ChatRuns(chat, this.#dependencies);
    this.#chats.set(chat, runs);
    return runs;
  }

  showTrace(): Promise<void> {
    return this.#dependencies.showTrace();
  }
}
