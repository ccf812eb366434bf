import type * as z from "zod";
import type { AgentTool } from "../../agent/vocabulary/tools.ts";

/** What a tool reaches: nothing but the chat, files to read or to write, processes, or other machines. */
export type ToolAccess = "none" | "read" | "write" | "execute" | "network";
/** What it does. `edit` changes parts of files: of these tools an agent has one, by its model. */
type ToolKind = "read" | "search" | "edit" | "write" | "delete" | "move" | "command" | "fetch" | "plan" | "question";

/** A tool of the editor as it is known before there is an agent that has it. */
export interface EditorTool<A extends unknown[] = never[], S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly access: ToolAccess;
  readonly kind: ToolKind;
  create(...dependencies: A): AgentTool<S>;
}

export function defineEditorTool<A extends unknown[], S extends z.ZodType>(
  definition: Pick<EditorTool, "name" | "access" | "kind">,
  create: (...dependencies: A) => Omit<AgentTool<S>, "name">,
): EditorTool<A, S> {
  const { name } = definition;
  return { ...definition, create: (...dependencies) => ({ name, ...create(...dependencies) }) };
}
