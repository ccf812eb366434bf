import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import { UserError } from "../common/userError.ts";
import { EditError } from "./text/editError.ts";

/** Runs a tool; an expected failure becomes an error result whose text tells the model how to go on. */
export async function orRefusal(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) return { content: error.forModel, isError: true };
    if (error instanceof EditError) return { content: error.message, isError: true };
    throw error;
  }
}
