import { Disposable, EventEmitter, type FileDecoration, l10n, ThemeColor, type Uri, window } from "vscode";
import type { AppliedStore } from "../changeStore.ts";
import { shownApplied } from "../pendingHunks.ts";

export interface BadgeDependencies {
  store: AppliedStore;
  uriOf(path: string): Uri;
  pathOf(uri: Uri): string | undefined;
}

/** How many hunks of a file are pending, beside its name. */
export function showFileBadges({ store, uriOf, pathOf }: BadgeDependencies): Disposable {
  const changed = new EventEmitter<Uri[]>();
  let counts = new Map<string, number>();
  const update = () => {
    const now = new Map(store.files.map((file) => [file.path, shownApplied(file).length]));
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
  return Disposable.from(changed, provider, store.onDidChange(update));
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
