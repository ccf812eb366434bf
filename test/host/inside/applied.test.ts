import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { baselineUri, provideBaseDocuments } from "../../../src/extension/changes/editor/diffDocuments.ts";
import { followDocuments, followRenames } from "../../../src/extension/changes/editor/followDocuments.ts";
import { imagedFiles } from "../../../src/extension/changes/editor/imagedFiles.ts";
import { showLenses } from "../../../src/extension/changes/editor/lenses.ts";
import type { EditProposal } from "../../../src/extension/changes/model/change.ts";
import { formatEdits } from "../../../src/extension/changes/model/schema.ts";
import { loadEdits, PendingEditsFile } from "../../../src/extension/changes/persistedEdits.ts";
import { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import { checkpointed } from "../../../src/extension/changes/reviewedWorkspace.ts";
import { Checkpoints } from "../../../src/extension/changes/rewind/checkpoints.ts";
import { diskStorage } from "../../../src/extension/changes/rewind/storage.ts";
import { shownWritten } from "../../../src/extension/changes/shownHunks.ts";
import { WrittenReviews } from "../../../src/extension/changes/writtenReviews.ts";
import { resolveUri } from "../../../src/extension/workspace/editorRoots.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import { eventually } from "../eventually.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";

describe("Edits that are written first and reviewed afterwards", () => {
  let workspace: ReturnType<typeof vscodeWorkspace>;
  let root: string;
  let scratch: string;
  let store: ChangeStore;
  let reviews: WrittenReviews;
  let checkpoints: Checkpoints;
  let count = 0;
  const owned: { dispose(): void }[] = [];

  const pathOf = (uri: vscode.Uri) => resolveUri(uri)?.path;
  const uriOf = (path: string) => vscode.Uri.file(join(root, path));
  const onDisk = (path: string) => readFile(join(root, path));
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = queue.then(step);
    queue = done.catch(() => undefined);
    return done;
  };

  before(() => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  });
  after(() => workspace.dispose());

  beforeEach(async () => {
    scratch = (await mkdtemp(join(root, "scratch-"))).slice(root.length + 1);
    const storage = diskStorage(join(root, scratch, ".checkpoints"));
    checkpoints = new Checkpoints({ storage, files: imagedFiles(), warn: assert.fail });
    store = new ChangeStore();
    reviews = new WrittenReviews({
      store,
      workspace: checkpointed(workspace, checkpoints),
      inTurn,
      newId: () => `test-${++count}`,
    });
    const presented = { store, workspace, uriOf, pathOf };
    owned.push(
      followDocuments(store, [], pathOf),
      provideBaseDocuments(presented),
      showLenses(presented, () => "codeLens"),
    );
  });
  afterEach(async () => {
    for (const each of owned.splice(0)) each.dispose();
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(join(root, scratch), { recursive: true });
  });

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(join(root, scratch, name), content);
    return `${scratch}/${name}`;
  }
  const open = async (path: string) => (await vscode.window.showTextDocument(uriOf(path), { preview: false })).document;
  async function type(document: vscode.TextDocument, line: number, words: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line, 0), words);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }
  const proposal = (path: string, before: string | undefined, after: string | undefined): EditProposal => ({
    callId: "call",
    toolName: "edit_file",
    agent: { id: "edit", prefix: "edit", depth: 1 },
    agentPath: ["main", "edit"],
    changes: [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }],
  });
  const apply = (path: string, before: string | undefined, after: string | undefined) =>
    reviews.apply(
      proposal(path, before, after),
      { agentIds: ["main", "edit"], isPending: true },
      new AbortController().signal,
    );

  it("keeps what was typed above a pending hunk when the hunk is undone", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    await apply(path, text, text.replace("three", "3\n3.5"));
    assert.equal((await onDisk(path)).toString(), "one\ntwo\n3\n3.5\nfour\nfive\n");
    await type(document, 1, "typed\n");
    assert.equal(await reviews.undo({}), 0);
    assert.equal(document.getText(), "one\ntyped\ntwo\nthree\nfour\nfive\n");
    assert.equal((await onDisk(path)).toString(), "one\ntwo\n3\n3.5\nfour\nfive\n", "it was unsaved and stays so");
    assert.deepEqual(store.files, []);
  });

  it("30 is one undo step for an edit, and one for taking all of its hunks back", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    const written = text.replace("one", "1").replace("three\nfour", "threes\nfours");
    await apply(path, text, written);
    const shown = () => shownWritten(store.find(path) ?? assert.fail()).length;
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), text);
    assert.equal(shown(), 0, "nothing is left to decide");
    await vscode.commands.executeCommand("redo");
    assert.equal(document.getText(), written);
    assert.equal(shown(), 2);
    await reviews.undo({});
    assert.equal(document.getText(), text);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), written);
  });

  it("brings a deleted file back byte for byte, with its mode", async () => {
    const bytes = Buffer.from("\uFEFFone\r\ntwo\n\n  ", "utf16le");
    const path = await file("a.txt", bytes);
    await chmod(join(root, path), 0o750);
    await apply(path, "one\r\ntwo\n\n  ", undefined);
    await assert.rejects(onDisk(path));
    // Also after the window was opened again.
    const { files } = await loadEdits(formatEdits(store.files), async () => undefined);
    for (const each of files) store.put(each);
    assert.equal(await reviews.undo({}), 0);
    assert.deepEqual(await onDisk(path), bytes);
    assert.equal((await stat(join(root, path))).mode & 0o777, 0o750);
  });

  it("takes pending hunks up again in a new window, also in a file with unsaved text", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    await type(document, 0, "typed\n");
    await apply(path, `typed\n${text}`, `typed\n${text.replace("two", "2")}`);
    let json: string | undefined;
    const windowWith = (pending: ChangeStore) =>
      new PendingEditsFile({
        store: pending,
        saved: {
          read: async () => json,
          write: async (written) => {
            json = written;
          },
          setAside: () => assert.fail("it can be read"),
        },
        currentTextOf: async () => document.getText(),
        onDropped: () => assert.fail("every hunk is there"),
        onError: (error) => assert.ifError(error),
        typingRestsMs: 0,
      });
    const first = windowWith(store);
    owned.push(await first.load());
    await apply(path, document.getText(), document.getText().replace("four", "4"));
    await first.flush();
    await type(document, 0, "more\n");

    const reloaded = new ChangeStore();
    owned.push(await windowWith(reloaded).load(), followDocuments(reloaded, [], pathOf));
    const second = new WrittenReviews({ store: reloaded, workspace, inTurn, newId: () => "second" });
    await type(document, 0, "again\n");
    assert.equal(await second.undo({}), 0);
    assert.equal(document.getText(), `again\nmore\ntyped\n${text}`);
  });

  it("keeps unsaved text through an edit elsewhere in the file, written at once or accepted", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    await type(document, 0, "unsaved\n");
    await apply(path, text, text.replace("four", "4"));
    assert.equal(document.getText(), `unsaved\n${text.replace("four", "4")}`);

    const proposals = new ChangeStore();
    const asking = new ProposalReviews({ store: proposals, workspace, isOpen: () => true, newId: () => "p" });
    const current = document.getText();
    const waiting = asking
      .reviewFor(() => {})
      .review(proposal(path, current, current.replace("two", "2")), new AbortController().signal);
    await eventually(async () => assert.equal(proposals.proposals.length, 1));
    await asking.accept({});
    assert.equal((await waiting).files[0]?.saved, false);
    assert.equal(document.getText(), "unsaved\none\n2\nthree\n4\nfive\n");
    assert.ok(document.isDirty);
    assert.equal((await onDisk(path)).toString(), text);
  });

  it("follows a file that the user renames, and one whose folder the user moves, but none that agents move", async () => {
    const [path, other] = [await file("a.txt", text), await file("b.txt", text)];
    owned.push(followRenames({ stores: [store], checkpoints, pathOf, showError: assert.ifError }));
    checkpoints.begin("m");
    await apply(path, text, text.replace("two", "2"));
    await checkpointed(workspace, checkpoints).by?.(["main", "edit"]).move(other, `${scratch}/agents.txt`);
    const rename = async (from: string, to: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(uriOf(from), uriOf(`${scratch}/${to}`));
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    await rename(path, "inner/c.txt");
    await rename(`${scratch}/inner`, "outer");
    const moved = `${scratch}/outer/c.txt`;
    await eventually(async () =>
      assert.deepEqual(
        store.files.map((each) => each.path),
        [moved],
      ),
    );
    await checkpoints.undoBranch("edit", "r");
    assert.equal((await onDisk(moved)).toString(), text);
    assert.equal((await onDisk(other)).toString(), text);
    await assert.rejects(onDisk(path));
  });

  it("shows a row of answers above each hunk, and compares with the text without what is pending", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    await apply(path, text, text.replace("three", "3"));
    await type(document, 0, "typed\n");
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      document.uri,
    );
    const rows = lenses.map((lens) => [lens.range.start.line, lens.command?.title]);
    assert.deepEqual(rows, [
      [3, "$(check) Keep (+1 −1)"],
      [3, "$(discard) Undo"],
      [3, "$(hubot) main › edit"],
    ]);
    const baseline = await vscode.workspace.openTextDocument(baselineUri(document.uri));
    assert.equal(baseline.getText(), `typed\n${text}`);
    await reviews.keep({});
    await eventually(async () => assert.equal(baseline.getText(), `typed\n${text.replace("three", "3")}`));
  });

  it("rewinds files byte for byte, open, unsaved, added and deleted ones, and undoes that", async () => {
    const utf16 = Buffer.from("\uFEFFeins\r\nzwei\r\n", "utf16le");
    const [plain, wide, gone] = [
      await file("a.txt", "one\r\ntwo\nthree"),
      await file("w.txt", utf16),
      await file("gone.txt", text),
    ];
    const added = `${scratch}/deep/new.txt`;
    const unsaved = await file("u.txt", text);
    const shown = await open(plain);
    const dirty = await open(unsaved);
    await type(dirty, 0, "typed\n");
    checkpoints.begin("first");
    await apply(plain, "one\r\ntwo\nthree", "one\r\n2\nthree");
    await apply(wide, "eins\r\nzwei\r\n", "eins\r\nzwo\r\n");
    checkpoints.begin("second");
    await apply(gone, text, undefined);
    await apply(added, undefined, "new\n");
    await apply(unsaved, `typed\n${text}`, `typed\n${text.replace("five", "5")}`);
    const state = async () => ({
      plain: await onDisk(plain),
      wide: await onDisk(wide),
      gone: await onDisk(gone).catch(() => "no file"),
      added: await onDisk(added).catch(() => "no file"),
      unsaved: [await onDisk(unsaved), dirty.getText(), dirty.isDirty],
    });
    const after = await state();

    await checkpoints.rewind("first", "r");
    assert.deepEqual(await state(), {
      plain: Buffer.from("one\r\ntwo\nthree"),
      wide: utf16,
      gone: Buffer.from(text),
      added: "no file",
      unsaved: [Buffer.from(text), `typed\n${text}`, true],
    });
    assert.equal(shown.isDirty, false);
    assert.deepEqual(shown.getText().split(/\r?\n/), ["one", "two", "three"]);
    await checkpoints.undoRewind("r");
    assert.deepEqual(await state(), after);
    assert.deepEqual(shown.getText().split(/\r?\n/), ["one", "2", "three"]);
  });

  it("rewinds an unsaved file that another program wrote meanwhile, and the editor still refuses to overwrite that", async () => {
    const path = await file("a.txt", text);
    const document = await open(path);
    const written = text.replace("three", "3");
    checkpoints.begin("first");
    await apply(path, text, written);
    await type(document, 0, "typed\n");
    await writeFile(join(root, path), `${written}other\n`);
    const later = new Date(Date.now() + 2_000);
    await utimes(join(root, path), later, later);

    const state = async () => [(await onDisk(path)).toString(), document.getText(), document.isDirty];
    await checkpoints.rewind("first", "r");
    assert.deepEqual(await state(), [`${text}other\n`, `typed\n${text}`, true]);
    await checkpoints.undoRewind("r");
    assert.deepEqual(await state(), [`${written}other\n`, `typed\n${written}`, true]);
    assert.equal(await document.save().then(undefined, () => false), false);
    assert.deepEqual(await state(), [`${written}other\n`, `typed\n${written}`, true]);
  });
});
