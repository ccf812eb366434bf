import { errorText } from "../../agent/vocabulary/errors.ts";
import { visibleText } from "../approvals/requestText.ts";
import { unlessAborted } from "../common/abort.ts";
import { ToolError } from "../common/userError.ts";
import type { ToolSource } from "../mcp/mcpTools.ts";
import { callTimeoutMs, textResult } from "./registry.ts";

/** Ours, for others: none that our agents call. */
export const delegateTool = "arbor_delegate";

interface EditorTools {
  list(): readonly { name: string; description: string; inputSchema?: object | undefined }[];
  /** Gives the text of its result. */
  invoke(name: string, input: object, signal: AbortSignal): Promise<string>;
  callTimeoutMs?: number;
}

/** The tools that the editor has from other extensions. Each may ask a question of its own, too. */
export function languageModelTools({
  list,
  invoke,
  callTimeoutMs: timeoutMs = callTimeoutMs,
}: EditorTools): ToolSource {
  return {
    kind: "extension",
    definition: { id: "languageModelTools", name: "editor" },
    offers: {
      tools: list()
        .filter(({ name }) => name !== delegateTool)
        .map(({ name, description, inputSchema }) => ({
          ...{ name, description },
          inputSchema: { properties: {}, ...inputSchema, type: "object" as const },
        })),
    },
    async callTool(name, input, { signal }) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return textResult(await unlessAborted(invoke(name, input, limited), limited));
      } catch (error) {
        signal.throwIfAborted();
        throw new ToolError(`The editor's tool ${name} failed: ${visibleText(errorText(error)).slice(0, 2_000)}`);
      }
    },
  };
}
