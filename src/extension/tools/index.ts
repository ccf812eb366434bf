import type { AgentTool } from "../../agent/vocabulary/tools.ts";
import { applyPatchTool } from "./applyPatch.ts";
import { askUserTool } from "./askUser.ts";
import { deleteFileTool } from "./deleteFile.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { editFileTool } from "./editFile.ts";
import type { EditorTool, ToolAccess } from "./editorTool.ts";
import { fetchUrlTool } from "./fetchUrl.ts";
import { findFilesTool } from "./findFiles.ts";
import { findReferencesTool } from "./findReferences.ts";
import { findSymbolsTool } from "./findSymbols.ts";
import { getDiagnosticsTool } from "./getDiagnostics.ts";
import { goToDefinitionTool } from "./goToDefinition.ts";
import { listFilesTool } from "./listFiles.ts";
import { moveFileTool } from "./moveFile.ts";
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

/** Those that only look at the workspace. */
const lookingTools = [
  ...[readFileTool, listFilesTool, findFilesTool, searchTextTool, getDiagnosticsTool],
  ...[findSymbolsTool, findReferencesTool, goToDefinitionTool],
];
/** Those that change it, but for the one that `editTool` chooses. */
const changingTools = [writeFileTool, deleteFileTool, moveFileTool, renameSymbolTool];
const commandTools = [runCommandTool, readOutputTool, stopCommandTool, fetchUrlTool];
const panelTools = [updatePlanTool, askUserTool];

/** All tools of the editor, also those that an agent does not have as things are. */
const definitions: readonly EditorTool[] = [
  ...lookingTools,
  ...[editFileTool, applyPatchTool],
  ...changingTools,
  ...commandTools,
  ...panelTools,
];

const byName = new Map(definitions.map((definition) => [definition.name, definition]));

/** Names of all tools of the editor. */
export const editorToolNames: readonly string[] = definitions.map(({ name }) => name);

/** Names of the tools that reach no further than these. */
function namesOf(...access: readonly ToolAccess[]): string[] {
  return definitions.filter((definition) => access.includes(definition.access)).map(({ name }) => name);
}

/** Tools that only look at the workspace. */
export const readOnlyToolNames: readonly string[] = namesOf("read");

/** Tools that neither change nor run nor fetch anything. */
export const planToolNames: readonly string[] = namesOf("read", "none");

export const editToolNames = [editFileTool.name, applyPatchTool.name] as const;

export function isEditorTool(name: string): boolean {
  return byName.has(name);
}

/** Whether a tool is the one that changes parts of files. */
export function isEditTool(name: string): boolean {
  return byName.get(name)?.kind === "edit";
}

/** Of the two edit tools an agent has one, which its model decides: in lists of tools both have this one's name. */
export function listedName(name: string): string {
  return isEditTool(name) ? editFileTool.name : name;
}

export function changesFiles(name: string): boolean {
  return byName.get(name)?.access === "write";
}

/** Whether a tool's results are what files hold. */
export function isReadTool(name: string): boolean {
  return byName.get(name)?.kind === "read";
}

/** The tool that changes parts of files. */
export function editTool(dependencies: ToolDependencies, patches: boolean): AgentTool {
  return patches ? applyPatchTool.create(dependencies) : editFileTool.create(dependencies);
}

/** The tools that work on the editor's workspace: those that only look, and all. */
export function editorTools(
  dependencies: ToolDependencies,
  { patches = false }: EditorToolOptions = {},
): { readOnly: AgentTool[]; all: AgentTool[] } {
  const { commands, panel: panelDependencies } = dependencies;
  const panel = panelDependencies === undefined ? [] : panelTools.map((tool) => tool.create(panelDependencies));
  const all: AgentTool[] = [
    ...lookingTools.map(created),
    editTool(dependencies, patches),
    ...changingTools.map(created),
    ...(commands === undefined ? [] : commandTools.map((tool) => tool.create(commands))),
    ...panel,
  ];
  return { readOnly: all.filter(({ name }) => readOnlyToolNames.includes(name)), all };

  function created(tool: EditorTool<[ToolDependencies]>): AgentTool {
    return tool.create(dependencies);
  }
}
