/** Answers a test's calls over HTTP; its address is written to the file that ARBOR_OBSERVER names. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import * as vscode from "vscode";

/** Every change and save of the files that are followed, in their order. */
let entries = [];
let followed = new Set();

function record(kind, document, more = {}) {
  const { fsPath } = document.uri;
  if (document.uri.scheme !== "file" || !followed.has(fsPath)) return;
  entries.push({ kind, file: fsPath, at: Date.now(), text: document.getText(), isDirty: document.isDirty, ...more });
}

const historyReasons = {
  [vscode.TextDocumentChangeReason.Undo]: true,
  [vscode.TextDocumentChangeReason.Redo]: true,
};

function openDocument(file) {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === file);
}

/** What is typed while a document is saved leaves it unsaved, though the document says otherwise: its tab knows better. */
function isUnsaved({ isDirty, uri }) {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return isDirty || tabs.some((tab) => tab.isDirty && tab.input?.uri?.toString() === uri.toString());
}

/** The line that has the token, else the first. */
function lineWith(document, token) {
  const lines = document.getText().split(/\r\n|\n/);
  return Math.max(
    0,
    lines.findIndex((line) => line.includes(token)),
  );
}

const calls = {
  follow({ files }) {
    followed = new Set(files);
    entries = [];
  },
  entries: () => entries,
  /** All that changes while a round has not come to rest, in one answer: the entries hold each file's text each time. */
  look({ files }) {
    const count = (kind) => entries.filter((entry) => entry.kind === kind).length;
    const states = files.map((file) => calls.state({ file }));
    return { entries: entries.length, saving: count("saving"), saved: count("saved"), states };
  },
  /** Shows a file, with the focus in it. */
  async show({ file, token, column }) {
    const document = await vscode.workspace.openTextDocument(file);
    const line = token === undefined ? undefined : lineWith(document, token);
    const caret = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.window.showTextDocument(document, { ...caret, preview: false, viewColumn: column });
  },
  state({ file }) {
    const document = openDocument(file);
    return document === undefined ? {} : { text: document.getText(), isDirty: isUnsaved(document) };
  },
  async run({ command, args = [] }) {
    await vscode.commands.executeCommand(command, ...args);
  },
  async closeAll() {
    // Else the editor would ask whether to save.
    for (const document of vscode.workspace.textDocuments.filter(isUnsaved)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  },
  async configure({ settings }) {
    for (const [name, value] of Object.entries(settings)) {
      const configuration = vscode.workspace.getConfiguration();
      if (configuration.inspect(name)?.globalValue === value) continue;
      await configuration.update(name, value, vscode.ConfigurationTarget.Global);
    }
  },
};

async function answer(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { call, ...rest } = JSON.parse(Buffer.concat(chunks).toString());
  const result = await calls[call](rest);
  response.writeHead(200).end(JSON.stringify(result ?? null));
}

/** What was saved: the document may have gone on meanwhile, also where it says that it is not dirty. */
function onDisk({ uri }) {
  return uri.scheme === "file" ? readFileSync(uri.fsPath, "utf8") : undefined;
}

/** Takes away blanks at the ends of lines. */
function trimmed(document) {
  const edits = [];
  for (let index = 0; index < document.lineCount; index++) {
    const { text, range } = document.lineAt(index);
    const length = text.trimEnd().length;
    if (length < text.length) edits.push(vscode.TextEdit.delete(range.with(range.start.translate(0, length))));
  }
  return edits;
}

export function activate({ subscriptions }) {
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error?.stack ?? error)));
  });
  server.listen(0, "127.0.0.1", () => {
    if (process.env.ARBOR_OBSERVER) {
      writeFileSync(process.env.ARBOR_OBSERVER, `http://127.0.0.1:${server.address().port}`);
    }
  });
  subscriptions.push(
    { dispose: () => server.close() },
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
      if (contentChanges.length > 0) record("change", document, { isHistory: historyReasons[reason] === true });
    }),
    vscode.workspace.onWillSaveTextDocument(({ document, reason }) =>
      record("saving", document, { isManual: reason === vscode.TextDocumentSaveReason.Manual }),
    ),
    vscode.workspace.onDidSaveTextDocument((document) => record("saved", document, { disk: onDisk(document) })),
    vscode.languages.registerDocumentFormattingEditProvider("plaintext", { provideDocumentFormattingEdits: trimmed }),
  );
}
