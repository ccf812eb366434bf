import type { AgentEvent } from "../vocabulary/events.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { copyPlain, plainJson } from "../vocabulary/plainJson.ts";

/** An agent's transcript and what its latest run left, as a fold over its own events. */
export class AgentHistory {
  #messages: AgentMessage[];
  readonly #pending = new Set<string>();
  errorMessage: string | undefined;

  constructor(messages: readonly AgentMessage[] = []) {
    // What applications hand in stays theirs, and goes into events; cleaned to plain JSON, a message is still one.
    this.#messages = messages.map((message) => copyPlain(plainJson(message) as AgentMessage));
  }

  /** The messages with ids that the transcript does not have yet: one object may be sent twice. */
  withOwnIds(messages: readonly AgentMessage[], taken: ReadonlySet<string>): AgentMessage[] {
    const ids = new Set(taken);
    for (const { id } of this.#messages) ids.add(id);
    return messages.map((message) => {
      const own = ids.has(message.id) ? { ...message, id: crypto.randomUUID() } : message;
      ids.add(own.id);
      return own;
    });
  }

  /** Not a copy: for reading within the library. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  get pendingToolCalls(): string[] {
    return [...this.#pending];
  }

  /** Ids of the user messages, which can be rewound to. */
  get checkpoints(): string[] {
    return this.#messages.flatMap((message) => (message.role === "user" ? [message.id] : []));
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case "agent_start":
        this.errorMessage = undefined;
        break;
      case "message_end":
        this.#messages.push(event.message);
        break;
      case "tool_execution_start":
        this.#pending.add(event.callId);
        break;
      case "tool_execution_end":
        this.#pending.delete(event.callId);
        break;
      case "agent_end":
        this.errorMessage = event.reason === "error" ? event.error?.message : undefined;
        break;
      default:
        break;
    }
  }

  /** Changes the transcript outside a run. */
  replace(messages: readonly AgentMessage[]): void {
    this.#messages = [...messages];
  }

  /** The last message the model would see: answers that failed and messages of an application are not shown to it. */
  get lastShown(): AgentMessage | undefined {
    return this.#messages.findLast((message) => {
      switch (message.role) {
        case "assistant":
          return message.stopReason !== "error" && message.stopReason !== "aborted";
        case "user":
        case "toolResult":
        case "summary":
        case "agentResponse":
          return true;
        default:
          return false;
      }
    });
  }
}
