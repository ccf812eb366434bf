import type { ExternalTurn } from "../../agent/vocabulary/externalTurn.ts";
import { type AgentMessage, textOf } from "../../agent/vocabulary/messages.ts";
import { foreignProviderId } from "../models/providers.ts";

/** Whether a session knows the conversation as it is: a rewind removes messages of it, another model adds some. */
export function knowsAll(name: string, { earlier, prompts }: ExternalTurn, upTo: string | undefined): boolean {
  if (upTo === undefined) return true;
  const all = [...earlier, ...prompts];
  const at = all.findIndex(({ id }) => id === upTo);
  const isOwn = (message: AgentMessage) =>
    message.role !== "assistant" || (message.provider === foreignProviderId && message.model === name);
  return at >= 0 && earlier.slice(at).every(isOwn);
}

export function isCommand([first]: readonly AgentMessage[]): boolean {
  return first?.role === "user" && /^\/[\w-]/.test(textOf(first));
}

const maxConversationLength = 60_000;

/** What users and models said before, without their calls; the latest of it where it is long. */
export function conversationNote(messages: readonly AgentMessage[]): object[] {
  const said = messages.flatMap((message) => {
    const text = message.role === "toolResult" ? "" : textOf(message).trim();
    return text === "" ? [] : [`${message.role === "assistant" ? "Assistant" : "User"}: ${text}`];
  });
  if (said.length === 0) return [];
  const text = said.join("\n\n").slice(-maxConversationLength);
  return [{ type: "text", text: `The conversation so far:\n<conversation>\n${text}\n</conversation>` }];
}

const goOn = "Your work was cut off. Go on where it stopped.";

const maxNamedFiles = 50;

export function unsavedNote(paths: readonly string[]): object[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, maxNamedFiles).join(", ");
  const text = `The editor has unsaved changes in ${named}: what is on the disk there is older. Read and write these files through the client, or leave them alone.`;
  return [{ type: "text", text }];
}

/** The messages as they are sent: texts and images. */
export function promptOf(messages: readonly AgentMessage[]): object[] {
  const blocks = messages.flatMap((message) => {
    if (message.role !== "user") return [{ type: "text", text: textOf(message) }];
    return message.content.map((part) =>
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "image", mimeType: part.mimeType, data: part.data },
    );
  });
  return blocks.length > 0 ? blocks : [{ type: "text", text: goOn }];
}
