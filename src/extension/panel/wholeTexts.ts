import type { AgentMessage, ToolResult, UserMessage } from "../../agent/types.ts";
import { messageText, type TextSource, textOfContent } from "../../protocol/messageTexts.ts";
import { namedArguments } from "../../protocol/namedArguments.ts";
import type { MirroredChat } from "../chat/log/chatRecording.ts";

type Chat = Pick<MirroredChat, "log" | "transcriptOf" | "past">;

/** A text of which the panel has the beginning, as the chat has it. Undefined when it has no such text any more. */
export async function wholeText(chat: Chat, { agentId, id, part }: TextSource): Promise<string | undefined> {
  if (part === "result") return resultText(chat, agentId, id);
  const has = ({ content }: Extract<AgentMessage, { role: "assistant" }>) =>
    content.some((each) => each.type === "toolCall" && each.id === id);
  const isMeant = (message: AgentMessage) =>
    part === "arguments" ? message.role === "assistant" && has(message) : message.id === id;
  const message = await findMessage(chat, agentId, isMeant);
  if (message === undefined) return undefined;
  if (!("content" in message)) return "text" in message ? message.text : undefined;
  for (const [index, each] of message.content.entries()) {
    if (each.type === "toolCall") {
      if (part === "arguments" && each.id === id) return namedArguments(each.arguments);
    } else if (index === part && "text" in each) return each.text;
  }
  return undefined;
}

/** What copying the message puts on the clipboard. */
export async function wholeMessageText(chat: Chat, agentId: string, messageId: string): Promise<string | undefined> {
  const message = await findMessage(chat, agentId, ({ id }) => id === messageId);
  return message === undefined || message.role === "toolResult" ? undefined : messageText(message);
}

/** A message of the user's, also one that a rewind took out of the conversation. */
export async function sentMessage(chat: Chat, agentId: string, messageId: string): Promise<UserMessage | undefined> {
  const message = await findMessage(chat, agentId, ({ id, role }) => id === messageId && role === "user");
  return message?.role === "user" ? message : undefined;
}

/** All finished messages of an agent, also of one that is gone. */
export async function messagesOf(chat: Chat, agentId: string): Promise<readonly AgentMessage[]> {
  const known = chat.transcriptOf(agentId)?.messages;
  if (known !== undefined) return known;
  const stored = (await chat.past?.messagesOf(agentId)) ?? [];
  const ids = new Set(stored.map(({ id }) => id));
  return [...stored, ...chat.log.messagesOf(agentId).filter(({ id }) => !ids.has(id))];
}

/** The latest that fits, in what is in memory, or else in the session. */
async function findMessage(
  chat: Chat,
  agentId: string,
  isMeant: (message: AgentMessage) => boolean,
): Promise<AgentMessage | undefined> {
  return (
    chat.transcriptOf(agentId)?.messages.findLast(isMeant) ??
    chat.log.messagesOf(agentId).findLast(isMeant) ??
    (await chat.past?.messagesOf(agentId))?.findLast(isMeant)
  );
}

async function resultText(chat: Chat, agentId: string, callId: string): Promise<string | undefined> {
  const isMeant = (message: AgentMessage) => message.role === "toolResult" && message.callId === callId;
  const message = await findMessage(chat, agentId, isMeant);
  if (message?.role === "toolResult") return textOfContent(message.content);
  const result = resultInLog(chat, agentId, callId) ?? (await chat.past?.callResultsOf(agentId))?.get(callId)?.result;
  return result === undefined ? undefined : textOfContent(result.content);
}

function resultInLog({ log }: Chat, agentId: string, callId: string): ToolResult | undefined {
  for (const entry of (log.entriesAfter(0) ?? []).reverse()) {
    if (!("agent" in entry) || entry.agent.agent.id !== agentId) continue;
    if (entry.agent.type === "tool_execution_end" && entry.agent.callId === callId) return entry.agent.result;
  }
  return undefined;
}
