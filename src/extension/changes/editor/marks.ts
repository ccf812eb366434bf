import {
  ColorThemeKind,
  type DecorationOptions,
  Disposable,
  l10n,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextDocument,
  type TextEditor,
  type TextEditorDecorationType,
  type ThemableDecorationRenderOptions,
  ThemeColor,
  type Uri,
  window,
} from "vscode";
import type { AppliedStore, ProposalStore } from "../changeStore.ts";
import type { WrittenFile } from "../model/change.ts";
import { type ShownApplied, shownApplied, shownHunks } from "../pendingHunks.ts";
import { appliedCommands } from "./commandNames.ts";

/** Marks the lines of pending hunks in every editor that shows them; the removed lines are in the hover. */
export function markWrittenLines(store: AppliedStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  let types = decorationTypes();

  const mark = (editors: readonly TextEditor[]) => {
    for (const editor of editors) {
      const { document } = editor;
      const path = pathOf(document.uri);
      const file = path === undefined ? undefined : store.find(path);
      const shown = file === undefined ? [] : shownApplied(file);
      const isWritten = ({ place }: ShownApplied) => place.end > place.start;
      const options = (list: ShownApplied[]) => list.map((each) => optionsOf(each, file, document));
      editor.setDecorations(types.written, options(shown.filter(isWritten)));
      editor.setDecorations(types.removed, options(shown.filter((each) => !isWritten(each))));
    }
  };
  const dispose = () => {
    types.written.dispose();
    types.removed.dispose();
  };
  return Disposable.from(
    store.onDidChange(() => mark(window.visibleTextEditors)),
    window.onDidChangeVisibleTextEditors(mark),
    window.onDidChangeActiveColorTheme(() => {
      dispose();
      types = decorationTypes();
      mark(window.visibleTextEditors);
    }),
    { dispose },
  );
}

function optionsOf(shown: ShownApplied, file: WrittenFile | undefined, document: TextDocument): DecorationOptions {
  const { start, end } = shown.place;
  const range = document.validateRange(new Range(start, 0, Math.max(end - 1, start), 1e6));
  return { range, hoverMessage: hover(shown, file?.languageId ?? "") };
}

/** Who wrote it, what stood there, and the answers. */
function hover({ id, hunk, agents, count, isUndoable }: ShownApplied, languageId: string): MarkdownString {
  const text = new MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.values(appliedCommands) };
  text.appendMarkdown("$(hubot) ").appendText(`${agents}: ${count}`).appendMarkdown("\n\n");
  const removed = hunk.hunk.oldLines;
  if (removed.length > 0)
    text.appendMarkdown(`${l10n.t("Removed:")}\n`).appendCodeblock(removed.join("\n"), languageId);
  const target = encodeURIComponent(JSON.stringify([id]));
  const undo = isUndoable
    ? `[${l10n.t("$(discard) Undo")}](command:${appliedCommands.undo}?${target})`
    : l10n.t("$(warning) Its lines have changed since, so that it can't be undone by itself.");
  return text.appendMarkdown(`[${l10n.t("$(check) Keep")}](command:${appliedCommands.keep}?${target}) · ${undo}`);
}

function decorationTypes(): { written: TextEditorDecorationType; removed: TextEditorDecorationType } {
  const written = window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor("editorOverviewRuler.addedForeground"),
    overviewRulerLane: OverviewRulerLane.Left,
    ...lineStyle("inserted"),
  });
  const removed = window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: OverviewRulerLane.Left,
    borderStyle: "dashed none none none",
    borderWidth: "1px",
    borderColor: new ThemeColor("editorGutter.deletedBackground"),
  });
  return { written, removed };
}

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

/**
 * How whole lines are marked: by the theme's background, or in a high contrast theme, where that is invisible and a
 * border is not in the way, by a dashed border.
 */
function lineStyle(kind: "inserted" | "removed"): ThemableDecorationRenderOptions {
  const theme = window.activeColorTheme.kind;
  const isHighContrast = theme === ColorThemeKind.HighContrast || theme === ColorThemeKind.HighContrastLight;
  return isHighContrast
    ? { border: "1px dashed", borderColor: new ThemeColor(`diffEditor.${kind}TextBorder`) }
    : { backgroundColor: new ThemeColor(`diffEditor.${kind}LineBackground`) };
}
