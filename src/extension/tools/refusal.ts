import type { ToolResult } from "../../agent/vocabulary/tools.ts";
import { ToolError, UserError } from "../common/userError.ts";

/** Runs a tool; an expected failure becomes an error result whose text tells the model how to go on. */
export async function orRefusal(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) return { content: error.message, isError: true };
    if (error instanceof UserError) return { content: error.forModel, isError: true };
    throw error;
  }
}
