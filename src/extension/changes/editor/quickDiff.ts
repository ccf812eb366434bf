import { Disposable, l10n, type SourceControl, scm, type Uri, workspace } from "vscode";
import type { AppliedStore } from "../changeStore.ts";
import { baselineUri } from "./baseDocuments.ts";

export interface QuickDiffDependencies {
  store: AppliedStore;
  uriOf(path: string): Uri;
  pathOf(uri: Uri): string | undefined;
}

/**
 * The editor's own marks beside changed lines, with their peek. They need a source control; there is one per folder
 * that has something pending and none else, so that the view of source controls stays as the user knows it.
 */
export function showQuickDiff({ store, uriOf, pathOf }: QuickDiffDependencies): Disposable {
  const controls = new Map<string, SourceControl>();
  const update = () => {
    const roots = new Map<string, Uri>();
    for (const { path } of store.files) {
      const root = workspace.getWorkspaceFolder(uriOf(path))?.uri;
      if (root !== undefined) roots.set(root.toString(), root);
    }
    for (const [key, control] of controls) {
      if (roots.has(key)) continue;
      control.dispose();
      controls.delete(key);
    }
    for (const [key, root] of roots) {
      if (controls.has(key)) continue;
      const control = scm.createSourceControl("arbor", l10n.t("Arbor: agent edits"), root);
      control.inputBox.visible = false;
      control.count = 0;
      control.quickDiffProvider = {
        provideOriginalResource: (uri) => {
          const path = pathOf(uri);
          return path !== undefined && store.find(path) !== undefined ? baselineUri(uri) : undefined;
        },
      };
      controls.set(key, control);
    }
  };
  update();
  return Disposable.from(store.onDidChange(update), {
    dispose: () => {
      for (const control of controls.values()) control.dispose();
    },
  });
}
