import type * as z from "zod";
import type { ImagePart, TextPart, UserMessage } from "../agent/types.ts";
import type { attachmentSchema, notedAttachmentSchema } from "./attachmentSchema.ts";

/** The media types of pictures that models take. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

type OfKind<One, Kind> = One extends { kind: unknown } ? (Kind extends One["kind"] ? One : never) : never;

/** What a user's message has besides its text. */
export type Attachment = z.infer<typeof attachmentSchema>;
export type PlaceAttachment = OfKind<Attachment, "file">;
export type LiveAttachment = OfKind<Attachment, "problems">;
export type AgentAttachment = OfKind<Attachment, "agent">;
export type ResourceAttachment = OfKind<Attachment, "resource">;
export type TextAttachment = OfKind<Attachment, "text">;
export type ImageAttachment = OfKind<Attachment, "image">;

/** As a message's `meta.attachments` lists it: what is long is in the content alone. */
export type NotedAttachment = z.infer<typeof notedAttachmentSchema>;

/** Of one message. */
export const maxImages = 10;

/** The attachment as a message lists it. */
export function noted(attachment: Attachment): NotedAttachment {
  if (attachment.kind === "text") return { kind: "text", name: attachment.name };
  if (attachment.kind === "image") return { kind: "image", name: attachment.name, mimeType: attachment.mimeType };
  return attachment;
}

/** A pasted text as it is in a message: between two lines that mark it. */
export function wrapText(opening: string, text: string, closing: string): string {
  return `${opening}\n${text}\n${closing}`;
}

function unwrapText(part: string): string {
  const first = part.indexOf("\n");
  return part.slice(first + 1, Math.max(first + 1, part.lastIndexOf("\n")));
}

/** What one attachment brought: a text that says what it is, and for some a picture. */
interface Brought {
  text: string;
  image?: ImagePart;
}

/**
 * The attachments of a message, complete again. The content's first text is what the user typed; each text after it
 * begins what one attachment brought, in the order of `meta.attachments`, and a picture belongs to the text before it.
 */
export function attachmentsOf(message: UserMessage): Attachment[] {
  // `composeUserMessage` writes the list, and a session file is validated by `messageSchema` when it is read.
  const listed = message.meta?.attachments as readonly NotedAttachment[] | undefined;
  if (listed === undefined) return [];
  const brought = broughtBy(message.content);
  return listed.flatMap((item, index) => restored(item, brought[index]) ?? []);
}

/** The picture that came with each attachment, in the order of the list; undefined for those without one. */
export function imagesOf(message: UserMessage): (ImagePart | undefined)[] {
  return broughtBy(message.content).map(({ image }) => image);
}

function broughtBy(content: readonly (TextPart | ImagePart)[]): Brought[] {
  const brought: Brought[] = [];
  for (const part of content.slice(1)) {
    const last = brought.at(-1);
    if (part.type === "text") brought.push({ text: part.text });
    else if (last !== undefined) last.image = part;
  }
  return brought;
}

/** Undefined when the content lacks the text or the picture. */
function restored(item: NotedAttachment, brought: Brought | undefined): Attachment | undefined {
  if (item.kind === "text") return brought && { ...item, text: unwrapText(brought.text) };
  if (item.kind === "image") return brought?.image && { ...item, data: brought.image.data };
  return item;
}

/** Whether they bring the same, whatever their names. */
export function isSameAttachment(a: Attachment, b: Attachment): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "image":
      return b.kind === "image" && a.data === b.data;
    case "text":
      return b.kind === "text" && a.text === b.text;
    case "resource":
      return b.kind === "resource" && a.server === b.server && a.uri === b.uri;
    case "agent":
      return b.kind === "agent" && a.name === b.name && a.agentId === b.agentId;
    case "problems":
    case "terminal":
    case "diff":
      return "path" in b ? a.path === b.path : a.path === undefined;
    case "file":
    case "folder":
    case "selection":
    case "symbol":
      return "path" in b && a.path === b.path && isSameSpan(a, b);
    default:
      a satisfies never;
      return false;
  }
}

function isSameSpan(a: PlaceAttachment, b: Attachment): boolean {
  return "startLine" in b || "endLine" in b
    ? a.startLine === b.startLine && a.endLine === b.endLine
    : a.startLine === undefined && a.endLine === undefined;
}

/** What is in a composer. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** When the text was typed or sent, by the clock of the panel's page, in ms since the epoch. */
  typedAt?: number;
}

/** Nothing is written. */
export const emptyDraft: Draft = { text: "", attachments: [] };
