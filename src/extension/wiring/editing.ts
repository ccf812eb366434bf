import { isSensitiveEdit, type LocalFile, secretFileAt } from "../approvals/editSensitivity.ts";
import { registerReview } from "../changes/registerReview.ts";
import { reviewModeOf } from "../changes/reviewByMode.ts";
import { resolveLexically } from "../workspace/editorRoots.ts";
import { vscodeWorkspace } from "../workspace/vscodeWorkspace.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** The workspace and the review of what agents change in it. */
export function createEditing({ context, own, warn, reportFailure, storage, pathOf }: Host, { settings }: Models) {
  const workspace = own(vscodeWorkspace({ ripgrepPath: () => settings().ripgrepPath, warn, report: reportFailure }));
  const review = own(
    registerReview({
      workspace,
      mode: () => reviewModeOf(settings()),
      actions: () => settings().editActions,
      isSensitive: (path) => isSensitiveEdit(path, localFile(path)),
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
  return { workspace, review, secretFileAt: (path: string) => secretFileAt(path, localFile(path)) };
}
export type Editing = ReturnType<typeof createEditing>;

function localFile(path: string): LocalFile | undefined {
  const { root, relative } = resolveLexically(path);
  return root.uri.scheme === "file" ? { root: root.uri.fsPath, relative } : undefined;
}
