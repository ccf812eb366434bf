import type { ImagePart, TextPart } from "./messages.ts";

/** A tool as a provider sees it; `parameters` is a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** What a tool answers. `terminate` is a hint that all calls of a batch must share; `control` is decisive. */
export interface ToolResult<D = unknown> {
  content: string | (TextPart | ImagePart)[];
  details?: D;
  isError?: boolean;
  terminate?: boolean;
  control?: { type: "complete" | "return_to_user"; value: unknown };
}
