import type { TextArea, TextField } from "@vscode/webview-ui-toolkit";

/** Names a text control: the toolkit writes a name of its own ("Text area") over ours when the element is connected. */
export function nameControl(element: TextArea | TextField | null, label: string): void {
  element?.setAttribute("aria-label", label);
}
