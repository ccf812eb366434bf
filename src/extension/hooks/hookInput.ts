import { isAbsolute, join, relative } from "node:path";
import type { AgentMeta } from "../../agent/index.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { escapeRegex } from "../common/escapeRegex.ts";
import type { HookDefinition } from "../customization/hookDefinition.ts";
import { toolAliases } from "../customization/toolNames.ts";
import { isMcpTool, type ToolOrigin, useToolName } from "../mcp/toolNames.ts";

/** What a hook is run for. */
export type HookOccasion =
  | ({ event: "PreToolUse" } & HookedCall)
  | ({ event: "PostToolUse"; result: string } & HookedCall)
  | { event: "UserPromptSubmit"; prompt: string }
  | { event: "SubagentStart" }
  /** `isActive`: the agent works because such a hook kept it from ending. */
  | { event: "SubagentStop" | "Stop"; isActive: boolean; lastMessage: string };

/** A call, of the tool that does the work. */
export interface HookedCall {
  tool: string;
  args: unknown;
  callId: string;
  /** Of a server's tool. */
  origin?: ToolOrigin;
  /** The model called it by way of `use_tool`. */
  isFolded?: boolean;
}

/** Where and for whom a hook runs. */
export interface HookContext {
  agent: Pick<AgentMeta, "id" | "name" | "depth">;
  sessionId: string;
  /** The first folder of the workspace, absolute. */
  folder: string;
  mode: PermissionMode;
}

const claudeModes = { ask: "default", "auto-edit": "acceptEdits", plan: "plan" } as const;
/** Of one text. */
const maxText = 200_000;

/** What Claude Code calls the agents that do the same. */
const agentAliases: Readonly<Record<string, string>> = {
  explore: "Explore",
  edit: "general-purpose",
  plan: "Plan",
};

/** By what a matcher knows an occasion; absent where there is nothing to match. */
export function matchedNames(occasion: HookOccasion, { agent }: Pick<HookContext, "agent">): string[] | undefined {
  if ("tool" in occasion) {
    const { tool, origin, isFolded = false } = occasion;
    // A hook for all that is called by way of it guards that still.
    return [...toolAliases(tool, origin), tool, ...(isFolded ? [useToolName] : [])];
  }
  if (occasion.event !== "SubagentStart" && occasion.event !== "SubagentStop") return undefined;
  const { name = "" } = agent;
  const alias = agentAliases[name];
  return alias === undefined ? [name] : [alias, name];
}

/** What a hook reads: JSON with the fields that Claude Code gives, and Arbor's own arguments of tools among them. */
export function hookInput(occasion: HookOccasion, names: HookDefinition["names"], context: HookContext): string {
  const { agent, sessionId, folder, mode } = context;
  const [name = ""] = matchedNames(occasion, context) ?? [];
  const own = names === "claude" ? name : "tool" in occasion ? occasion.tool : (agent.name ?? "");
  const ofAgent = agent.depth > 0 && {
    agent_id: agent.id,
    agent_type: names === "claude" ? agentName(agent) : agent.name,
  };
  const fields = {
    session_id: sessionId,
    transcript_path: "",
    cwd: folder,
    permission_mode: claudeModes[mode],
    hook_event_name: occasion.event,
    ...ofAgent,
    ...fieldsOf(occasion, own, folder),
  };
  return JSON.stringify(fields, (_key, value: unknown) => (typeof value === "string" ? shortened(value) : value));
}

function agentName({ name = "" }: HookContext["agent"]): string {
  return agentAliases[name] ?? name;
}

function shortened(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}… (${text.length - maxText} more characters)`;
}

function fieldsOf(occasion: HookOccasion, toolName: string, folder: string): Record<string, unknown> {
  switch (occasion.event) {
    case "PreToolUse":
    case "PostToolUse": {
      const { tool, args, callId } = occasion;
      const input = toolInput(tool, args, folder);
      const call = { tool_name: toolName, tool_use_id: callId, tool_input: input };
      if (occasion.event === "PreToolUse") return call;
      const { result } = occasion;
      const file = input.file_path === undefined ? {} : { filePath: input.file_path };
      const printed = tool === "run_command" ? { stdout: result, stderr: "" } : {};
      return { ...call, tool_response: { success: true, content: result, ...file, ...printed } };
    }
    case "UserPromptSubmit":
      return { prompt: occasion.prompt };
    case "SubagentStart":
      return {};
    case "SubagentStop":
    case "Stop":
      return { stop_hook_active: occasion.isActive, last_assistant_message: occasion.lastMessage };
    default:
      occasion satisfies never;
      return {};
  }
}

type Fields = Record<string, unknown>;

/** A tool's arguments, and beside them what Claude Code calls them. */
function toolInput(tool: string, args: unknown, folder: string): Fields {
  const own: Fields = typeof args === "object" && args !== null && !Array.isArray(args) ? { ...args } : { input: args };
  return { ...own, ...aliasesOf(tool, own, folder) };
}

function aliasesOf(tool: string, { path, edits, query, regex, ...own }: Fields, folder: string): Fields {
  // A server's tool has the arguments that its server says, whatever they are called.
  if (isMcpTool(tool)) return {};
  const [first]: unknown[] = Array.isArray(edits) ? edits : [];
  const edit: Fields = typeof first === "object" && first !== null ? { ...first } : {};
  return {
    ...(typeof path === "string" && tool.endsWith("_file") && { file_path: absolute(path, folder) }),
    ...(typeof edit.old_text === "string" && { old_string: edit.old_text, new_string: edit.new_text }),
    ...(tool === "search_text" &&
      typeof query === "string" && { pattern: regex === true ? query : escapeRegex(query) }),
    ...(typeof own.agent === "string" && { subagent_type: own.agent, prompt: own.task }),
    ...(tool === "run_command" && own.background === true && { run_in_background: true }),
  };
}

function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** The arguments of a tool that a hook gave in place of others, which may be in Claude Code's words. */
export function updatedArguments(tool: string, args: unknown, updated: Fields, folder: string): Fields {
  const given = toolInput(tool, args, folder);
  const aliases = aliasesOf(tool, given, folder);
  const isChanged = (key: string) => key in updated && updated[key] !== given[key];
  const plain = Object.fromEntries(Object.entries(updated).filter(([key]) => !(key in aliases)));
  const own: Fields = typeof args === "object" && args !== null ? { ...args } : {};
  // A hook that gives one field means the others as they were, as far as a tool needs them.
  const result: Fields = { ...own, ...plain };
  if (isMcpTool(tool)) return result;
  if (isChanged("file_path") && typeof updated.file_path === "string")
    result.path = relativeTo(updated.file_path, folder);
  if ((isChanged("old_string") || isChanged("new_string")) && Array.isArray(given.edits)) {
    const [first, ...others]: unknown[] = given.edits;
    const edit = typeof first === "object" && first !== null ? first : {};
    const texts = {
      old_text: updated.old_string ?? given.old_string,
      new_text: updated.new_string ?? given.new_string,
    };
    result.edits = [{ ...edit, ...texts }, ...others];
  }
  if (isChanged("pattern") && tool === "search_text") Object.assign(result, { query: updated.pattern, regex: true });
  if (isChanged("subagent_type")) result.agent = updated.subagent_type;
  if (isChanged("prompt") && "task" in own) result.task = updated.prompt;
  return result;
}

function relativeTo(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(folder, path);
  return inside.startsWith("..") ? path : inside.replaceAll("\\", "/");
}
