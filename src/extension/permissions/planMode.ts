import type { LoopHooks } from "../../agent/hooks.ts";
import type { AssistantMessage } from "../../agent/messages.ts";
import { delegationToolNames } from "../../agent/toolkits/delegation.ts";
import type { ToolResult } from "../../agent/tools.ts";
import { modeNote } from "./modeNotes.ts";

/** What neither changes nor runs anything, beside the tools that look at the workspace. */
const harmless = ["ask_user", "update_plan", "read_output", "load_skill", "list_agents"] as const;

/**
 * While plans are made nothing is changed, run or fetched, by the root agent or by any below it: its hooks hold for all
 * that it delegates to. Asked anew for each call, so that a stricter mode counts at once; an agent in the middle of its
 * work hears of another mode with the next result.
 */
export function planModeHooks(isPlanning: () => boolean, readOnlyTools: readonly string[]): LoopHooks {
  const allowed = new Set<string>([...readOnlyTools, ...delegationToolNames, ...harmless]);
  // Of several calls at once, the first that is answered says it.
  const told = new WeakSet<AssistantMessage>();
  return {
    afterToolCall({ assistant, context, result }) {
      const note = told.has(assistant) ? undefined : modeNote(context, isPlanning());
      if (note === undefined) return undefined;
      told.add(assistant);
      return { content: withText(result.content, note) };
    },
    beforeToolCall: ({ call }) =>
      !isPlanning() || allowed.has(call.name)
        ? undefined
        : {
            block: true,
            reason: `${call.name} is not allowed in plan mode, which the user has chosen: read, think, and answer with a plan. Nobody can change or run anything until the user leaves this mode.`,
          },
  };
}

function withText(content: ToolResult["content"], text: string): ToolResult["content"] {
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}
