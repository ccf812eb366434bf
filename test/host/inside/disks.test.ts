import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { imagedFiles } from "../../../src/extension/changes/editor/imagedFiles.ts";
import type { UserError } from "../../../src/extension/common/userError.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import type { Workspace } from "../../../src/extension/workspace/workspace.ts";
import { allFaults, FailingFiles } from "../disks/failingFiles.ts";
import { mountSmallDisk, type SmallDisk } from "../disks/smallDisk.ts";
import { eventually } from "../eventually.ts";

const signal = new AbortController().signal;
const line = "0123456789abcde\n";

/** Opens one more folder and waits until the editor has done so. */
async function openFolder(uri: vscode.Uri, name: string): Promise<void> {
  await changeFolders(() => vscode.workspace.updateWorkspaceFolders(1, 0, { uri, name }));
}
const closeFolder = () => changeFolders(() => vscode.workspace.updateWorkspaceFolders(1, 1));

async function changeFolders(change: () => boolean): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const listener = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      listener.dispose();
      resolve();
    });
  });
  assert.ok(change());
  await changed;
}

async function typeAtStart(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

async function versionIn(workspace: Workspace, path: string): Promise<string> {
  const content = await workspace.read(path, signal);
  return content.kind === "text" ? content.version : assert.fail("it is a text");
}

const closeEditors = async () => {
  for (let left = vscode.window.tabGroups.all.length; left > 0 && vscode.window.activeTextEditor; left--) {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
};

describe("Writing where writing fails", () => {
  const problems: UserError[] = [];
  let workspace: ReturnType<typeof vscodeWorkspace>;

  before(() => {
    workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {}, report: (problem) => problems.push(problem) });
  });
  after(() => workspace.dispose());
  beforeEach(() => problems.splice(0));

  describe("on a full disk", () => {
    let folder: string;
    let disk: SmallDisk | undefined;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "arbor-disk-"));
      disk = mountSmallDisk(folder);
      await openFolder(vscode.Uri.file(folder), "disk");
    });
    after(async () => {
      await closeEditors();
      await closeFolder();
      disk?.unmount();
      await rm(folder, { recursive: true });
    });
    afterEach(() => disk?.empty());

    for (const isShown of [false, true]) {
      it(`leaves a file that an edit would make longer${isShown ? ", shown in an editor" : ""}, and says why`, async () => {
        if (!disk) return;
        const name = `long-${isShown}.txt`;
        const original = line.repeat(255);
        await writeFile(join(folder, name), original);
        const uri = vscode.Uri.file(join(folder, name));
        if (isShown) await vscode.window.showTextDocument(uri, { preview: false });
        await disk.fill();
        const insertion = [{ start: 0, end: 0, text: line.repeat(300) }];
        await assert.rejects(workspace.replace(`disk/${name}`, insertion), {
          message: `disk/${name} was not changed: the disk is full.`,
        });
        assert.equal(await readFile(join(folder, name), "utf8"), original);
        assert.ok(!vscode.workspace.textDocuments.some((document) => document.isDirty));
        await disk.empty();
        const { saved } = await workspace.replace(`disk/${name}`, insertion);
        assert.equal(saved, true);
        assert.equal(await readFile(join(folder, name), "utf8"), line.repeat(300) + original);
      });
    }

    it("puts the old bytes back when the room is gone by the time the editor saves", async () => {
      if (!disk) return;
      const original = line.repeat(255);
      await writeFile(join(folder, "late.txt"), original);
      const uri = vscode.Uri.file(join(folder, "late.txt"));
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      const filling = vscode.workspace.onWillSaveTextDocument((event) =>
        event.waitUntil(disk?.fill() ?? assert.fail()),
      );
      const longer = line.repeat(300) + original;
      try {
        const written = await workspace.replace("disk/late.txt", [{ start: 0, end: 0, text: line.repeat(300) }]);
        assert.deepEqual(written, { text: longer, saved: false });
      } finally {
        filling.dispose();
      }
      assert.equal(await readFile(uri.fsPath, "utf8"), original);
      assert.equal(document.getText(), longer);
      assert.deepEqual(
        problems.map(({ message }) => message),
        ["disk/late.txt could not be saved: the disk is full. The change is in the editor, unsaved."],
      );
      await disk.empty();
      // The editor does not take the restored file for a newer one.
      assert.equal(await document.save(), true);
      assert.equal(await readFile(uri.fsPath, "utf8"), longer);
    });

    it("creates no file at all, nor its folders, and creates it when there is room", async () => {
      if (!disk) return;
      await disk.fill();
      for (const path of ["disk/new.txt", "disk/deep/er/new.txt"]) {
        await assert.rejects(workspace.create(path, line), {
          message: `${path} could not be created: the disk is full.`,
        });
      }
      assert.deepEqual(
        (await readdir(folder)).filter((name) => /new|deep/.test(name)),
        [],
      );
      await disk.empty();
      await workspace.create("disk/deep/er/new.txt", line);
      assert.equal(await readFile(join(folder, "deep/er/new.txt"), "utf8"), line);
    });

    for (const isShown of [false, true]) {
      it(`leaves a file that a rewind would make longer${isShown ? ", shown in an editor" : ""}`, async () => {
        if (!disk) return;
        const path = `disk/rewound-${isShown}.txt`;
        const uri = vscode.Uri.file(join(folder, `rewound-${isShown}.txt`));
        const original = line.repeat(255);
        await writeFile(uri.fsPath, original);
        if (isShown) await vscode.window.showTextDocument(uri, { preview: false });
        const image = { bytes: Buffer.from(line.repeat(600)) };
        const current = await imagedFiles().take(path);
        await disk.fill();
        await assert.rejects(imagedFiles().putBack(path, image, current), {
          message: `${path} was not changed: the disk is full.`,
        });
        assert.equal(await readFile(uri.fsPath, "utf8"), original);
        const shown = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
        assert.deepEqual([shown?.getText() ?? original, shown?.isDirty ?? false], [original, false]);
        await disk.empty();
        await imagedFiles().putBack(path, image, current);
        assert.equal(await readFile(uri.fsPath, "utf8"), line.repeat(600));
      });
    }

    it("brings no part of a file back that a rewind has no room for, nor its folders", async () => {
      if (!disk) return;
      await disk.fill();
      for (const path of ["disk/back.txt", "disk/back/er/back.txt"]) {
        await assert.rejects(imagedFiles().putBack(path, { bytes: Buffer.from(line) }, {}), {
          message: `${path} could not be created: the disk is full.`,
        });
      }
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.startsWith("back")),
        [],
      );
      await disk.empty();
      await imagedFiles().putBack("disk/back/er/back.txt", { bytes: Buffer.from(line), mode: 0o600 }, {});
      assert.equal(await readFile(join(folder, "back/er/back.txt"), "utf8"), line);
    });
  });

  describe("on a read-only disk", () => {
    let folder: string;
    let disk: SmallDisk | undefined;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "arbor-disk-"));
      disk = mountSmallDisk(folder);
      await openFolder(vscode.Uri.file(folder), "disk");
    });
    after(async () => {
      await closeEditors();
      await closeFolder();
      disk?.unmount();
      await rm(folder, { recursive: true });
    });

    it("leaves files as they are, says so, and writes them once it can be written", async () => {
      if (!disk) return;
      const names = ["shown.txt", "closed.txt", "deleted.txt", "moved.txt", "code.ts", "rewound.txt", "unmade.txt"];
      for (const name of names) await writeFile(join(folder, name), line);
      const uri = vscode.Uri.file(join(folder, "shown.txt"));
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      const images = imagedFiles();
      const image = { bytes: Buffer.from(`${line}${line}`) };
      const [rewound, unmade] = [await images.take("disk/rewound.txt"), await images.take("disk/unmade.txt")];
      const insertion = [{ start: 0, end: 0, text: "first\n" }];
      const attempts: [what: string, attempt: () => Promise<unknown>][] = [
        ["disk/shown.txt was not changed", () => workspace.replace("disk/shown.txt", insertion)],
        ["disk/closed.txt was not changed", () => workspace.replace("disk/closed.txt", insertion)],
        ["disk/new.txt could not be created", () => workspace.create("disk/new.txt", line)],
        ["disk/deep/new.txt could not be created", () => workspace.create("disk/deep/new.txt", line)],
        ["disk/deleted.txt could not be deleted", () => workspace.remove("disk/deleted.txt")],
        ["disk/moved.txt could not be moved", () => workspace.move("disk/moved.txt", "disk/there.txt")],
        ["disk/code.ts could not be moved", () => workspace.move("disk/code.ts", "disk/there.ts")],
        ["disk/rewound.txt was not changed", () => images.putBack("disk/rewound.txt", image, rewound)],
        ["disk/back.txt could not be created", () => images.putBack("disk/back.txt", image, {})],
        ["disk/unmade.txt could not be deleted", () => images.putBack("disk/unmade.txt", {}, unmade)],
      ];
      disk.protect(true);
      try {
        for (const [what, attempt] of attempts)
          await assert.rejects(attempt, { message: `${what}: it is read-only.` }, what);
        assert.deepEqual((await readdir(folder)).toSorted(), names.toSorted());
        for (const name of names) assert.equal(await readFile(join(folder, name), "utf8"), line, name);
        assert.deepEqual([document.getText(), document.isDirty], [line, false]);
      } finally {
        disk.protect(false);
      }
      for (const [, attempt] of attempts) await attempt();
      assert.deepEqual((await readdir(folder)).toSorted(), [
        ...["back.txt", "closed.txt", "deep", "new.txt", "rewound.txt", "shown.txt", "there.ts", "there.txt"],
      ]);
      assert.equal(await readFile(uri.fsPath, "utf8"), `first\n${line}`);
    });
  });

  describe("in a file system that fails", () => {
    const files = new FailingFiles();
    let registration: vscode.Disposable;
    let [name, path] = ["", ""];
    let uri: vscode.Uri;
    let count = 0;
    const original = line.repeat(20);
    const changed = `first\n${original}`;
    const insert = (version?: string) => workspace.replace(path, [{ start: 0, end: 0, text: "first\n" }], version);

    before(async () => {
      registration = vscode.workspace.registerFileSystemProvider("failing", files, { isCaseSensitive: true });
      await openFolder(vscode.Uri.parse("failing:/"), "failing");
    });
    after(async () => {
      await closeFolder();
      registration.dispose();
    });
    beforeEach(() => {
      // The editor remembers documents for a while: each test has one of its own.
      name = `a${++count}.txt`;
      path = `failing/${name}`;
      uri = vscode.Uri.parse(`failing:/${name}`);
      files.put(name, original);
    });
    afterEach(async () => {
      files.faults = [];
      files.delayMs = 0;
      files.isGone = false;
      files.isSilent = false;
      files.gates = {};
      files.onWrite = undefined;
      await closeEditors();
      for (const name of [...files.files.keys()]) files.delete(vscode.Uri.parse(`failing:${name}`));
    });

    for (const fault of allFaults) {
      it(`puts the old bytes back when a save is ${fault}, and keeps the new text in its editor`, async () => {
        const { document } = await vscode.window.showTextDocument(uri, { preview: false });
        files.faults = [fault];
        const written = await insert();
        assert.deepEqual(written, { text: changed, saved: false });
        assert.equal(files.text(name), original);
        assert.deepEqual([...files.files.keys()], [`/${name}`]);
        assert.equal(document.getText(), changed);
        await eventually(async () => assert.equal(document.isDirty, true));
        assert.match(
          problems.map(({ message }) => message).join(),
          /^failing\/a\d+\.txt could not be saved: .* unsaved\.$/,
        );
      });

      it(`leaves nothing of a new file whose write is ${fault}, and creates it the next time`, async () => {
        files.faults = [fault, fault];
        await assert.rejects(
          workspace.create("failing/new.txt", line),
          /^UserError: failing\/new\.txt could not be created: /,
        );
        assert.equal(files.text("new.txt"), undefined);
        await workspace.create("failing/new.txt", line);
        assert.equal(files.text("new.txt"), line);
      });
    }

    it("puts mixed line ends back as they were when their write is cut off", async () => {
      const mixed = "one\r\ntwo\nthree\r\n";
      files.put(name, mixed);
      files.faults = ["half, silently"];
      await assert.rejects(insert(), /was not changed: /);
      assert.equal(files.text(name), mixed);
    });

    it("undoes what it wrote when one typed before the editor showed it, so that typing goes on from the old text", async () => {
      const mixed = "one\r\ntwo\nthree\r\n";
      files.put(name, mixed);
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      const version = await versionIn(workspace, path);
      files.isSilent = true;
      const writing = insert(version);
      await eventually(async () => assert.equal(files.text(name), `first\n${mixed}`));
      await typeAtStart(document, "typed\n");
      await assert.rejects(writing, /changed meanwhile/);
      assert.equal(files.text(name), mixed);
      assert.deepEqual(document.getText().split(/\r?\n/), ["typed", "one", "two", "three", ""]);
    });

    it("never writes past text that is typed while a slow disk is read", async () => {
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      const version = await versionIn(workspace, path);
      const typed = Promise.withResolvers<void>();
      files.gates.read = typed.promise;
      const writing = insert(version);
      await typeAtStart(document, "typed\n");
      typed.resolve();
      await assert.rejects(writing, /changed meanwhile/);
      assert.equal(files.text(name), original);
      assert.equal(document.getText(), `typed\n${original}`);
    });

    it("never writes past text that is typed into an editor that has not seen the newest file yet", async () => {
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      files.put(name, `by another program\n${original}`);
      const version = await versionIn(workspace, path);
      const writing = insert(version);
      setTimeout(() => void typeAtStart(document, "typed\n"), 500);
      await assert.rejects(writing, /changed meanwhile/);
      assert.equal(files.text(name), `by another program\n${original}`);
      assert.equal(document.getText(), `typed\n${original}`);
    });

    it("says that a file is newer than its editor, which would otherwise be left with an older text", async () => {
      await vscode.window.showTextDocument(uri, { preview: false });
      files.put(name, `by another program\n${original}`);
      await assert.rejects(insert(), { message: /was not changed: the file on disk is newer than / });
      assert.equal(files.text(name), `by another program\n${original}`);
    });

    it("loses nothing that is typed while a slow disk is written", async () => {
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      const [begun, typed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      files.onWrite = begun.resolve;
      files.gates.write = typed.promise;
      const writing = insert(await versionIn(workspace, path));
      await begun.promise;
      assert.equal(document.getText(), changed);
      await typeAtStart(document, "typed\n");
      typed.resolve();
      const { text, saved } = await writing;
      assert.equal(text, `typed\n${changed}`);
      assert.ok((saved ? [text] : [original, changed, text]).includes(files.text(name) ?? ""));
      assert.equal(await document.save(), true);
      assert.equal(files.text(name), `typed\n${changed}`);
    });

    it("takes what was typed while the user's own save was under way for unsaved", async () => {
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      await typeAtStart(document, "one\n");
      const [begun, typed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      files.onWrite = begun.resolve;
      files.gates.write = typed.promise;
      const saving = document.save();
      await begun.promise;
      await typeAtStart(document, "two\n");
      typed.resolve();
      await saving;
      assert.equal(files.text(name), `one\n${original}`);
      const content = await workspace.read(path, signal);
      assert.ok(content.kind === "text" && content.unsaved);
      assert.equal(content.text, `two\none\n${original}`);
      assert.deepEqual(await insert(content.version), { text: `first\n${content.text}`, saved: false });
      assert.equal(document.getText(), `first\ntwo\none\n${original}`);
      assert.equal(files.text(name), `one\n${original}`);
    });

    it("takes a text that an undo brought back while the user's next save was under way for unsaved", async () => {
      const { document } = await vscode.window.showTextDocument(uri, { preview: false });
      await typeAtStart(document, "one\n");
      assert.ok(await document.save());
      await typeAtStart(document, "two\n");
      const [begun, undone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      files.onWrite = begun.resolve;
      files.gates.write = undone.promise;
      const saving = document.save();
      await begun.promise;
      await vscode.commands.executeCommand("undo");
      undone.resolve();
      await saving;
      // The editor says that it is saved, since the text is that of the save before.
      assert.deepEqual([document.isDirty, document.getText()], [false, `one\n${original}`]);
      assert.equal(files.text(name), `two\none\n${original}`);
      const content = await workspace.read(path, signal);
      assert.ok(content.kind === "text" && content.unsaved);
      assert.equal(content.text, `one\n${original}`);
      assert.deepEqual(await insert(content.version), { text: `first\none\n${original}`, saved: false });
      assert.equal(document.getText(), `first\none\n${original}`);
      assert.equal(await document.save(), true);
      assert.equal(files.text(name), `first\none\n${original}`);
    });

    describe("a rewind", () => {
      const rewound = line.repeat(25);
      const image = { bytes: Buffer.from(rewound) };

      for (const fault of allFaults) {
        it(`leaves the old text or the new one, as its editor shows it, when the write is ${fault}`, async () => {
          const { document } = await vscode.window.showTextDocument(uri, { preview: false });
          const current = await imagedFiles().take(path);
          files.faults = [fault];
          const isWritten = await imagedFiles()
            .putBack(path, image, current)
            .then(
              () => true,
              () => false,
            );
          assert.equal(files.text(name), isWritten ? rewound : original);
          await eventually(async () => assert.equal(document.getText(), files.text(name)));
          await vscode.commands.executeCommand("workbench.action.files.revert");
          await imagedFiles().putBack(path, image, await imagedFiles().take(path));
          assert.equal(files.text(name), rewound);
          await eventually(async () => assert.deepEqual([document.getText(), document.isDirty], [rewound, false]));
        });

        it(`brings nothing of a file back when its write is ${fault}`, async () => {
          files.faults = [fault, fault];
          await assert.rejects(imagedFiles().putBack("failing/new.txt", image, {}));
          assert.equal(files.text("new.txt"), undefined);
          await imagedFiles().putBack("failing/new.txt", image, {});
          assert.equal(files.text("new.txt"), rewound);
        });
      }

      it("leaves what is typed while a slow disk is read", async () => {
        const { document } = await vscode.window.showTextDocument(uri, { preview: false });
        const current = await imagedFiles().take(path);
        const typed = Promise.withResolvers<void>();
        files.gates.read = typed.promise;
        const rewinding = imagedFiles().putBack(path, image, current);
        await typeAtStart(document, "typed\n");
        typed.resolve();
        await assert.rejects(rewinding, /changed meanwhile/);
        assert.equal(files.text(name), original);
        assert.equal(document.getText(), `typed\n${original}`);
      });

      it("leaves what is typed while a slow disk is written", async () => {
        const { document } = await vscode.window.showTextDocument(uri, { preview: false });
        const current = await imagedFiles().take(path);
        const [begun, typed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        files.onWrite = begun.resolve;
        files.gates.write = typed.promise;
        const rewinding = imagedFiles().putBack(path, image, current);
        await begun.promise;
        await typeAtStart(document, "typed\n");
        typed.resolve();
        await rewinding.catch((error: unknown) => assert.match(String(error), /changed meanwhile/));
        assert.match(document.getText(), /^typed\n/);
        assert.equal(await document.save(), true);
        assert.match(files.text(name) ?? "", /^typed\n/);
      });

      it("leaves what is typed and saved together with what it puts back", async () => {
        const { document } = await vscode.window.showTextDocument(uri, { preview: false });
        const current = await imagedFiles().take(path);
        const typing = () => Promise.resolve(vscode.commands.executeCommand("type", { text: "typed\n" }));
        const saving = vscode.workspace.onWillSaveTextDocument((save) => save.waitUntil(typing()));
        try {
          await imagedFiles()
            .putBack(path, image, current)
            .catch((error: unknown) => assert.match(String(error), /changed meanwhile/));
        } finally {
          saving.dispose();
        }
        assert.match(document.getText(), /^typed\n/);
        assert.equal(await document.save(), true);
        assert.match(files.text(name) ?? "", /^typed\n/);
      });

      it("leaves what another program wrote since it was planned", async () => {
        const current = await imagedFiles().take(path);
        files.put(name, `by another program\n${original}`);
        await assert.rejects(imagedFiles().putBack(path, image, current), /changed meanwhile/);
        await assert.rejects(imagedFiles().putBack(path, {}, current), /changed meanwhile/);
        assert.equal(files.text(name), `by another program\n${original}`);
        await assert.rejects(imagedFiles().putBack(path, image, {}), /changed meanwhile/);
        assert.equal(files.text(name), `by another program\n${original}`);
      });
    });

    it("says that the folder is gone", async () => {
      files.delete(uri);
      files.isGone = true;
      for (const attempt of [() => workspace.read(path, signal), () => workspace.create("failing/b.txt", "x")]) {
        await assert.rejects(attempt, { message: "The workspace folder failing is gone." });
      }
      assert.equal(files.text("b.txt"), undefined);
    });
  });

  it("says that a folder is gone, whatever is tried in it, and makes no new one in its place", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-gone-"));
    await writeFile(join(folder, "a.txt"), "one\n");
    await openFolder(vscode.Uri.file(folder), "leaving");
    try {
      await rm(folder, { recursive: true });
      const searching = async () => {
        const search = { query: "one", regex: false, caseSensitive: true, contextLines: 0, limit: 9 };
        for await (const found of workspace.searchText({ ...search, include: "leaving/**" }, signal))
          assert.fail(found.path);
      };
      for (const attempt of [
        () => workspace.stat("leaving/a.txt"),
        () => workspace.read("leaving/a.txt", signal),
        () => workspace.replace("leaving/a.txt", [{ start: 0, end: 0, text: "x" }]),
        () => workspace.create("leaving/b.txt", "x"),
        () => workspace.remove("leaving/a.txt"),
        () => workspace.move("leaving/a.txt", "leaving/c.txt"),
        () => workspace.list("leaving", { depth: 1, limit: 9 }, signal),
        () => workspace.findFiles("leaving/*", 9, signal),
        searching,
      ]) {
        await assert.rejects(attempt, { message: "The workspace folder leaving is gone." });
      }
      await assert.rejects(readdir(folder));
    } finally {
      await closeFolder();
    }
  });
});
