import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { ownIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { editorRoots } from "../workspace/editorRoots.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** Agents in worktrees: loaded when the first one is isolated, or when an editor has left some that was killed. */
export function createIsolation({ storage: { workspaceFolder }, reportFailure }: Host, { settings }: Models) {
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
