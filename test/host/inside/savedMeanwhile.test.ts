import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../../src/extension/common/userError.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";

const rounds = 40;
/** The save comes between 0 and so many ms after the write has begun, a bit later in each round. */
const latestSaveMs = 180;
const maxLooks = 40;
const unseenRounds = 15;
const exact = "one  \ntwo\nthree  \n";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Removes blanks at the ends of lines, as many formatters do. */
function trimmed(document: vscode.TextDocument): vscode.TextEdit[] {
  return Array.from({ length: document.lineCount }, (_, index) => document.lineAt(index)).flatMap(({ text, range }) => {
    const length = text.trimEnd().length;
    return length < text.length ? [vscode.TextEdit.delete(range.with(range.start.translate(0, length)))] : [];
  });
}

/** What editor and disk have when they agree, or still after a while. */
async function atRest(document: vscode.TextDocument) {
  for (let look = 1; ; look++) {
    const end = {
      isDirty: document.isDirty,
      shown: document.getText(),
      disk: await readFile(document.uri.fsPath, "utf8"),
    };
    if ((!end.isDirty && end.shown === end.disk) || look === maxLooks) return end;
    await pause(50);
  }
}

describe("An exact text that is written while the user saves, with a formatter", () => {
  const signal = new AbortController().signal;
  const settings = () => vscode.workspace.getConfiguration("editor");
  let workspace: ReturnType<typeof vscodeWorkspace>;
  let root: string;
  let scratch: string;
  let formatter: vscode.Disposable;

  before(async () => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
    scratch = (await mkdtemp(join(root, "scratch-"))).slice(root.length + 1);
    formatter = vscode.languages.registerDocumentFormattingEditProvider("plaintext", {
      provideDocumentFormattingEdits: trimmed,
    });
    await settings().update("formatOnSave", true, vscode.ConfigurationTarget.Global);
  });
  after(async () => {
    await settings().update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
    formatter.dispose();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    workspace.dispose();
    await rm(join(root, scratch), { recursive: true });
  });

  /** The faults of rounds in which the user saves when `untilSave` resolves. */
  async function faultsOf(name: string, rounds: number, untilSave: (file: string, round: number) => Promise<unknown>) {
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const path = `${scratch}/${name}-${round}.txt`;
      const file = join(root, path);
      await writeFile(file, "one\nTWO\nthree\n");
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
      const content = await workspace.read(path, signal);
      assert.equal(content.kind, "text");
      const replacements = [{ start: 0, end: 14, text: exact }];
      const version = content.kind === "text" ? content.version : "";
      const writing = workspace.replace(path, replacements, version, { isExact: true });
      await untilSave(file, round);
      await vscode.commands.executeCommand("workbench.action.files.save");
      // It may refuse, when the user's save has changed the text first.
      await writing.catch((error: unknown) => assert.ok(error instanceof UserError, String(error)));
      const first = await atRest(document);
      // What is marked as unsaved is saved by its user once more.
      if (first.isDirty) await vscode.commands.executeCommand("workbench.action.files.save");
      const end = first.isDirty ? await atRest(document) : first;
      if (end.isDirty || end.shown !== end.disk || (name === "unseen" && first.isDirty))
        faults.push(`${round}: ${JSON.stringify(end)}`);
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    return faults;
  }

  it("is on disk what its editor shows, whenever the save comes", async () => {
    const faults = await faultsOf("any", rounds, (_file, round) => pause((round * latestSaveMs) / rounds));
    assert.deepEqual(faults, []);
  }).timeout(rounds * 10_000);

  it("is on disk what its editor shows, and saved, when the save comes before the editor has seen the file", async () => {
    const faults = await faultsOf("unseen", unseenRounds, async (file, round) => {
      for (let look = 0; look < maxLooks && (await readFile(file, "utf8")) !== exact; look++) await pause(5);
      await pause(round);
    });
    assert.deepEqual(faults, []);
  }).timeout(unseenRounds * 10_000);

  it("keeps what the user types while it is saved", async () => {
    const path = `${scratch}/typed.txt`;
    const file = join(root, path);
    await writeFile(file, "one\nTWO\nthree\n");
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    const content = await workspace.read(path, signal);
    assert.equal(content.kind, "text");
    const version = content.kind === "text" ? content.version : "";
    let isTyped = false;
    const saving = vscode.workspace.onWillSaveTextDocument((save) => {
      if (save.document !== document || isTyped) return;
      isTyped = true;
      save.waitUntil(Promise.resolve(vscode.commands.executeCommand("type", { text: "typed" })));
    });
    try {
      await workspace.replace(path, [{ start: 0, end: 14, text: exact }], version, { isExact: true });
    } finally {
      saving.dispose();
    }
    const end = await atRest(document);
    assert.match(end.shown, /typed/);
    await document.save();
    assert.match(await readFile(file, "utf8"), /typed/);
  });
});
