import * as z from "zod";
import { attachmentsSchema } from "../../../protocol/attachmentSchema.ts";
import type { Attachment } from "../../../protocol/attachments.ts";

const argumentsSchema = z.object({
  prompt: z.string().min(1).exactOptional(),
  agent: z.string().min(1).exactOptional(),
  attachments: attachmentsSchema.exactOptional(),
});

/** What `arbor.ask` was given: by a keybinding, a task, another extension, or nothing by the palette. */
export interface AskArguments {
  prompt?: string;
  /** The built-in agent that should do it; `main` hands the work to it. */
  agent?: string;
  attachments?: Attachment[];
}

/** Menus call commands with a resource of their own; what is not ours counts as nothing given. */
export function parseAskArguments(input: unknown): AskArguments {
  const parsed = argumentsSchema.safeParse(input ?? {});
  return parsed.success ? parsed.data : {};
}

/** The words for `main` when somebody asks for a certain agent. */
export function wordsFor({ prompt, agent }: { prompt: string; agent?: string }): string {
  return agent === undefined || agent === "main" ? prompt : `Delegate this to the agent "${agent}": ${prompt}`;
}
