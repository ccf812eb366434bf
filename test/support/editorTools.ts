import type { AgentTool } from "../../src/agent/vocabulary/tools.ts";
import { createReadVersions, editorTools, type ToolDependencies } from "../../src/extension/tools/index.ts";
import { type MemoryWorkspace, type MemoryWorkspaceOptions, memoryWorkspace } from "./memoryWorkspace.ts";
import { type ScriptedReview, type ScriptedReviewOptions, scriptedReview } from "./scriptedReview.ts";
import { runTool, type ToolRun, type ToolRunOptions } from "./toolContext.ts";

/** The editor's tools on a memory workspace with a user who answers as scripted. */
export interface ToolBench {
  workspace: MemoryWorkspace;
  review: ScriptedReview;
  dependencies: ToolDependencies;
  call(name: string, args: unknown, options?: ToolRunOptions): Promise<ToolRun>;
}

export function toolBench(options: MemoryWorkspaceOptions = {}, answers: ScriptedReviewOptions = {}): ToolBench {
  const workspace = memoryWorkspace(options);
  const review = scriptedReview(workspace, answers);
  const agentPath = (agentId: string) => (agentId === "main" ? ["main"] : ["main", agentId]);
  const dependencies = { workspace, review, reads: createReadVersions(), agentPath };
  const tools = new Map<string, AgentTool>(
    [...editorTools(dependencies).all, ...editorTools(dependencies, { patches: true }).all].map((tool) => [
      tool.name,
      tool,
    ]),
  );
  return {
    workspace,
    review,
    dependencies,
    call(name, args, runOptions) {
      const tool = tools.get(name);
      if (!tool) throw new Error(`There is no tool ${name}.`);
      return runTool(tool, args, runOptions);
    },
  };
}
