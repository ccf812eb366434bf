import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { isSensitiveEdit, type LocalFile, realRelative, secretFileAt } from "../approvals/editSensitivity.ts";
import type { PermissionRulesAccess } from "../approvals/permissionQueue.ts";
import type { RuleContext } from "../approvals/permissionRules.ts";
import { registerReview } from "../changes/registerReview.ts";
import { reviewModeOf } from "../changes/reviewByMode.ts";
import { ownIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import { AgentIgnore, agentWorkspace } from "../customization/agentIgnore.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { writeAllowRules } from "../settings/liveSettings.ts";
import { PausedCommands } from "../terminal/pausedCommands.ts";
import { chooseShell } from "../terminal/shell.ts";
import { editorRoots, resolveLexically } from "../workspace/editorRoots.ts";
import { vscodeWorkspace } from "../workspace/vscodeWorkspace.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** The workspace and the review of what agents change in it. */
export function createEditing(host: Host, models: Models) {
  const { context, own, warn, reportFailure, storage, pathOf } = host;
  const { settings } = models;
  const isolation = createIsolation(host, models);
  const pausedCommands = new PausedCommands();
  const workspace = own(
    vscodeWorkspace({
      ripgrepPath: () => settings().ripgrepPath,
      ...{ warn, report: reportFailure },
      undisturbed: (use) => pausedCommands.during(use),
    }),
  );
  const rules = permissionRules(settings, isolation.storage, reportFailure);
  const review = own(
    registerReview({
      workspace,
      judge: rules.judge,
      mode: () => reviewModeOf(settings()),
      actions: () => settings().editActions,
      goesToNext: () => settings().goesToNextEdit,
      tidies: settings,
      isSensitive: (path) => isSensitiveEdit(path, localFile(path)),
      leadsTo: async (path) => {
        const real = await realPath(path);
        return real === path ? undefined : real;
      },
      storageFolder: storage.windowFolder,
      workspaceFolder: storage.workspaceFolder,
      exclusively: storage.exclusively,
      warn,
      // The paths are those of proposals, which the tools have judged already.
      uriOf: (path) => resolveLexically(path).uri,
      pathOf,
      extensionUri: context.extensionUri,
      showError: reportFailure,
    }),
  );
  const agentIgnore = new AgentIgnore({ workspace, realPath });
  return {
    /** As agents see it. */
    workspace: agentWorkspace(workspace, agentIgnore),
    /** As it is: a rewind brings back whatever a command changed. */
    allFiles: workspace,
    agentIgnore,
    review,
    rules,
    isolation,
    pausedCommands,
    secretFileAt: (path: string) => secretFileAt(path, localFile(path)),
  };
}

export type Editing = ReturnType<typeof createEditing>;

/** As the workspace names it. */
async function realPath(path: string): Promise<string | undefined> {
  const { relative } = resolveLexically(path);
  const local = localFile(path);
  if (local === undefined) return undefined;
  return path.slice(0, path.length - relative.length) + (await realRelative(local)).replaceAll("\\", "/");
}

function localFile(path: string): LocalFile | undefined {
  const { root, relative } = resolveLexically(path);
  return root.uri.scheme === "file" ? { root: root.uri.fsPath, relative } : undefined;
}

/** The rules of the settings as they are now. What judges by them is loaded with the first request. */
function permissionRules(
  settings: Models["settings"],
  /** Where agents work that do not work in the workspace. */
  worktrees: string,
  reportFailure: Host["reportFailure"],
): PermissionRulesAccess {
  const context = (): RuleContext => {
    const { kind } = chooseShell({ platform: process.platform, preferred: process.env.SHELL });
    const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    return { rules: settings().permissionRules, roots, worktrees, shell: kind === "sh" ? "bash" : kind };
  };
  return {
    judge: async (request) => (await import("../approvals/permissionRules.ts")).judgeRequest(request, context()),
    offer: async (request) => (await import("../approvals/permissionRules.ts")).rulesToOffer(request, context()),
    // The command may run all the same: the answer was given. That it will be asked again is said.
    add: (rules) => writeAllowRules(rules).catch(reportFailure),
  };
}

/** Agents in worktrees: loaded when the first one is isolated, or when an editor has left some that was killed. */
function createIsolation({ storage: { workspaceFolder }, reportFailure }: Host, { settings }: Models) {
  const storage = join(workspaceFolder, "worktrees");
  let loaded: Promise<Isolation> | undefined;
  const load = () => {
    loaded ??= import("../isolation/isolation.ts").then(
      ({ Isolation }) =>
        new Isolation({
          ...{ storage, owner: ownIdentity, folder: isolatedFolder },
          ignoredFiles: () => settings().isolatedFiles,
        }),
    );
    return loaded;
  };
  if (existsSync(storage)) load().then((isolation) => isolation.ready(), reportFailure);
  const cleanUp = async () => {
    const removed = await (await load()).cleanUp();
    void vscode.window.showInformationMessage(
      removed === 0
        ? vscode.l10n.t("There is no worktree that no agent works in.")
        : vscode.l10n.t("Worktrees removed: {0}", removed),
    );
  };
  return { load, storage, cleanUp };
}

function isolatedFolder(): string {
  const [only, ...others] = editorRoots();
  if (only?.uri.scheme === "file" && others.length === 0) return only.uri.fsPath;
  throw new UserError(
    vscode.l10n.t("An agent can work in a worktree of its own where one folder of this machine is open, not several."),
    'An agent can be isolated only where one folder of this machine is open. Give the task with isolation "shared".',
  );
}
