import type { AgentTool } from "../../agent/vocabulary/tools.ts";
import { applyPatchTool } from "./applyPatch.ts";
import { askUserTool } from "./askUser.ts";
import type { CommandDependencies } from "./commandDependencies.ts";
import { deleteFileTool } from "./deleteFile.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { editFileTool } from "./editFile.ts";
import { fetchUrlTool } from "./fetchUrl.ts";
import { findFilesTool } from "./findFiles.ts";
import { findReferencesTool } from "./findReferences.ts";
import { findSymbolsTool } from "./findSymbols.ts";
import { getDiagnosticsTool } from "./getDiagnostics.ts";
import { goToDefinitionTool } from "./goToDefinition.ts";
import { listFilesTool } from "./listFiles.ts";
import { moveFileTool } from "./moveFile.ts";
import type { PanelDependencies } from "./panelDependencies.ts";
import { readFileTool } from "./readFile.ts";
import { readOutputTool } from "./readOutput.ts";
import { renameSymbolTool } from "./renameSymbol.ts";
import { runCommandTool } from "./runCommand.ts";
import { searchTextTool } from "./searchText.ts";
import { stopCommandTool } from "./stopCommand.ts";
import { updatePlanTool } from "./updatePlan.ts";
import { writeFileTool } from "./writeFile.ts";

export type { ToolDependencies } from "./dependencies.ts";
export { createReadVersions, type ReadVersions } from "./readVersions.ts";
export { type SecretReadRules, SecretReads } from "./secretReads.ts";

interface EditorToolOptions {
  /** Patches in place of text replacements, for models that are trained on them. Default: false. */
  patches?: boolean;
}

export const editToolNames = ["edit_file", "apply_patch"] as const;

/** What only looks at the workspace. */
export const readOnlyToolNames = [
  "read_file",
  "list_files",
  "find_files",
  "search_text",
  "get_diagnostics",
  "find_symbols",
  "find_references",
  "go_to_definition",
] as const;

/** All tools of the editor, also those that an agent does not have as things are. */
const toolNames: readonly string[] = [
  ...readOnlyToolNames,
  ...editToolNames,
  ...["write_file", "delete_file", "move_file", "rename_symbol"],
  ...["run_command", "read_output", "stop_command", "fetch_url"],
  ...["update_plan", "ask_user"],
];

export function isEditorTool(name: string): boolean {
  return toolNames.includes(name);
}

export function isEditTool(name: string): boolean {
  return editToolNames.some((known) => known === name);
}

/** The tool that changes parts of files. */
export function editTool(dependencies: ToolDependencies, patches: boolean): AgentTool {
  return patches ? applyPatchTool(dependencies) : editFileTool(dependencies);
}

/** The tools that work on the editor's workspace: those that only look, those that only talk to the user, and all. */
export function editorTools(
  dependencies: ToolDependencies,
  { patches = false }: EditorToolOptions = {},
): { readOnly: AgentTool[]; panel: AgentTool[]; all: AgentTool[] } {
  const readOnly: AgentTool[] = [
    readFileTool(dependencies),
    listFilesTool(dependencies),
    findFilesTool(dependencies),
    searchTextTool(dependencies),
    getDiagnosticsTool(dependencies),
    findSymbolsTool(dependencies),
    findReferencesTool(dependencies),
    goToDefinitionTool(dependencies),
  ];
  const edits: AgentTool[] = [
    editTool(dependencies, patches),
    writeFileTool(dependencies),
    deleteFileTool(dependencies),
    moveFileTool(dependencies),
    renameSymbolTool(dependencies),
  ];
  const commands = dependencies.commands === undefined ? [] : commandTools(dependencies.commands);
  const panel = dependencies.panel === undefined ? [] : panelTools(dependencies.panel);
  return { readOnly, panel, all: [...readOnly, ...edits, ...commands, ...panel] };
}

/** What the user sees and answers in the panel. */
function panelTools(dependencies: PanelDependencies): AgentTool[] {
  return [updatePlanTool(dependencies), askUserTool(dependencies)];
}

/** What reaches beyond the workspace, so that each use is asked for. */
function commandTools(dependencies: CommandDependencies): AgentTool[] {
  return [
    runCommandTool(dependencies),
    readOutputTool(dependencies),
    stopCommandTool(dependencies),
    fetchUrlTool(dependencies),
  ];
}
