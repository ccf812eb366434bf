import {
  Disposable,
  EventEmitter,
  type FileDecoration,
  l10n,
  type SourceControl,
  scm,
  ThemeColor,
  type Uri,
  window,
  workspace,
} from "vscode";
import { shownWritten } from "../shownHunks.ts";
import { baselineUri } from "./baseDocuments.ts";
import type { LensDependencies } from "./lenses.ts";

/** How many hunks of a file are pending, beside its name. */
export function showFileBadges({ store, uriOf, pathOf }: LensDependencies): Disposable {
  const changed = new EventEmitter<Uri[]>();
  let counts = new Map<string, number>();
  const update = () => {
    const now = new Map(store.files.map((file) => [file.path, shownWritten(file).length]));
    const paths = [...new Set([...counts.keys(), ...now.keys()])];
    const different = paths.filter((path) => counts.get(path) !== now.get(path));
    counts = now;
    if (different.length > 0) changed.fire(different.map(uriOf));
  };
  const provider = window.registerFileDecorationProvider({
    onDidChangeFileDecorations: changed.event,
    provideFileDecoration: (uri) => {
      const path = counts.size === 0 ? undefined : pathOf(uri);
      const count = path === undefined ? 0 : (counts.get(path) ?? 0);
      return count === 0 ? undefined : badge(count);
    },
  });
  update();
  return Disposable.from(changed, provider, store.onDidChange(update, "files"));
}

function badge(count: number): FileDecoration {
  return {
    // The editor takes two characters at most.
    badge: count > 99 ? "9+" : String(count),
    tooltip: count === 1 ? l10n.t("1 agent edit to keep or undo") : l10n.t("{0} agent edits to keep or undo", count),
    color: new ThemeColor("charts.purple"),
    propagate: true,
  };
}

/**
 * The editor's own marks beside changed lines, with their peek. They need a source control; there is one per folder
 * that has something pending and none else, so that the view of source controls stays as the user knows it.
 */
export function showQuickDiff({ store, uriOf, pathOf }: LensDependencies): Disposable {
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
  return Disposable.from(store.onDidChange(update, "files"), {
    dispose: () => {
      for (const control of controls.values()) control.dispose();
    },
  });
}
