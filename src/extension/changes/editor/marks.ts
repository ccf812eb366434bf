import {
  ColorThemeKind,
  type DecorationOptions,
  Disposable,
  l10n,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextEditor,
  type ThemableDecorationRenderOptions,
  ThemeColor,
  type Uri,
  window,
} from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import { type ShownHunk, type ShownWritten, shownIn } from "../shownHunks.ts";
import { writtenCommands } from "./commandNames.ts";

/**
 * Marks the lines of hunks that wait, in every editor that shows them: those that a proposal would replace, and those
 * that were written, with the lines they removed in the hover.
 */
export function markLines(store: ChangeStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  let types = decorationTypes();

  const mark = (editors: readonly TextEditor[]) => {
    for (const editor of editors) {
      const path = pathOf(editor.document.uri);
      const shown = path === undefined ? [] : shownIn(store, path);
      const rangeOf = ({ range: { start, end } }: ShownHunk) =>
        editor.document.validateRange(new Range(start, 0, Math.max(end - 1, start), 1e6));
      const options = (each: ShownWritten): DecorationOptions => ({ range: rangeOf(each), hoverMessage: hover(each) });
      const old = shown.filter((each) => each.state === "proposed" && hasLines(each));
      const written = shown.filter(isWritten);
      editor.setDecorations(types.old, old.map(rangeOf));
      editor.setDecorations(types.written, written.filter(hasLines).map(options));
      editor.setDecorations(types.removed, written.filter((each) => !hasLines(each)).map(options));
    }
  };
  const dispose = () => {
    for (const type of Object.values(types)) type.dispose();
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

function isWritten(shown: ShownHunk): shown is ShownWritten {
  return shown.state === "written" || shown.state === "overwritten";
}

function hasLines({ range }: ShownHunk): boolean {
  return range.end > range.start;
}

/** Who wrote it, what was there before, and the answers. */
function hover({ id, hunk, agents, count, state, languageId }: ShownWritten): MarkdownString {
  const text = new MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.values(writtenCommands) };
  text.appendMarkdown("$(hubot) ").appendText(`${agents}: ${count}`).appendMarkdown("\n\n");
  const removed = hunk.oldLines;
  if (removed.length > 0)
    text.appendMarkdown(`${l10n.t("Removed:")}\n`).appendCodeblock(removed.join("\n"), languageId);
  const target = encodeURIComponent(JSON.stringify([id]));
  const undo =
    state === "written"
      ? `[${l10n.t("$(discard) Undo")}](command:${writtenCommands.undo}?${target})`
      : l10n.t("$(warning) Its lines have changed since, so that it can't be undone by itself.");
  return text.appendMarkdown(`[${l10n.t("$(check) Keep")}](command:${writtenCommands.keep}?${target}) · ${undo}`);
}

function decorationTypes() {
  const old = window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: OverviewRulerLane.Full,
    ...lineStyle("removed"),
  });
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
  return { old, written, removed };
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
