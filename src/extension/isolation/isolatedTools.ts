import type { Model } from "../../agent/vocabulary/model.ts";
import type { AgentTool } from "../../agent/vocabulary/tools.ts";
import { realRelative } from "../approvals/editSensitivity.ts";
import type { EditReview, FileOutcome, ProposedChange } from "../changes/model/change.ts";
import { diffLines, replacementsBetween, wholeFile } from "../changes/model/diffLines.ts";
import { ToolError } from "../common/userError.ts";
import { AgentIgnore, agentWorkspace } from "../customization/agentIgnore.ts";
import type { OfferedTools } from "../customization/agents.ts";
import type { CommandDependencies } from "../tools/dependencies.ts";
import { createReadVersions, editorTools, type ToolDependencies } from "../tools/index.ts";
import { versionOf } from "../workspace/documents/version.ts";
import { folderWorkspace } from "../workspace/folderWorkspace.ts";
import { agentIgnoreFile } from "../workspace/search/ignoreRules.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What needs the editor, of which there is nothing in a worktree. */
const toolsOfTheEditor = new Set([
  ...["get_diagnostics", "find_symbols", "find_references", "go_to_definition", "rename_symbol"],
]);

interface IsolatedToolsParts {
  commands: CommandDependencies;
  /** What agents work with that are not isolated. */
  tools: ToolDependencies;
  usesPatches(model: Model | undefined): boolean;
  onWritten(paths: readonly string[]): void;
}

/** The tools of the editor on a folder of their own: the same ones, behind the same interface of the workspace. */
export function isolatedTools(
  folder: string,
  name: string,
  { commands, tools: users, usesPatches, onWritten }: IsolatedToolsParts,
): (model?: Model) => OfferedTools {
  const files = folderWorkspace(folder, name);
  const realPath = (path: string) => realRelative({ root: folder, relative: path });
  const workspace = agentWorkspace(files, new AgentIgnore({ workspace: files, realPath }));
  const { collisions: _, ...shared } = users;
  const own: ToolDependencies = {
    ...shared,
    ...{ workspace, commands, review: directReview({ workspace, realPath, onWritten }), reads: createReadVersions() },
  };
  const isThere = ({ name: tool }: AgentTool) => !toolsOfTheEditor.has(tool);
  return (model) => {
    const { readOnly, all } = editorTools(own, { patches: usesPatches(model) });
    return { readOnly: readOnly.filter(isThere), all: all.filter(isThere) };
  };
}

interface DirectReview {
  workspace: Workspace;
  realPath(path: string): Promise<string>;
  onWritten(paths: readonly string[]): void;
}

/** Writes at once and asks no question: for a workspace in which nothing is the user's. */
function directReview({ workspace, realPath, onWritten }: DirectReview): EditReview {
  return {
    review: async ({ changes }) => {
      const paths = changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
      for (const path of paths) {
        if (isUsers(path) || isUsers(await realPath(path))) throw refused(path);
      }
      const files: FileOutcome[] = [];
      for (const change of changes) files.push(await write(workspace, change));
      onWritten(paths);
      return { files };
    },
  };
}

/** Settings of git decide what runs, without a question; the other file, what agents see. */
function isUsers(path: string): boolean {
  const names = path.toLowerCase().split(/[\\/]/);
  return names.includes(".git") || names.at(-1) === agentIgnoreFile;
}

function refused(path: string): ToolError {
  return new ToolError(
    `${path} is not for isolated agents to change. Leave it, and say what the user should do to it.`,
  );
}

async function write(workspace: Workspace, { path, before, after, movedTo }: ProposedChange): Promise<FileOutcome> {
  const done = { path, saved: true, changedByUser: false };
  const accepted = (hunks: ReturnType<typeof diffLines>) => hunks.map((hunk) => ({ hunk, accepted: true }));
  if (movedTo !== undefined) {
    await workspace.move(path, movedTo);
    return { ...done, hunks: accepted([wholeFile("", "")]) };
  }
  if (after === undefined) {
    await workspace.remove(path);
    return { ...done, hunks: accepted([wholeFile(before ?? "", "")]) };
  }
  if (before === undefined) await workspace.create(path, after);
  else await workspace.replace(path, replacementsBetween(before, after), versionOf(before));
  return {
    ...done,
    text: after,
    hunks: accepted(before === undefined ? [wholeFile("", after)] : diffLines(before, after)),
  };
}
