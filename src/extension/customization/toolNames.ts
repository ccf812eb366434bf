import { isServerToolName, mcpAliases, type ToolOrigin } from "../mcp/toolNames.ts";
import { editorToolNames, isEditorTool, listedName, planToolNames } from "../tools/index.ts";

const search = ["search_text", "find_files", "list_files", "find_symbols", "find_references", "go_to_definition"];
const edit = ["edit_file", "write_file", "delete_file", "move_file", "rename_symbol"];
const command = ["run_command", "read_output", "stop_command"];
const delegation = ["delegate_to_agent", "spawn_agents"];

/** Tools by the names that other programs have for them. None: nothing here does the same. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  // Claude Code
  ...{ Read: ["read_file"], Write: ["write_file"], Edit: ["edit_file"], MultiEdit: ["edit_file"] },
  ...{ Glob: ["find_files", "list_files"], LS: ["list_files"], Grep: ["search_text"] },
  ...{ Bash: command, PowerShell: command, BashOutput: ["read_output"], TaskOutput: ["read_output"] },
  ...{ KillShell: ["stop_command"], KillBash: ["stop_command"], TaskStop: ["stop_command"] },
  ...{
    WebFetch: ["fetch_url"],
    WebSearch: [],
    TodoWrite: ["update_plan"],
    TodoRead: [],
    AskUserQuestion: ["ask_user"],
  },
  ...{ Task: delegation, Agent: delegation, Skill: ["load_skill"], SlashCommand: ["load_skill"] },
  ...{ LSP: ["find_symbols", "find_references", "go_to_definition", "get_diagnostics"] },
  ...{ NotebookRead: ["read_file"], NotebookEdit: [], ExitPlanMode: [], EnterPlanMode: [], ListMcpResourcesTool: [] },
  // GitHub Copilot, in the cloud and in the editor
  ...{ read: ["read_file", "get_diagnostics"], edit, search, execute: command, shell: command, powershell: command },
  ...{
    web: ["fetch_url"],
    todo: ["update_plan"],
    agent: delegation,
    "custom-agent": delegation,
    vscode: [],
    github: [],
  },
  ...{ codebase: search, fileSearch: ["find_files"], textSearch: ["search_text"], listDirectory: ["list_files"] },
  ...{ readFile: ["read_file"], usages: ["find_references"], problems: ["get_diagnostics"], changes: [] },
  ...{ editFiles: edit, createFile: ["write_file"], createDirectory: [], runCommands: command, runInTerminal: command },
  ...{ getTerminalOutput: ["read_output"], terminalLastCommand: [], terminalSelection: [], runTasks: [], runTests: [] },
  ...{ testFailure: [], fetch: ["fetch_url"], githubRepo: [], todos: ["update_plan"], runSubagent: delegation },
  ...{ askQuestions: ["ask_user"], awaitTerminal: ["read_output"], killTerminal: ["stop_command"], searchResults: [] },
  ...{ findTestFiles: [], memory: [], selection: [], runTask: [], createAndRunTask: [], getTaskOutput: [] },
  ...{ runNotebookCell: [], getNotebookSummary: [], getProjectSetupInfo: [], newWorkspace: [], installExtension: [] },
  ...{ extensions: [], vscodeAPI: [], openSimpleBrowser: [], new: [], runNotebooks: [], think: [] },
  // opencode, where it has other names than Claude Code
  ...{ list: ["list_files"], patch: ["edit_file"] },
};

/** What Claude Code calls the tools that do the same. What moves or deletes a file edits it. */
const claudeNames: Readonly<Record<string, readonly string[]>> = {
  ...{
    read_file: ["Read"],
    write_file: ["Write"],
    edit_file: ["Edit", "MultiEdit"],
    apply_patch: ["Edit", "MultiEdit"],
  },
  ...{ delete_file: ["Edit"], move_file: ["Edit"], rename_symbol: ["Edit"], search_text: ["Grep"] },
  ...{ find_files: ["Glob"], list_files: ["LS", "Glob"], run_command: ["Bash"], fetch_url: ["WebFetch"] },
  ...{
    read_output: ["BashOutput", "TaskOutput"],
    stop_command: ["KillShell", "TaskStop"],
    ask_user: ["AskUserQuestion"],
  },
  ...{ update_plan: ["TodoWrite"], delegate_to_agent: ["Task", "Agent"], spawn_agents: ["Task", "Agent"] },
  ...{ load_skill: ["Skill"], get_diagnostics: ["LSP"], find_symbols: ["LSP"], find_references: ["LSP"] },
};

/** The names that Claude Code has for a tool, the most usual first. `origin`: of a server's tool, as far as it is known. */
export function toolAliases(tool: string, origin?: ToolOrigin): readonly string[] {
  return claudeNames[tool] ?? mcpAliases({ name: tool, ...(origin && { origin }) });
}

/** Names that calls of Arbor's own tools have for hooks. */
export const callNames: readonly string[] = [
  ...[...editorToolNames, ...delegation, "load_skill"],
  ...Object.values(claudeNames).flat(),
];

/** The name for the tools that hand work to other agents. */
export const delegationNames: readonly string[] = delegation;

/** Tools that neither change nor run nor fetch anything. */
export const readingNames: readonly string[] = [...planToolNames, "load_skill"];

/** Names to offer. */
export const editorToolChoices: readonly string[] = [
  ...editorToolNames.filter((name) => name === listedName(name)),
  ...[...delegation, "load_skill"],
];

/** Names to compare a mistaken one with. */
export function knownToolNames(): string[] {
  return [...editorToolNames, ...delegation, "load_skill", ...Object.keys(otherNames)];
}

export interface ToolChoice {
  /** As Arbor's tools are named. */
  tools: readonly string[];
  /** Nothing here does the same. */
  isUnavailable?: true;
  /** What it said in brackets, like the commands of `Bash(git:*)`. */
  pattern?: string;
}

/**
 * What a name in a list of tools means; undefined for one that is unknown. Both edit tools are `edit_file`: which of them
 * an agent has, its model decides. A tool of a server is taken as it is: it is there as soon as the server is.
 */
export function toolsNamed(written: string): ToolChoice | undefined {
  const [, name = "", pattern] = /^([^()]+?)\s*(?:\(([^()]*)\))?$/.exec(written) ?? [];
  const patterned = pattern === undefined ? {} : { pattern };
  if (isEditorTool(name) || delegation.includes(name) || name === "load_skill") {
    return { tools: [listedName(name)], ...patterned };
  }
  const slash = name.lastIndexOf("/");
  // What precedes is a set of tools that another program has; any other name there is a server's.
  const isInSet = slash > 0 && toolsOf(name.slice(0, slash)) !== undefined;
  const known = toolsOf(name) ?? (isInSet ? toolsOf(name.slice(slash + 1)) : undefined);
  if (known !== undefined) return { tools: known, ...patterned, ...(known.length === 0 && { isUnavailable: true }) };
  return isServerToolName(name) ? { tools: [name] } : undefined;
}

/** As it is written or, where that is no name, whatever the case of its letters. */
function toolsOf(name: string): readonly string[] | undefined {
  if (Object.hasOwn(otherNames, name)) return otherNames[name];
  const lower = name.toLowerCase();
  const found = Object.keys(otherNames).find((other) => other.toLowerCase() === lower);
  return found === undefined ? undefined : otherNames[found];
}
