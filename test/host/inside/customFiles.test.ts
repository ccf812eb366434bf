import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { eventually } from "../eventually.ts";

describe("Custom files in the editor", () => {
  let root: string;
  const file = () => vscode.Uri.file(join(root, ".agents/agents/tester.md"));
  const write = (...fields: string[]) =>
    writeFile(file().fsPath, ["---", "description: Tests.", ...fields, "---", "Test it."].join("\n"));
  const problems = () =>
    vscode.languages.getDiagnostics(file()).map(({ range, message }) => `${range.start.line + 1} ${message}`);

  before(async () => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    await vscode.extensions.getExtension("arbor.arbor-agent")?.activate();
    await mkdir(dirname(file().fsPath), { recursive: true });
  });
  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(join(root, ".agents"), { recursive: true });
  });

  it("have their mistakes shown at their lines, with a fix that the editor can apply", async () => {
    await write("tools: [read_fil]");
    await eventually(async () => assert.deepEqual(problems(), ["3 There is no tool read_fil."]));
    const document = await vscode.workspace.openTextDocument(file());
    const [fix] = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      ...[document.uri, new vscode.Range(2, 8, 2, 8), vscode.CodeActionKind.QuickFix.value],
    );
    assert.equal(fix?.title, "Change to read_file");
    assert.ok(fix.edit && (await vscode.workspace.applyEdit(fix.edit)));
    assert.equal(document.lineAt(2).text, "tools: [read_file]");
    await eventually(async () => assert.deepEqual(problems(), []));
    await document.save();
  });

  it("have their fields completed and explained", async () => {
    await write("think");
    const document = await vscode.workspace.openTextDocument(file());
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      ...[document.uri, new vscode.Position(2, 5)],
    );
    assert.ok(list.items.some(({ insertText }) => insertText === "thinking: "));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      ...[document.uri, new vscode.Position(1, 3)],
    );
    const texts = hovers.flatMap(({ contents }) =>
      contents.map((each) => (typeof each === "string" ? each : each.value)),
    );
    assert.match(texts.join(), /When to use the agent/);
  });

  it("take their problems with them when they go", async () => {
    await write("tools: [nonsense]");
    await eventually(async () => assert.equal(problems().length, 1));
    await rm(file().fsPath);
    await eventually(async () => assert.deepEqual(problems(), []));
  });
});
