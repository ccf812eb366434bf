import type { FinishedRun, RunState } from "../loop/runState.ts";
import type { RunResult } from "../loop/runTypes.ts";
import type { EventBody } from "../vocabulary/events.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { type AgentSnapshot, type ApprovalAnswers, openCallsOf } from "../vocabulary/pause.ts";
import { copyPlain } from "../vocabulary/plainJson.ts";
import type { AgentInternals } from "./agentParts.ts";
import type { Lineage } from "./subAgents.ts";

/** What a run begins with, where it goes on with earlier work. */
interface Resumption {
  prompts(): AgentMessage[];
  answers?: ApprovalAnswers;
  /** How it had ended when its parent was cut off. */
  finished?: FinishedRun;
  /** It goes on with what it did before. */
  resumes?: true;
}

/** What an agent that paused or was restored still has to do: calls without a result, and their sub-agents. */
export class OpenWork {
  readonly #parts: AgentInternals;
  /** The sub-agents of the calls; undefined where no run is to go on with these. */
  #children: AgentSnapshot["children"] | undefined;
  /** Of a sub-agent that was restored and not sent anything yet. */
  #restored: Lineage["restored"];

  constructor(parts: AgentInternals) {
    this.#parts = parts;
    this.#children = parts.restored?.children;
    this.#restored = parts.lineage?.restored;
  }

  get children(): AgentSnapshot["children"] {
    return this.#children ?? {};
  }

  get hasCalls(): boolean {
    return this.#children !== undefined && openCallsOf(this.#parts.history.messages) !== undefined;
  }

  /** Calls that were cut off run again, with these sub-agents. */
  reopen(children: AgentSnapshot["children"]): void {
    this.#children = children;
  }

  /** A run has taken them over, or left them behind. */
  forget(): void {
    this.#children = undefined;
  }

  /** What a restored sub-agent is sent first, it had been sent before: it goes on from there. */
  startWith(messages: AgentMessage[]): Resumption {
    const restored = this.#restored;
    this.#restored = undefined;
    if (restored === undefined) return { prompts: () => messages };
    const { history } = this.#parts;
    const stored = history.messages;
    const { ended } = restored.snapshot;
    if (ended !== undefined) return { prompts: () => [], finished: { ...ended, ...lastGood(stored) }, resumes: true };
    if (!stored.some(({ role }) => role === "assistant")) {
      return { prompts: () => messages.slice(stored.length), resumes: true };
    }
    const last = history.lastShown;
    const isFinished = last?.role === "assistant" && openCallsOf(stored) === undefined;
    const goOn = isFinished ? { finished: { reason: "done", message: last } as const } : { answers: restored.answers };
    return { prompts: () => [], ...goOn, resumes: true };
  }

  /** The result of a run that paused: what it can go on from is in it. */
  pause(ended: RunResult, { ending, open }: RunState): RunResult {
    const waiting = (ending?.pending ?? []).map(({ call, children }) => [call.id, children] as const);
    this.#children = { ...open?.children, ...Object.fromEntries(waiting) };
    return { ...ended, state: { version: 1, ...this.snapshot() } };
  }

  /** The agent as it could be restored. */
  snapshot(): AgentSnapshot {
    const { id, node, history } = this.#parts;
    const { own: usage, total, turnIndex } = node;
    const messages = [...history.messages];
    return copyPlain({ agentId: id, messages, usage, total, turnIndex, children: this.children });
  }
}

function lastGood(messages: readonly AgentMessage[]): Pick<FinishedRun, "message"> {
  const message = messages.findLast(
    (each) => each.role === "assistant" && each.stopReason !== "error" && each.stopReason !== "aborted",
  );
  return message?.role === "assistant" ? { message } : {};
}

type TranscriptReason = Extract<EventBody, { type: "transcript" }>["reason"];

/** Emits the transcript as a whole where it changed outside a run, and first of all. */
export class TranscriptEvents {
  readonly #parts: AgentInternals;
  /** Whether this agent has emitted anything: the whole transcript comes first, for listeners that do not know it. */
  #hasEmitted = false;

  constructor(parts: AgentInternals) {
    this.#parts = parts;
  }

  /** Nothing is emitted for a sub-agent that never ran. */
  emit(reason: TranscriptReason): void {
    const { node, history, lineage } = this.#parts;
    if (lineage !== undefined && !this.#hasEmitted) return;
    this.#hasEmitted = true;
    node.emit({ type: "transcript", messages: [...history.messages], own: node.own, total: node.total, reason });
  }

  /** What the agent was given, at its first run. */
  emitInitial(): void {
    const { node, history } = this.#parts;
    const isKnown = this.#hasEmitted;
    this.#hasEmitted = true;
    const wasGiven = history.messages.length > 0 || Object.values(node.own).some((figure) => Number(figure) > 0);
    if (!isKnown && wasGiven) this.emit("initial");
  }
}
