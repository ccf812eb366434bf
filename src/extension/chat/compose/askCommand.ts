import * as z from "zod";
import { attachmentSchema, maxAttachments, picturesFit } from "../../../protocol/attachmentSchema.ts";
import type { Attachment } from "../../../protocol/attachments.ts";
import { UserError } from "../../common/userError.ts";

/** Something to attach as other programs name it: a path or an address, whole or some of its lines. */
export interface NamedPlace {
  name: string;
  /** from 1, inclusive */
  startLine?: number;
  endLine?: number;
}

/** What `arbor.ask` was given: by a keybinding, a task, another extension, or nothing by the palette. */
export interface AskArguments {
  prompt?: string;
  /** The built-in agent that should do it; `main` hands the work to it. */
  agent?: string;
  attachments?: (Attachment | NamedPlace)[];
}

const line = z.int().positive();
const name = z.string().trim().min(1).max(4_096);
/** The editor's own kind of address: its text is what it means. */
const address = z.custom<{ scheme: string }>(
  (value) => typeof value === "object" && value !== null && "scheme" in value && typeof value.scheme === "string",
);

const nameOrAddress = z.union([name, address.transform(String)]);
const lines = { startLine: line.exactOptional(), endLine: line.exactOptional() };
const position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });

const namedPlace = z.union([
  nameOrAddress.transform((given): NamedPlace => ({ name: given })),
  z.object({ path: nameOrAddress, ...lines }).transform(({ path, ...rest }): NamedPlace => ({ name: path, ...rest })),
  z
    .object({ uri: nameOrAddress, range: z.object({ start: position, end: position }) })
    .transform(({ uri, range: { start, end } }): NamedPlace => {
      // A range of whole lines ends at the start of the line after them.
      const lastLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
      return { name: uri, startLine: start.line + 1, endLine: lastLine };
    }),
  z.object({ uri: nameOrAddress, ...lines }).transform(({ uri, ...rest }): NamedPlace => ({ name: uri, ...rest })),
]);

const askSchema = z.object({
  prompt: z.string().trim().min(1).exactOptional(),
  agent: z.string().min(1).exactOptional(),
  attachments: z
    .array(z.union([attachmentSchema, namedPlace]))
    .max(maxAttachments)
    .refine((all) => picturesFit(all.filter((each) => "kind" in each)))
    .exactOptional(),
});

/**
 * Menus call commands with a resource of their own, which counts as nothing given. A caller that gives something that is
 * meant for us gets what is wrong with it, instead of a question that is never seen.
 */
export function parseAskArguments(input: unknown): AskArguments {
  if (typeof input === "string") return parseAskArguments({ prompt: input });
  if (!isOurs(input)) return {};
  const parsed = askSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new UserError(
    `arbor.ask can't use ${at === "" ? "what it was given" : `"${at}"`}. It takes { "prompt": "…", "agent": "…", "attachments": ["src/file.ts"] }, or nothing to be asked.`,
  );
}

function isOurs(input: unknown): boolean {
  return typeof input === "object" && input !== null && Object.keys(askSchema.shape).some((key) => key in input);
}
