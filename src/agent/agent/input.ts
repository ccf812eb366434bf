import { AgentError } from "../vocabulary/errors.ts";
import { type AgentMessage, type UserMessage, userMessage } from "../vocabulary/messages.ts";
import { plainJson } from "../vocabulary/plainJson.ts";
import type { Input } from "./agentOptions.ts";

/** The messages an input stands for. Throws "bad_input" when there is nothing in it. */
export function toMessages(input: Input): AgentMessage[] {
  const messages = split(input);
  if (messages.length === 0) throw nothing();
  // What applications hand in goes into events, which are plain JSON.
  return messages.map(
    (message) => plainJson(message.id ? message : { ...message, id: crypto.randomUUID() }) as AgentMessage,
  );
}

function split(input: Input): AgentMessage[] {
  if (typeof input === "string") return input === "" ? [] : [userMessage(input)];
  if (!Array.isArray(input)) {
    if (typeof input !== "object" || input === null) throw nothing();
    return [input];
  }
  const [first] = input;
  if (first === undefined) return [];
  // A list holds either parts or messages, which the type says and its first entry shows.
  if ("role" in first) return [...(input as AgentMessage[])];
  const content = [...(input as UserMessage["content"])];
  return [{ role: "user", id: crypto.randomUUID(), content, timestamp: Date.now() }];
}

function nothing(): AgentError {
  return new AgentError("bad_input", "There is nothing to send: the input is empty.");
}
