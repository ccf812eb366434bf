import type { ExternalAgent } from "../../agent/vocabulary/externalTurn.ts";
import type {
  AssistantMessage,
  StopReason,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../agent/vocabulary/messages.ts";
import type { ToolCallUpdate } from "./protocol.ts";
import { argumentsOf, type ForeignCall, newCall, resultText, updatedCall } from "./toolCalls.ts";

/** What of a longer message is shown. */
const maxMessageLength = 1_000_000;
/** So many calls of one session are distinguished from those that use an id again. */
const maxKnownCalls = 10_000;

export interface TranscriptOptions {
  agent: ExternalAgent;
  /** As messages name it. */
  model: { id: string; provider: string };
  newId(): string;
  now(): number;
}

interface Draft {
  message: AssistantMessage;
  /** By which the agent distinguishes its messages; many don't. */
  theirId: string | undefined;
  content: AssistantMessage["content"];
  /** The index of the part that text is added to. */
  open: number | undefined;
  length: number;
}

interface OpenCall {
  call: ForeignCall;
  startedAt: number;
  shown: string;
  /** Said here of it, beside what the agent reports. */
  note?: string;
}

/** What one session of a foreign agent says and does, as messages and calls of its node. */
export class SessionTranscript {
  readonly #options: TranscriptOptions;
  #draft: Draft | undefined;
  readonly #openCalls = new Map<string, OpenCall>();
  readonly #settledCalls = new Set<string>();
  /** The latest message with a text that was finished. */
  #latest: AssistantMessage | undefined;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  get agent(): ExternalAgent {
    return this.#options.agent;
  }

  /** The latest answer. */
  get latest(): AssistantMessage | undefined {
    return this.#latest;
  }

  addText(type: "text" | "thinking", text: string, theirId: string | undefined): void {
    if (this.#draft !== undefined && theirId !== undefined && this.#draft.theirId !== theirId) {
      // Without an id it began before the agent gave one.
      if (this.#draft.theirId !== undefined) this.#finishDraft("stop");
      else this.#draft.theirId = theirId;
    }
    const draft = this.#openDraft(theirId);
    const room = maxMessageLength - draft.length;
    if (room <= 0 || text === "") return;
    const added = text.length > room ? `${text.slice(0, room)}\n[…]` : text;
    draft.length += text.length;
    if (draft.open === undefined || draft.content[draft.open]?.type !== type) {
      this.#endPart(draft);
      draft.open = draft.content.push({ type, text: "" }) - 1;
      this.#update(draft, { type: `${type}_start`, index: draft.open });
    }
    const part = draft.content[draft.open];
    if (part?.type === "text" || part?.type === "thinking") part.text += added;
    this.#update(draft, { type: `${type}_delta`, index: draft.open, delta: added });
  }

  /** What is said from now on is another message, also of an agent that does not number them. */
  endMessage(): void {
    this.#finishDraft("stop");
  }

  addUserMessage(text: string): void {
    this.#finishDraft("stop");
    const { newId, now, agent } = this.#options;
    const content: UserMessage["content"] = [{ type: "text", text: text.slice(0, maxMessageLength) }];
    const message: UserMessage = { role: "user", id: newId(), content, timestamp: now() };
    agent.emit({ type: "message_start", message });
    agent.add(message);
  }

  /** A call begins, goes on or has ended. Gives it as it is now; undefined for one that ended before. */
  updateCall(update: ToolCallUpdate, isNew: boolean): ForeignCall | undefined {
    const { toolCallId: theirId, status } = update;
    const known = this.#openCalls.get(theirId);
    // Some agents send more of a call that has ended; others use its id again.
    const isLate = this.#settledCalls.has(theirId) && !(isNew && status !== "completed" && status !== "failed");
    if (known === undefined && isLate) return undefined;
    const open = known ?? { call: newCall(this.#options.newId()), startedAt: this.#options.now(), shown: "" };
    const before = open.call.printed.length;
    open.call = updatedCall(open.call, update);
    if (known === undefined) this.#openCalls.set(theirId, open);
    this.#showCall(open);
    if (status === "completed" || status === "failed") {
      this.endCall(theirId, resultText(open.call), status === "failed");
    } else if ((update.content ?? []).length > 0 || open.call.printed.length > before) {
      this.agent.emit({
        ...{ type: "tool_execution_update", callId: open.call.callId, toolName: open.call.toolName },
        partial: { content: resultText(open.call) },
      });
    }
    return open.call;
  }

  /** A call of a tool of ours, which runs here. */
  addOwnCall(call: ToolCall): void {
    const draft = this.#openDraft(undefined);
    this.#endPart(draft);
    const index = draft.content.push(call) - 1;
    this.#update(draft, { type: "toolcall_start", index, callId: call.id, toolName: call.name });
    this.#update(draft, { type: "toolcall_end", index, call });
    // It is part of the transcript before it runs.
    this.#finishDraft("stop");
  }

  addOwnResult(message: ToolResultMessage): void {
    this.#finishDraft("stop");
    this.agent.emit({ type: "message_start", message });
    this.agent.add(message);
  }

  /** The latest call under way that is about a file. */
  openCallFor(path: string): string | undefined {
    const isAbout = ({ call }: OpenCall) =>
      call.paths.includes(path) || call.content?.some((part) => part.type === "diff" && part.path === path) === true;
    return [...this.#openCalls.values()].findLast(isAbout)?.call.callId;
  }

  noteCall(theirId: string, note: string): void {
    const open = this.#openCalls.get(theirId);
    if (open !== undefined) open.note = note;
  }

  endCall(theirId: string, reported: string, isError: boolean): void {
    const open = this.#openCalls.get(theirId);
    if (open === undefined) return;
    const text = open.note === undefined ? reported : `${reported}\n\n${open.note}`.trim();
    const { newId, now, agent } = this.#options;
    const { callId, toolName } = open.call;
    this.#openCalls.delete(theirId);
    if (this.#settledCalls.size < maxKnownCalls) this.#settledCalls.add(theirId);
    this.#finishDraft("stop");
    const result = { content: text, ...(isError && { isError: true }) };
    const durationMs = Math.max(0, now() - open.startedAt);
    agent.emit({ type: "tool_execution_end", callId, toolName, result, isError, durationMs });
    const message: ToolResultMessage = {
      ...{ role: "toolResult", id: newId(), callId, toolName, isError, timestamp: now() },
      content: [{ type: "text", text }],
    };
    agent.emit({ type: "message_start", message });
    agent.add(message);
  }

  /** Nothing more comes: what is open ends here. */
  close(stopReason: Extract<StopReason, "stop" | "aborted" | "error">, reason: string): void {
    for (const theirId of [...this.#openCalls.keys()]) this.endCall(theirId, reason, true);
    this.#finishDraft(stopReason, stopReason === "stop" ? undefined : reason);
  }

  #showCall(open: OpenCall): void {
    const { callId, toolName, label } = open.call;
    const args = argumentsOf(open.call);
    const shown = JSON.stringify([toolName, label, args]);
    if (shown === open.shown) return;
    const isFirst = open.shown === "";
    open.shown = shown;
    const part = { type: "toolCall", id: callId, name: toolName, arguments: args } as const;
    const draft = isFirst ? this.#openDraft(undefined) : this.#draft;
    const at = isFirst
      ? -1
      : (draft?.content.findIndex((each) => each.type === "toolCall" && each.id === callId) ?? -1);
    if (draft !== undefined && isFirst) {
      this.#endPart(draft);
      const index = draft.content.push(part) - 1;
      this.#update(draft, { type: "toolcall_start", index, callId, toolName });
      this.#update(draft, { type: "toolcall_end", index, call: part });
    } else if (draft !== undefined && at >= 0) {
      draft.content[at] = part;
      this.#update(draft, { type: "toolcall_end", index: at, call: part });
    }
    this.agent.emit({ type: "tool_execution_start", callId, toolName, ...(label !== "" && { label }), args });
  }

  #openDraft(theirId: string | undefined): Draft {
    if (this.#draft !== undefined) return this.#draft;
    const { newId, now, model } = this.#options;
    const message: AssistantMessage = {
      ...{ role: "assistant", id: newId(), content: [], model: model.id, provider: model.provider },
      ...{ stopReason: "stop", timestamp: now() },
    };
    this.#draft = { message, theirId, content: [], open: undefined, length: 0 };
    this.agent.emit({ type: "message_start", message });
    return this.#draft;
  }

  #endPart(draft: Draft): void {
    const index = draft.open;
    const part = index === undefined ? undefined : draft.content[index];
    if (index === undefined || (part?.type !== "text" && part?.type !== "thinking")) return;
    draft.open = undefined;
    this.#update(draft, { type: `${part.type}_end`, index, content: part.text });
  }

  #finishDraft(stopReason: StopReason, errorMessage?: string): void {
    const draft = this.#draft;
    if (draft === undefined) return;
    this.#endPart(draft);
    this.#draft = undefined;
    const hasCalls = draft.content.some(({ type }) => type === "toolCall");
    const message: AssistantMessage = {
      ...draft.message,
      content: draft.content.map((part) => ({ ...part })),
      stopReason: stopReason === "stop" && hasCalls ? "toolUse" : stopReason,
      ...(errorMessage !== undefined && { errorMessage }),
    };
    this.agent.add(message);
    this.#latest = message;
  }

  #update(draft: Draft, delta: Parameters<typeof deltaEvent>[1]): void {
    this.agent.emit(deltaEvent(draft.message.id, delta));
  }
}

function deltaEvent(
  messageId: string,
  delta: Extract<Parameters<ExternalAgent["emit"]>[0], { type: "message_update" }>["delta"],
) {
  return { type: "message_update", messageId, delta } as const;
}
