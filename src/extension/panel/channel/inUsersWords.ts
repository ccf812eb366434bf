import type { AgentEvent, AgentMessage } from "../../../agent/types.ts";
import { errorMessageOf, errorWords } from "../../models/errorWords.ts";

/** What failed, told in the user's language; logs and models keep it as it is. */
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
  const { errorFacts: _told, ...rest } = message;
  const errorMessage = errorMessageOf(message);
  return errorMessage === undefined ? rest : { ...rest, errorMessage };
}

function hasFacts(message: AgentMessage): message is Extract<AgentMessage, { role: "assistant" }> {
  return message.role === "assistant" && message.errorFacts !== undefined;
}
