import { t } from "@vscode/l10n";
import type { Agent, EventBody, UserMessage } from "../../../agent/index.ts";
import { withNotes } from "../../approvals/planMode.ts";
import type { NoticeBoard } from "../../panel/notices/noticeBoard.ts";
import type { InterruptedEdits } from "./interruptedEdits.ts";
import { windowNotices } from "./restoredChat.ts";
import { laterResults, laterResultsNote, reviseResults } from "./reviseResults.ts";

export interface ResumptionOptions {
  edits: InterruptedEdits;
  notices: NoticeBoard;
  /** An event of the agent that it knows nothing of. */
  add(agent: Agent, body: EventBody): void;
}

/** How a chat goes on whose edits were interrupted: its agent learns what became of them, and waits for the answers. */
export class Resumption {
  readonly #options: ResumptionOptions;
  #waiting: AbortController | undefined;
  /** By call: what the model was told since, where the conversation had gone on. */
  readonly #told = new Map<string, string>();

  constructor(options: ResumptionOptions) {
    this.#options = options;
  }

  /** The run goes on as soon as the user has answered. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  cancel(): void {
    this.#waiting?.abort();
  }

  /** Messages of the agent were removed: with their calls goes what waits for them. */
  rewound(agent: Agent): void {
    const { edits } = this.#options;
    this.cancel();
    const calls = new Set(agent.messages.flatMap((each) => (each.role === "toolResult" ? [each.callId] : [])));
    edits.withdraw(edits.rootCalls.filter((callId) => !calls.has(callId)));
  }

  /** Resolves when nothing waits any more; with false when it was canceled. */
  async answered(): Promise<boolean> {
    const { edits, notices } = this.#options;
    this.cancel();
    if (!edits.isWaiting) return true;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const text = t("The run goes on when you have answered the edits that wait.");
    notices.show({ id: windowNotices.waiting, level: "info", text, actions: [] });
    try {
      await edits.answered(waiting.signal);
      return true;
    } catch (error) {
      if (waiting.signal.aborted) return false;
      throw error;
    } finally {
      if (this.#waiting === waiting) {
        this.#waiting = undefined;
        notices.close(windowNotices.waiting);
      }
    }
  }

  /** Before the agent goes on: its results say what the user has answered since. */
  async revise(agent: Agent): Promise<void> {
    const { edits, add } = this.#options;
    for (const body of await reviseResults(agent, (callId) => edits.resultOf(callId))) add(agent, body);
    const results = new Set(agent.messages.flatMap((each) => (each.role === "toolResult" ? [each.callId] : [])));
    const later = new Set(this.#later(agent).map(({ callId }) => callId));
    edits.told(edits.rootCalls.filter((callId) => results.has(callId) && !later.has(callId)));
  }

  /** The message with what became of edits after the model was told of them. */
  withLaterResults(agent: Agent, message: UserMessage): UserMessage {
    const later = this.#later(agent);
    for (const { callId, text } of later) this.#told.set(callId, text);
    this.#options.edits.told(later.map(({ callId }) => callId));
    return withNotes(message, [laterResultsNote(later)]);
  }

  #later(agent: Agent) {
    const { edits } = this.#options;
    return laterResults(agent.messages, edits.rootCalls, {
      resultOf: (callId) => edits.resultOf(callId),
      told: this.#told,
    });
  }
}
