import { delegationToolNames } from "../../agent/toolkits/delegation.ts";
import type { ExtendedHooks } from "../../agent/vocabulary/hooks.ts";
import type { AssistantMessage } from "../../agent/vocabulary/messages.ts";
import type { ToolResult } from "../../agent/vocabulary/tools.ts";
import { modeNote } from "./modeNotes.ts";

/** Tools of the agent library that neither change nor run anything. */
const harmless = ["load_skill", "list_agents"] as const;

/**
 * While plans are made nothing is changed, run or fetched, by the root agent or by any below it: its hooks hold for all
 * that it delegates to. Asked anew for each call, so that a stricter mode counts at once; an agent in the middle of its
 * work hears of another mode with the next result, and likewise of what the user did with its edits.
 */
export function planModeHooks(
  isPlanning: () => boolean,
  /** Tools of the editor that neither change nor run nor fetch anything. */
  harmlessTools: readonly string[],
  {
    isEditorTool = () => false,
    reviewNoteFor = () => undefined,
  }: {
    isEditorTool?(name: string): boolean;
    /** What the user did with the agent's edits since it was last informed. */
    reviewNoteFor?(agentId: string): string | undefined;
  } = {},
): ExtendedHooks & Required<Pick<ExtendedHooks, "missingTool">> {
  const allowed = new Set<string>([...harmlessTools, ...delegationToolNames, ...harmless]);
  // Of several calls at once, the first that is answered says it.
  const told = new WeakSet<AssistantMessage>();
  return {
    afterToolCall({ agent, assistant, context, result }) {
      const mode = told.has(assistant) ? undefined : modeNote(context, isPlanning());
      if (mode !== undefined) told.add(assistant);
      const notes = [reviewNoteFor(agent.id), mode].filter((note) => note !== undefined);
      return notes.length === 0 ? undefined : { content: withText(result.content, notes.join("\n\n")) };
    },
    beforeToolCall: ({ call }) =>
      !isPlanning() || allowed.has(call.name) ? undefined : { block: true, reason: refusal(call.name) },
    missingTool: (name) => (isPlanning() && isEditorTool(name) && !allowed.has(name) ? refusal(name) : undefined),
  };
}

function refusal(name: string): string {
  return `${name} is not allowed in plan mode, which the user has chosen: only reading is possible. Describe the change in your plan instead of making it. Nobody can change or run anything until the user leaves this mode.`;
}

function withText(content: ToolResult["content"], text: string): ToolResult["content"] {
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}
