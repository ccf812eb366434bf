import type { AgentEvent, AgentMessage, AssistantMessage, StreamedUpdate, ToolResult } from "../../../agent/types.ts";
import { withoutLines } from "../../../protocol/fileEdits.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { errorMessageOf, errorWords } from "../../models/errorWords.ts";
import { cutEvent } from "./cutTexts.ts";

const clippedCharacters = 280;

/**
 * What of an entry the panel's fold needs, in the user's language. Lists that only repeat earlier events are left out;
 * of a child that is not opened, deltas too (undefined), and texts are cut to a preview, enough for its live line. Texts
 * that are too long to be drawn end with what is missing (cutTexts.ts).
 */
export function stripEntry(entry: LogEntry, isOpened: (agentId: string) => boolean): LogEntry | undefined {
  if ("host" in entry) return entry;
  const event = entry.agent;
  const isShown = event.agent.depth === 0 || isOpened(event.agent.id);
  // First and alone: this is what nearly all entries are.
  if (event.type === "message_update") {
    if (!isShown) return undefined;
    const agent = withoutReported(event);
    return agent === event ? entry : { seq: entry.seq, agent };
  }
  const bare = inUsersWords(withoutRepeatedLists(event));
  if (isShown) {
    const shown = cutEvent(bare);
    return shown === event ? entry : { seq: entry.seq, agent: shown };
  }
  const preview = previewOf(bare);
  return preview === undefined ? undefined : { seq: entry.seq, agent: cutEvent(preview) };
}

function withoutRepeatedLists(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case "agent_end": {
      const { finalMessage: _repeated, ...rest } = event;
      return { ...rest, messages: [] };
    }
    case "turn_end":
      return { ...event, message: { ...event.message, content: [] }, toolResults: [] };
    default:
      return event;
  }
}

/** What the provider has counted so far is for the session's file alone. */
function withoutReported(event: StreamedUpdate): AgentEvent {
  if (event.reported === undefined) return event;
  const { reported: _saved, ...published } = event;
  return published;
}

function previewOf(event: AgentEvent): AgentEvent | undefined {
  switch (event.type) {
    case "message_start":
    case "message_end":
      return { ...event, message: clipMessage(event.message) };
    case "transcript":
      return { ...event, messages: event.messages.map(clipMessage) };
    case "tool_execution_update":
      return event.output === undefined ? undefined : { ...event, output: clip(event.output) };
    case "tool_execution_end":
      return { ...event, result: clipResult(event.result) };
    default:
      return event;
  }
}

function clipMessage(message: AgentMessage): AgentMessage {
  switch (message.role) {
    case "assistant":
      return { ...message, content: message.content.map(clipAssistantPart) };
    case "user":
      return { ...message, content: message.content.flatMap(clipPart) };
    case "toolResult": {
      const { details, ...rest } = message;
      const clipped = { ...rest, content: message.content.flatMap(clipPart) };
      return details === undefined ? clipped : { ...clipped, details: withoutLines(details) };
    }
    case "summary":
    case "agentResponse":
      return { ...message, text: clip(message.text) };
    default:
      return message;
  }
}

function clipAssistantPart(part: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  // A call's arguments stay: they are what the tool card and the live line name.
  return part.type === "toolCall" ? part : { ...part, text: clip(part.text) };
}

function clipPart<Part extends { type: string }>(part: Part | { type: "text"; text: string }): Part[] {
  if (part.type !== "text" || !("text" in part)) return [];
  // The spread keeps the part's own type; only its text is shorter.
  return [{ ...part, text: clip(part.text) } as unknown as Part];
}

function clipResult(result: ToolResult): ToolResult {
  const { details: _details, ...rest } = result;
  return typeof result.content === "string"
    ? { ...rest, content: clip(result.content) }
    : { ...rest, content: result.content.flatMap(clipPart) };
}

function clip(text: string): string {
  return text.length <= clippedCharacters ? text : `${text.slice(0, clippedCharacters)}…`;
}

/** What failed, in the user's language; in logs and for models it is as it was. */
export function inUsersWords(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case "retry": {
      const { errorFacts, ...rest } = event;
      return errorFacts === undefined ? event : { ...rest, error: errorWords(errorFacts).what };
    }
    case "message_start":
    case "message_end": {
      const message = messageInUsersWords(event.message);
      return message === event.message ? event : { ...event, message };
    }
    case "transcript":
      return event.messages.some(hasFacts) ? { ...event, messages: event.messages.map(messageInUsersWords) } : event;
    default:
      return event;
  }
}

export function messageInUsersWords(message: AgentMessage): AgentMessage {
  if (!hasFacts(message)) return message;
  const { errorFacts: _facts, ...rest } = message;
  const errorMessage = errorMessageOf(message);
  return errorMessage === undefined ? rest : { ...rest, errorMessage };
}

function hasFacts(message: AgentMessage): message is Extract<AgentMessage, { role: "assistant" }> {
  return message.role === "assistant" && message.errorFacts !== undefined;
}
