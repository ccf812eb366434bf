import type * as vscode from "vscode";
import type { ThinkingLevel } from "../../agent/types.ts";
import type { PanelStatus } from "../../protocol/messages.ts";
import { describeModel, hasUsableModel, listModelChoices } from "../models/catalog.ts";
import type { Keys } from "../models/keys.ts";
import type { ArborSettings } from "../settings/settings.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { activeFile, countProblems } from "./editorContext.ts";

export interface StatusSources {
  settings(): ArborSettings;
  keys: Pick<Keys, "get">;
  workspace: Pick<Workspace, "roots">;
  thinking(): ThinkingLevel;
  pathOf(uri: vscode.Uri): string | undefined;
}

/** What can be said without asking for keys. */
export function firstStatus({ settings, workspace, thinking }: StatusSources): PanelStatus {
  return {
    model: describeModel(settings().model, settings()),
    models: [],
    needsSetup: false,
    folderOpen: workspace.roots().length > 0,
    problemCount: 0,
    mode: settings().permissionMode,
    thinking: thinking(),
  };
}

export async function readStatus(sources: StatusSources): Promise<PanelStatus> {
  const { settings, keys, pathOf } = sources;
  const file = activeFile(pathOf);
  return {
    ...firstStatus(sources),
    models: await listModelChoices(settings(), keys),
    needsSetup: !(await hasUsableModel(settings(), keys)),
    problemCount: countProblems(),
    ...(file !== undefined && { activeFile: file }),
  };
}
