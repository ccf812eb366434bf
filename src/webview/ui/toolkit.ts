import { provideVSCodeDesignSystem } from "@vscode/webview-ui-toolkit";
import { vsCodeButton } from "@vscode/webview-ui-toolkit/dist/button/index.js";
import { vsCodeTextArea } from "@vscode/webview-ui-toolkit/dist/text-area/index.js";

/** Defines the toolkit's elements that the first picture has. It reads the theme when the page loads, so this runs before that. */
export function defineToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeTextArea());
}
