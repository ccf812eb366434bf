import * as z from "zod";
import { type Attachment, imageTypes, maxImages } from "./attachments.ts";

const name = z.string().min(1).max(1_000);
const path = z.string().min(1).max(4_096);
const line = z.int().positive().exactOptional();

const largestText = 5_000_000;
/** As base64. The panel makes pictures smaller than this before it sends them. */
const largestImage = 2_000_000;

/** A path in the workspace: a whole file or folder, lines that were selected, or a symbol with its name. */
const placeSchema = z.object({
  kind: z.enum(["file", "folder", "selection", "symbol"]),
  path,
  /** from 1, inclusive */
  startLine: line,
  endLine: line,
  /** Of a symbol. */
  name: name.exactOptional(),
});
/** What the editor knows when the message is sent. `path` narrows problems to a file or folder. */
const liveSchema = z.object({ kind: z.enum(["problems", "terminal", "diff"]), path: path.exactOptional() });
/** Who should do it: a kind of agent, or with an id one that runs. */
const agentSchema = z.object({ kind: z.literal("agent"), name, agentId: name.exactOptional() });
/** What an MCP server offers for reading, by the names of the configuration and of the server. */
const resourceSchema = z.object({ kind: z.literal("resource"), server: name, uri: path, name });
/** A text that was pasted or dropped and is too long for the composer. */
const textSchema = z.object({ kind: z.literal("text"), name, text: z.string().max(largestText) });
const imageSchema = z.object({
  kind: z.literal("image"),
  name,
  mimeType: z.enum(imageTypes),
  /** base64 */
  data: z
    .string()
    .max(largestImage)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/),
});

/** As a message's `meta.attachments` lists it: what is long is in the content alone. */
export const notedAttachmentSchema = z.discriminatedUnion("kind", [
  placeSchema,
  liveSchema,
  agentSchema,
  resourceSchema,
  textSchema.omit({ text: true }),
  imageSchema.omit({ data: true }),
]);

/** What anybody may attach: the panel, a keybinding, a task, another extension. */
export const attachmentSchema = z.discriminatedUnion("kind", [
  placeSchema,
  liveSchema,
  agentSchema,
  resourceSchema,
  textSchema,
  imageSchema,
]);

/** Of one message. */
export const maxAttachments = 50;

/** Whether there are no more pictures than a message takes. */
export function picturesFit(all: readonly Attachment[]): boolean {
  return all.filter(({ kind }) => kind === "image").length <= maxImages;
}

/** All attachments of one message. */
export const attachmentsSchema = z
  .array(attachmentSchema)
  .max(maxAttachments)
  .refine(picturesFit, `more than ${maxImages} pictures`);
