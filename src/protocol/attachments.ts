import type * as z from "zod";
import type { ImagePart, TextPart, UserMessage } from "../agent/types.ts";
import type { attachmentSchema } from "./attachmentSchema.ts";

/** The media types of pictures that models take. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

type OfKind<One, Kind> = One extends { kind: unknown } ? (Kind extends One["kind"] ? One : never) : never;

/** What a user's message carries besides its words. */
export type Attachment = z.infer<typeof attachmentSchema>;
export type PlaceAttachment = OfKind<Attachment, "file">;
export type LiveAttachment = OfKind<Attachment, "problems">;
export type AgentAttachment = OfKind<Attachment, "agent">;
export type TextAttachment = OfKind<Attachment, "text">;
export type ImageAttachment = OfKind<Attachment, "image">;

/** As a message's `meta.attachments` lists it: what is long is in the content alone. */
export type NotedAttachment =
  | PlaceAttachment
  | LiveAttachment
  | AgentAttachment
  | Omit<TextAttachment, "text">
  | Omit<ImageAttachment, "data">;

/** Most pictures of one message. */
export const maxImages = 10;

/** The attachment as a message lists it. */
export function noted(attachment: Attachment): NotedAttachment {
  if (attachment.kind === "text") return { kind: "text", name: attachment.name };
  if (attachment.kind === "image") return { kind: "image", name: attachment.name, mimeType: attachment.mimeType };
  return attachment;
}

/** A pasted text as it is in a message: between two lines of ours. */
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
 * The attachments of a message, whole again. The content's first text is what the user typed; each text after it begins
 * what one attachment brought, in the order of `meta.attachments`, and a picture belongs to the text before it.
 */
export function attachmentsOf(message: UserMessage): Attachment[] {
  const listed = message.meta?.attachments;
  if (!Array.isArray(listed)) return [];
  const brought = broughtBy(message.content);
  return listed.flatMap((item: unknown, index) => restored(item, brought[index]) ?? []);
}

/** The picture that came with each attachment, by its place in the list; undefined for those without one. */
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

/** The list may come from an older version, or from a session file that somebody wrote. */
function restored(item: unknown, brought: Brought | undefined): Attachment | undefined {
  if (typeof item !== "object" || item === null || !("kind" in item)) return undefined;
  const path = textIn(item, "path");
  const name = textIn(item, "name");
  switch (item.kind) {
    case "file":
    case "folder":
    case "selection":
    case "symbol": {
      if (path === undefined) return undefined;
      const [startLine, endLine] = [lineIn(item, "startLine"), lineIn(item, "endLine")];
      return {
        kind: item.kind,
        path,
        ...(startLine !== undefined && { startLine }),
        ...(endLine !== undefined && { endLine }),
        ...(name !== undefined && { name }),
      };
    }
    case "problems":
    case "terminal":
    case "diff":
      return { kind: item.kind, ...(path !== undefined && { path }) };
    case "agent": {
      const agentId = textIn(item, "agentId");
      return name === undefined ? undefined : { kind: "agent", name, ...(agentId !== undefined && { agentId }) };
    }
    case "text":
      return name === undefined || brought === undefined
        ? undefined
        : { kind: "text", name, text: unwrapText(brought.text) };
    case "image":
      return restoredImage(name, brought?.image);
    default:
      return undefined;
  }
}

function restoredImage(name: string | undefined, image: ImagePart | undefined): ImageAttachment | undefined {
  const mimeType = imageTypes.find((type) => type === image?.mimeType);
  if (name === undefined || image === undefined || mimeType === undefined) return undefined;
  return { kind: "image", name, mimeType, data: image.data };
}

function textIn(item: object, key: string): string | undefined {
  const value: unknown = Reflect.get(item, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function lineIn(item: object, key: string): number | undefined {
  const value: unknown = Reflect.get(item, key);
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** Whether they bring the same, whatever their names. */
export function isSameAttachment(a: Attachment, b: Attachment): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "image":
      return b.kind === "image" && a.data === b.data;
    case "text":
      return b.kind === "text" && a.text === b.text;
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
}

/** Nothing is written. */
export const emptyDraft: Draft = { text: "", attachments: [] };
