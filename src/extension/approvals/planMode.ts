import { delegationToolNames } from "../../agent/toolkits/delegation.ts";
import type { ExtendedHooks } from "../../agent/vocabulary/hooks.ts";
import type { AgentMessage, AssistantMessage, ToolResult, UserMessage } from "../../agent/vocabulary/messages.ts";
import { planEndNote, planNote } from "../prompts/modeNotes.ts";

/** Tools of the agent library that neither change nor run anything. */
const harmless = ["load_skill", "list_agents", "ask_agent", "list_team"] as const;

/**
 * While plans are made nothing is changed, run or fetched, by the root agent or by any below it: its hooks hold for all
 * that it delegates to. Asked again for each call, so that a stricter mode counts at once; an agent in the middle of its
 * work learns of another mode with the next result, and likewise of what the user did with its edits.
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
  return {
    ...modeNotes(isPlanning, reviewNoteFor),
    beforeToolCall: ({ call }) =>
      !isPlanning() || allowed.has(call.name) ? undefined : { block: true, reason: refusal(call.name) },
    missingTool: (name) => (isPlanning() && isEditorTool(name) && !allowed.has(name) ? refusal(name) : undefined),
  };
}

/**
 * Lets an agent in the middle of its work know of another mode with the next result. For sub-agents too: unlike what
 * refuses calls, it holds for none below the agent that has it.
 */
export function modeNotes(
  isPlanning: () => boolean,
  /** What else there is to know, before the mode. */
  otherNoteFor: (agentId: string) => string | undefined = () => undefined,
): Required<Pick<ExtendedHooks, "afterToolCall">> {
  // Of several calls at once, the first that is answered says it.
  const informed = new WeakSet<AssistantMessage>();
  return {
    afterToolCall({ agent, assistant, context, result }) {
      const mode = informed.has(assistant) ? undefined : modeNote(context, isPlanning());
      if (mode !== undefined) informed.add(assistant);
      const notes = [otherNoteFor(agent.id), mode].filter((note) => note !== undefined);
      return notes.length === 0 ? undefined : { content: withText(result.content, notes.join("\n\n")) };
    },
  };
}

function refusal(name: string): string {
  return `${name} is not allowed in plan mode, which the user has chosen: only reading is possible. Describe the change in your plan instead of making it. Nobody can change or run anything until the user leaves this mode.`;
}

function withText(content: ToolResult["content"], text: string): ToolResult["content"] {
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}

/** What an agent knows: its messages, and the system prompt that it began with. */
interface ModelContext {
  messages: readonly AgentMessage[];
  systemPrompt: string;
}

/** What is to be said of the mode to an agent that knows something else; undefined when it knows. */
export function modeNote(context: ModelContext, isPlanning: boolean): string | undefined {
  if (knowsOfPlanning(context) === isPlanning) return undefined;
  return isPlanning ? planNote : planEndNote;
}

function knowsOfPlanning({ messages, systemPrompt }: ModelContext): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    // What was condensed is not shown any more.
    if (message === undefined || message.role === "summary") break;
    if (message.role !== "user" && message.role !== "toolResult") continue;
    const last = message.content.at(-1);
    if (last?.type !== "text") continue;
    if (last.text.endsWith(planNote)) return true;
    if (last.text.endsWith(planEndNote)) return false;
  }
  return systemPrompt.includes(planNote);
}

/** A message of the user's with what the agent has to know beside it, the mode last; shown are the user's words alone. */
export function withNotes(message: UserMessage, notes: readonly (string | undefined)[]): UserMessage {
  const known = notes.filter((note) => note !== undefined);
  if (known.length === 0) return message;
  const content: UserMessage["content"] = [...message.content, { type: "text", text: known.join("\n\n") }];
  return { ...message, content, meta: { ...message.meta, noted: true } };
}
