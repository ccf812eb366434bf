import { t } from "@vscode/l10n";
import type { Agent } from "../../../agent/index.ts";
import type { EventBody } from "../../../agent/vocabulary/events.ts";
import type { AgentMessage, ToolResultMessage, UserMessage } from "../../../agent/vocabulary/messages.ts";
import { withNotes } from "../../approvals/planMode.ts";
import { isInterruptedResult } from "../../tools/interruptedReport.ts";
import type { ChatNotices } from "../notices.ts";
import type { InterruptedEdits, InterruptedResult } from "./interruptedEdits.ts";
import { windowNotices } from "./restoredChat.ts";

export interface ResumptionOptions {
  edits: InterruptedEdits;
  notices: ChatNotices;
  /** An event of the agent that it knows nothing of. */
  add(agent: Agent, body: EventBody): void;
}

/** How a chat goes on whose edits were interrupted: its agent learns what became of them, and waits for the answers. */
export class Resumption {
  readonly #options: ResumptionOptions;
  #waiting: AbortController | undefined;
  /** By call: what the model was informed of since, where the conversation had gone on. */
  readonly #informed = new Map<string, string>();

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
    const text = t("The run continues once you have answered the pending edits.");
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
    edits.markInformed(edits.rootCalls.filter((callId) => results.has(callId) && !later.has(callId)));
  }

  /** The message with what became of edits after the model was informed of them. */
  withLaterResults(agent: Agent, message: UserMessage): UserMessage {
    const later = this.#later(agent);
    for (const { callId, text } of later) this.#informed.set(callId, text);
    this.#options.edits.markInformed(later.map(({ callId }) => callId));
    return withNotes(message, [laterResultsNote(later)]);
  }

  #later(agent: Agent) {
    const { edits } = this.#options;
    return laterResults(agent.messages, edits.rootCalls, {
      resultOf: (callId) => edits.resultOf(callId),
      informed: this.#informed,
    });
  }
}

type ResultOf = (callId: string) => InterruptedResult | undefined;

/**
 * Brings the results of interrupted calls up to date before their agent goes on: since they were written down, the user
 * may have answered. Only while nothing follows them. Returns what is to be added to the log.
 */
async function reviseResults(agent: Agent, resultOf: ResultOf): Promise<EventBody[]> {
  const { messages } = agent;
  const first = messages.findLastIndex(({ role }) => role !== "toolResult") + 1;
  const tail = messages.slice(first).filter((message) => message.role === "toolResult");
  const revised = tail.map((message) => revisedResult(message, resultOf(message.callId)));
  const [start] = tail;
  if (start === undefined || revised.every((message, at) => message === tail[at])) return [];
  await agent.rewindTo(start.id);
  agent.addMessage(revised);
  return revised.flatMap((message, at) => (message === tail[at] ? [] : [endOf(message)]));
}

/**
 * Results that the model knows otherwise, because the conversation went on before the user had answered. `informed` has
 * what it was informed of since, by call.
 */
function laterResults(
  messages: readonly AgentMessage[],
  callIds: readonly string[],
  { resultOf, informed }: { resultOf: ResultOf; informed: ReadonlyMap<string, string> },
): { callId: string; text: string }[] {
  return callIds.flatMap((callId) => {
    const message = messages.find((each) => each.role === "toolResult" && each.callId === callId);
    const now = resultOf(callId);
    if (message?.role !== "toolResult" || now === undefined || !isInterruptedResult(textOf(message))) return [];
    return (informed.get(callId) ?? textOf(message)) === now.text ? [] : [{ callId, text: now.text }];
  });
}

function laterResultsNote(results: readonly { text: string }[]): string | undefined {
  if (results.length === 0) return undefined;
  return `<interrupted_edits>\nWhat became of interrupted edits since the last message about them:\n\n${results.map(({ text }) => text).join("\n\n")}\n</interrupted_edits>`;
}

/** A call that has run again since has a result of its own. */
function revisedResult(message: ToolResultMessage, now: InterruptedResult | undefined): ToolResultMessage {
  const text = textOf(message);
  if (now === undefined || text === now.text || !isInterruptedResult(text)) return message;
  return { ...message, content: [{ type: "text", text: now.text }], isError: now.isOpen };
}

function textOf({ content }: ToolResultMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function endOf({ callId, toolName, content, isError }: ToolResultMessage): EventBody {
  return { type: "tool_execution_end", callId, toolName, result: { content }, isError, durationMs: 0 };
}
