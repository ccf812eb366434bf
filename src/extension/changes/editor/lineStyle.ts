import { ColorThemeKind, type ThemableDecorationRenderOptions, ThemeColor, window } from "vscode";

/**
 * How whole lines are marked: by the theme's background, or in a high contrast theme, where that is invisible and a
 * border is not in the way, by a dashed border.
 */
export function lineStyle(kind: "inserted" | "removed"): ThemableDecorationRenderOptions {
  const theme = window.activeColorTheme.kind;
  const isHighContrast = theme === ColorThemeKind.HighContrast || theme === ColorThemeKind.HighContrastLight;
  return isHighContrast
    ? { border: "1px dashed", borderColor: new ThemeColor(`diffEditor.${kind}TextBorder`) }
    : { backgroundColor: new ThemeColor(`diffEditor.${kind}LineBackground`) };
}
