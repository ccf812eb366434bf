import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AgentEvent } from "../../../src/agent/index.ts";
import { tidyFile } from "../../../src/extension/changes/editor/tidyFile.ts";
import { tidyAfterRuns } from "../../../src/extension/changes/editor/tidyFiles.ts";
import { eventually } from "../eventually.ts";

const meta = (depth: number) => ({ id: `a${depth}`, prefix: "", depth });
const fileEdit = (path: string, accepted: number) => ({
  ...{ path, change: "update", accepted, rejected: 1 - accepted },
  ...{ added: accepted, removed: accepted },
});
/** As the agents of a chat emit them, as far as it is looked at. */
const edited = (path: string, depth = 1, accepted = 1) =>
  ({
    type: "tool_execution_end",
    ...{ agent: meta(depth), isError: false, result: { content: "", details: { files: [fileEdit(path, accepted)] } } },
  }) as unknown as AgentEvent;
const ended = (depth = 0) => ({ type: "agent_end", agent: meta(depth) }) as unknown as AgentEvent;

describe("Files that agents edited", () => {
  let root: string;
  const uriOf = (path: string) => vscode.Uri.file(join(root, path));
  const settings = { formatsFiles: true, organizesImports: false };
  const pending = new Set<string>();
  const tidied: string[] = [];
  /** Another one for each test: the editor may not know yet that it was written again. */
  let file = "";
  let count = 0;
  let formatter: vscode.Disposable;
  let observe: (event: AgentEvent) => void;

  before(() => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: "**/tidy-*.json" },
      { provideDocumentFormattingEdits: () => [vscode.TextEdit.replace(new vscode.Range(0, 0, 9, 0), "{ }\n")] },
    );
  });
  beforeEach(async () => {
    tidied.length = 0;
    file = `tidy-${++count}.json`;
    pending.clear();
    await writeFile(uriOf(file).fsPath, '{"a":1}');
    observe = tidyAfterRuns({
      ...{ settings: () => settings, hasPending: (path) => pending.has(path) },
      tidy: async (path) => {
        if ((await tidy(path)).length > 0) tidied.push(path);
      },
      reportFailure: (error) => assert.fail(String(error)),
    });
  });
  afterEach(() => rm(uriOf(file).fsPath));
  after(async () => {
    formatter.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
  const tidy = async (path: string, signal = new AbortController().signal, wanted = settings) => {
    const texts: string[] = [];
    const before = new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(path)));
    await tidyFile(uriOf(path), wanted, { text: before, signal, onTidied: (made) => void texts.push(made) });
    return texts;
  };
  const text = async () => new TextDecoder().decode(await vscode.workspace.fs.readFile(uriOf(file)));

  it("are formatted by the editor once the run of the chat has ended", async () => {
    observe(edited(file));
    observe(ended(1));
    observe(ended());
    await eventually(async () => assert.deepEqual(tidied, [file]));
    assert.notEqual(await text(), '{"a":1}');
  });

  it("have their imports organized before they are formatted, where that is wanted, and nothing in other files", async () => {
    const other = uriOf(`tidy-other-${count}.json`);
    await writeFile(other.fsPath, "{}");
    let inOther = false;
    const kind = vscode.CodeActionKind.SourceOrganizeImports;
    const organizer = vscode.languages.registerCodeActionsProvider(
      { pattern: `**/${file}` },
      {
        provideCodeActions(document) {
          const action = new vscode.CodeAction("Organize", kind.append("test"));
          action.edit = new vscode.WorkspaceEdit();
          action.edit.replace(document.uri, new vscode.Range(0, 0, 9, 0), '{"imports":1}');
          if (inOther) action.edit.insert(other, new vscode.Position(0, 0), "x");
          return [action];
        },
      },
      { providedCodeActionKinds: [kind] },
    );
    try {
      const only = { formatsFiles: false, organizesImports: true };
      assert.deepEqual(await tidy(file, undefined, { formatsFiles: true, organizesImports: true }), [
        ...['{"imports":1}', "{ }\n", "{ }\n"],
      ]);
      assert.equal(await text(), "{ }\n");
      assert.ok((await tidy(file, undefined, only)).includes('{"imports":1}'));
      assert.equal(await text(), '{"imports":1}');
      inOther = true;
      await writeFile(uriOf(file).fsPath, "{ }\n");
      await eventually(async () => {
        assert.equal((await vscode.workspace.openTextDocument(uriOf(file))).getText(), "{ }\n");
      });
      assert.deepEqual(await tidy(file, undefined, only), []);
      assert.equal(await text(), "{ }\n");
    } finally {
      organizer.dispose();
      await rm(other.fsPath);
    }
  });

  it("are neither formatted nor saved where the user types meanwhile", async () => {
    const document = await vscode.workspace.openTextDocument(uriOf(file));
    const typing = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: `**/${file}` },
      {
        async provideDocumentFormattingEdits() {
          const edit = new vscode.WorkspaceEdit();
          edit.insert(document.uri, new vscode.Position(0, 0), "typed");
          await vscode.workspace.applyEdit(edit);
          return [vscode.TextEdit.replace(new vscode.Range(0, 0, 9, 0), "{ }\n")];
        },
      },
    );
    try {
      assert.deepEqual(await tidy(file), []);
      assert.deepEqual([document.getText(), document.isDirty, await text()], ['typed{"a":1}', true, '{"a":1}']);
    } finally {
      typing.dispose();
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
  });

  it("are left alone when the user rejected the edits", async () => {
    const rejected = `tidy-rejected-${count}.json`;
    await writeFile(uriOf(rejected).fsPath, '{"a":1}');
    observe(edited(rejected, 1, 0));
    observe(edited(file));
    observe(ended());
    await eventually(async () => assert.deepEqual(tidied, [file]));
    await rm(uriOf(rejected).fsPath);
  });

  it("are left alone while something of them waits for an answer", async () => {
    pending.add(file);
    observe(edited(file));
    observe(ended());
    pending.clear();
    observe(ended());
    await eventually(async () => assert.deepEqual(tidied, [file]));
  });

  it("are left alone where their line ends are of several kinds, or the time is over", async () => {
    await writeFile(uriOf(file).fsPath, '{"a":1,\r\n"b":2\n}');
    assert.deepEqual(await tidy(file), []);
    const late = `tidy-late-${count}.json`;
    await writeFile(uriOf(late).fsPath, '{"a":1}');
    assert.deepEqual(await tidy(late, AbortSignal.abort()), []);
    assert.equal(await text(), '{"a":1,\r\n"b":2\n}');
    await rm(uriOf(late).fsPath);
  });
});
