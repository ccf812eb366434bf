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
import { type ChangedWords, changedWords } from "../model/changedWords.ts";
import type { ExactHunk } from "../model/diffLines.ts";
import { type ShownHunk, type ShownWritten, shownIn } from "../shownHunks.ts";
import { writtenCommands } from "./commandNames.ts";

/**
 * Marks the lines of hunks that wait, in every editor that shows them: those that a proposal would replace, and those
 * that were written, with the lines they removed in the hover.
 */
export function markLines(store: ChangeStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  let types = decorationTypes();
  /** Asked for with every key that is pressed in a file. */
  const known = new WeakMap<ExactHunk, ChangedWords>();
  const oldWords = (hunk: ExactHunk) => {
    const words = known.get(hunk) ?? changedWords(hunk.oldLines, hunk.newLines);
    known.set(hunk, words);
    return words.old;
  };

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
      const words = old.flatMap(({ hunk, range }) =>
        oldWords(hunk)
          .filter(({ line }) => textAt(editor, range.start + line) === hunk.oldLines[line])
          .map(({ line, start, end }) => new Range(range.start + line, start, range.start + line, end)),
      );
      editor.setDecorations(types.words, words);
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

function textAt({ document }: TextEditor, line: number): string | undefined {
  return line < document.lineCount ? document.lineAt(line).text : undefined;
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
      : l10n.t("$(warning) Can't be undone alone: its lines have changed since.");
  return text.appendMarkdown(`[${l10n.t("$(check) Keep")}](command:${writtenCommands.keep}?${target}) · ${undo}`);
}

function decorationTypes() {
  const old = window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: OverviewRulerLane.Full,
    ...lineStyle("removed"),
  });
  const words = window.createTextEditorDecorationType(
    isHighContrast()
      ? { textDecoration: "underline" }
      : { backgroundColor: new ThemeColor("diffEditor.removedTextBackground") },
  );
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
  return { old, words, written, removed };
}

/**
 * How whole lines are marked: by the theme's background, or in a high contrast theme, where that is invisible and a
 * border is not in the way, by a dashed border.
 */
function lineStyle(kind: "inserted" | "removed"): ThemableDecorationRenderOptions {
  return isHighContrast()
    ? { border: "1px dashed", borderColor: new ThemeColor(`diffEditor.${kind}TextBorder`) }
    : { backgroundColor: new ThemeColor(`diffEditor.${kind}LineBackground`) };
}

/** Themes of high contrast have no backgrounds for what is added and removed. */
export function isHighContrast(): boolean {
  const { kind } = window.activeColorTheme;
  return kind === ColorThemeKind.HighContrast || kind === ColorThemeKind.HighContrastLight;
}
