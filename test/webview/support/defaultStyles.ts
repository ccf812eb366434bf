/** What an editor's webview puts before the styles of an extension, in our words: the panel has to hold against it. */
export const defaultStyles = `
html { scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
body { margin: 0; padding: 0 20px; background-color: transparent; color: var(--vscode-editor-foreground);
  font-family: var(--vscode-font-family); font-weight: var(--vscode-font-weight); font-size: var(--vscode-font-size); }
img, video { max-width: 100%; max-height: 100%; }
a, a code { color: var(--vscode-textLink-foreground); }
code { font-family: var(--monaco-monospace-font); color: var(--vscode-textPreformat-foreground);
  background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
pre code { padding: 0; }
blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
::-webkit-scrollbar { width: 10px; height: 10px; }
::-webkit-scrollbar-thumb { background-color: var(--vscode-scrollbarSlider-background); }
`;
