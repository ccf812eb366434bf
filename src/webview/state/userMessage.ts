import type { UserMessage } from "../../agent/types.ts";
import type { Attachment } from "../../protocol/hostEvents.ts";

/** What the user typed: the parts after the first hold what attachments brought for the model. */
export function typedText(message: UserMessage): string {
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return attachmentsOf(message).length > 0 ? (texts[0] ?? "") : texts.join("\n\n");
}

export function attachmentsOf(message: UserMessage): Attachment[] {
  const listed = message.meta?.attachments;
  return Array.isArray(listed) ? listed.filter(isAttachment) : [];
}

/** `auth.ts` or `auth.ts:3-9` */
export function attachmentLabel(attachment: Attachment): string {
  const name = attachment.path.split("/").at(-1) ?? attachment.path;
  if (attachment.startLine === undefined) return name;
  return `${name}:${attachment.startLine}-${attachment.endLine ?? attachment.startLine}`;
}

export function isSameAttachment(a: Attachment, b: Attachment): boolean {
  return a.path === b.path && a.startLine === b.startLine && a.endLine === b.endLine;
}

function isAttachment(value: unknown): value is Attachment {
  return typeof value === "object" && value !== null && "path" in value && typeof value.path === "string";
}
