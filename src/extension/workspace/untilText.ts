import * as vscode from "vscode";

const longestWait = 3_000;

/** Waits until a document has this text, line ends aside; false when it has another one for too long. */
export async function untilText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const wanted = folded(text);
  const matches = () => !document.isDirty && folded(document.getText()) === wanted;
  if (matches()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), longestWait);
  const listener = vscode.workspace.onDidChangeTextDocument((change) => {
    if (change.document === document && matches()) resolve(true);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    listener.dispose();
  }
}

function folded(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
