import { randomUUID } from "node:crypto";
import type { UserMessage } from "../../agent/index.ts";
import type { Attachment } from "../../protocol/hostEvents.ts";
import { attachmentSchema } from "../../protocol/intents.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * The message an agent gets: first the user's words as typed, then a part for each attachment. What cannot be read is
 * said in its place, so that the model does not answer from nothing.
 */
export async function composeUserMessage(
  text: string,
  attachments: readonly Attachment[],
  workspace: Pick<Workspace, "read">,
  signal: AbortSignal,
): Promise<UserMessage> {
  const attached = await Promise.all(attachments.map((attachment) => attachmentText(attachment, workspace, signal)));
  return {
    role: "user",
    id: randomUUID(),
    content: [text, ...attached].map((part) => ({ type: "text", text: part })),
    timestamp: Date.now(),
    ...(attachments.length > 0 && { meta: { attachments: [...attachments] } }),
  };
}

/** What `composeUserMessage` noted of the attachments. */
export function attachmentsOf(message: UserMessage): Attachment[] {
  return attachmentSchema.array().catch([]).parse(message.meta?.attachments);
}

async function attachmentText(
  attachment: Attachment,
  workspace: Pick<Workspace, "read">,
  signal: AbortSignal,
): Promise<string> {
  const { path, startLine, endLine } = attachment;
  const lines = startLine === undefined ? "" : ` lines="${startLine}-${endLine ?? startLine}"`;
  const opening = `<attached_file path=${JSON.stringify(path)}${lines}>`;
  try {
    const content = await workspace.read(path, signal);
    if (content.kind !== "text") return `${opening}\n(an image: read it with read_file)\n</attached_file>`;
    const all = content.text.split(/\r?\n/);
    const shown = startLine === undefined ? all : all.slice(startLine - 1, endLine ?? startLine);
    return `${opening}\n${shown.join("\n")}\n</attached_file>`;
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return `${opening}\n(could not be read: ${reason})\n</attached_file>`;
  }
}
