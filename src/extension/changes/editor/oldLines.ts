import {
  Disposable,
  OverviewRulerLane,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  ThemeColor,
  type Uri,
  window,
} from "vscode";
import type { ProposalStore } from "../proposalStore.ts";
import { shownHunks } from "../shownHunks.ts";
import { lineStyle } from "./lineStyle.ts";

/** Marks the lines that pending hunks would replace, in every editor that shows them. */
export function markOldLines(store: ProposalStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  let decoration = oldLinesDecoration();

  const mark = (editors: readonly TextEditor[]) => {
    const shown = shownHunks(store.proposals).filter(({ hunk }) => !hunk.conflicted);
    for (const editor of editors) {
      const path = pathOf(editor.document.uri);
      const ranges = shown
        .filter(({ file, hunk }) => file.path === path && hunk.extent.end > hunk.extent.start)
        .map(({ hunk: { extent } }) => editor.document.validateRange(new Range(extent.start, 0, extent.end - 1, 1e6)));
      editor.setDecorations(decoration, ranges);
    }
  };

  const subscriptions = [
    store.onDidChange(() => mark(window.visibleTextEditors)),
    window.onDidChangeVisibleTextEditors(mark),
    window.onDidChangeActiveColorTheme(() => {
      decoration.dispose();
      decoration = oldLinesDecoration();
      mark(window.visibleTextEditors);
    }),
    { dispose: () => decoration.dispose() },
  ];
  return Disposable.from(...subscriptions);
}

function oldLinesDecoration(): TextEditorDecorationType {
  return window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: OverviewRulerLane.Full,
    ...lineStyle("removed"),
  });
}
