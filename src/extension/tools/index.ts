import type { AgentTool } from "../../agent/tools.ts";
import { applyPatchTool } from "./applyPatch.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { editFileTool } from "./editFile.ts";
import { findFilesTool } from "./findFiles.ts";
import { getDiagnosticsTool } from "./getDiagnostics.ts";
import { listFilesTool } from "./listFiles.ts";
import { readFileTool } from "./readFile.ts";
import { searchTextTool } from "./searchText.ts";
import { writeFileTool } from "./writeFile.ts";

export type { ToolDependencies } from "./dependencies.ts";
export { createReadVersions, type ReadVersions } from "./readVersions.ts";

interface EditorToolOptions {
  /** Patches in place of text replacements, for models that are trained on them. Default: false. */
  patches?: boolean;
}

/** The tools that work on the editor's workspace: those that only look, and all of them. */
export function editorTools(
  dependencies: ToolDependencies,
  { patches = false }: EditorToolOptions = {},
): { readOnly: AgentTool[]; all: AgentTool[] } {
  const readOnly: AgentTool[] = [
    readFileTool(dependencies),
    listFilesTool(dependencies),
    findFilesTool(dependencies),
    searchTextTool(dependencies),
    getDiagnosticsTool(dependencies),
  ];
  const edit: AgentTool = patches ? applyPatchTool(dependencies) : editFileTool(dependencies);
  return { readOnly, all: [...readOnly, edit, writeFileTool(dependencies)] };
}
