import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { searchEditor } from "../../../src/extension/workspace/search/editorSearch.ts";
import { findRipgrep } from "../../../src/extension/workspace/search/ripgrep.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import type { TextMatch, TextSearch } from "../../../src/extension/workspace/workspace.ts";
import { eventually } from "../eventually.ts";

const signal = new AbortController().signal;
const plainSearch = { regex: false, caseSensitive: true, contextLines: 0, limit: 100 };

describe("The editor's workspace", () => {
  const warnings: string[] = [];
  let workspace: ReturnType<typeof vscodeWorkspace>;
  let root: string;
  let scratch: string;

  before(() => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: (message) => warnings.push(message) });
  });
  after(() => workspace.dispose());

  beforeEach(async () => {
    scratch = (await mkdtemp(join(root, "scratch-"))).slice(root.length + 1);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(join(root, scratch), { recursive: true });
  });

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(join(root, scratch, name), content);
    return `${scratch}/${name}`;
  }
  const onDisk = (path: string) => readFile(join(root, path));
  const open = async (path: string) =>
    (await vscode.window.showTextDocument(vscode.Uri.file(join(root, path)), { preview: false })).document;
  async function typeAtStart(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }
  async function text(path: string) {
    const content = await workspace.read(path, signal);
    assert.equal(content.kind, "text");
    return content.kind === "text" ? content : assert.fail();
  }
  async function change(path: string, from: string, to: string) {
    const start = (await text(path)).text.indexOf(from);
    assert.ok(start >= 0, `${from} stands in ${path}`);
    return workspace.replace(path, [{ start, end: start + from.length, text: to }]);
  }
  async function search(more: Partial<TextSearch> & { query: string }): Promise<TextMatch[]> {
    const found: TextMatch[] = [];
    for await (const match of workspace.searchText({ ...plainSearch, ...more }, signal)) found.push(match);
    return found.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  describe("search", () => {
    it("reads a file again that is half written, as the editor leaves it for a moment when it saves", async () => {
      const path = await file("a.txt", "one\ntwo\n");
      await open(path);
      writeFileSync(join(root, path), "");
      const reading = text(path);
      setTimeout(() => writeFileSync(join(root, path), "one\ntwo\n"), 20);
      assert.equal((await reading).text, "one\ntwo\n");
    });

    it("uses the ripgrep that comes with the editor", async () => {
      const { platform, arch } = process;
      const places = { setting: "", appRoot: vscode.env.appRoot, searchPath: "", platform, arch };
      const binary = (await findRipgrep(places)) ?? assert.fail("the editor has a ripgrep");
      assert.ok(binary.startsWith(vscode.env.appRoot));
      await access(binary);
    });

    it("finds the same lines with ripgrep and without", async () => {
      await mkdir(join(root, scratch, "out"));
      await mkdir(join(root, scratch, "src/.hidden"), { recursive: true });
      await file(".gitignore", "out\n*.log\n");
      await file("out/a.ts", "needle\n");
      await file("x.log", "needle\n");
      await file("src/b.ts", "one\r\nneedle two\r\nneedle\r\n");
      await file("src/.hidden/c.md", "a needle\n");
      await file("src/binary.ts", Uint8Array.of(0, 1, 2, ...Buffer.from("needle")));
      for (const include of [undefined, `${scratch}/**`, `${scratch}/src/**/*.ts`, "**/*.{ts,md,log}"]) {
        const asked = { ...plainSearch, query: "needle", ...(include === undefined ? {} : { include }) };
        const walked: TextMatch[] = [];
        for await (const match of searchEditor(asked, async () => undefined, signal)) walked.push(match);
        const sorted = walked.sort((one, other) => (one.path < other.path ? -1 : 1));
        assert.deepEqual(await search(asked), sorted, `include ${include}`);
        assert.ok(sorted.some((match) => match.path === `${scratch}/src/b.ts` && match.line === 3));
        assert.ok(!sorted.some((match) => /out|log|binary/.test(match.path)));
      }
    });

    it("searches the unsaved text in place of what is on disk", async () => {
      const path = await file("a.txt", "on disk\n");
      await typeAtStart(await open(path), "typed ");
      const lines = await search({ query: "ty.ed on d", regex: true });
      assert.deepEqual(lines, [{ path, line: 1, text: "typed on disk", isMatch: true }]);
      assert.deepEqual(await search({ query: "on disk", include: `${scratch}/*.md` }), []);
    });

    it("stops at its limit over all files", async () => {
      await file("a.txt", "zebra\nzebra\n");
      await file("b.txt", "zebra\nzebra\n");
      assert.equal((await search({ query: "zebra", limit: 3 })).length, 3);
    });

    it("says where a regex is wrong", async () => {
      await assert.rejects(search({ query: "ab[c", regex: true }), /at character 3 .*unclosed character class/);
    });

    it("finds a text over several lines with CRLF", async () => {
      const path = await file("a.txt", "un\r\ndeux\r\n");
      assert.deepEqual(
        (await search({ query: "un\ndeux" })).map(({ line }) => line),
        [1, 2],
      );
      assert.deepEqual((await workspace.findFiles(`${scratch}/*.txt`, 5, signal)).paths, [path]);
    });

    it("follows no folder that leads outside", async () => {
      const outside = await mkdtemp(join(tmpdir(), "arbor-outside-"));
      try {
        await writeFile(join(outside, "s.txt"), "platypus\n");
        await symlink(outside, join(root, scratch, "link"));
        for (const include of [undefined, `${scratch}/link/**`, `${scratch}/link/*.txt`]) {
          assert.deepEqual(await search({ query: "platypus", ...(include ? { include } : {}) }), []);
        }
        assert.deepEqual((await workspace.findFiles(`${scratch}/link/**`, 5, signal)).paths, []);
        await assert.rejects(search({ query: "platypus", include: `../${outside}/**` }), /outside the workspace/);
      } finally {
        await rm(outside, { recursive: true });
      }
    });
  });

  describe("writing", () => {
    it("keeps the byte order mark, CRLF and a missing final line end, and saves a clean file", async () => {
      const path = await file("a.txt", "\uFEFFone\r\ntwo\r\nthree");
      const written = await change(path, "two", "2\r\n2.5");
      assert.equal((await onDisk(path)).toString(), "\uFEFFone\r\n2\r\n2.5\r\nthree");
      assert.deepEqual(written, { text: "one\r\n2\r\n2.5\r\nthree", saved: true });
    });

    for (const isOpen of [false, true]) {
      it(`keeps mixed line ends byte for byte${isOpen ? " and shows the new text in its editor" : ""}`, async () => {
        const path = await file("a.txt", "one\r\ntwo\nthree\rfour\r\n");
        const document = isOpen ? await open(path) : undefined;
        const written = await change(path, "three", "3");
        assert.equal((await onDisk(path)).toString(), "one\r\ntwo\n3\rfour\r\n");
        assert.equal(written.saved, true);
        if (!document) return;
        assert.deepEqual(document.getText().split(/\r?\n/), ["one", "two", "3", "four", ""]);
        assert.equal(document.isDirty, false);
        await change(path, "four", "4");
        assert.equal((await onDisk(path)).toString(), "one\r\ntwo\n3\r4\r\n");
      });
    }

    it("keeps UTF-16 with its mark", async () => {
      const bytes = (content: string) => Buffer.from(`\uFEFF${content}`, "utf16le");
      const path = await file("a.txt", bytes("eins\nzwei\n"));
      await change(path, "zwei", "zwölf");
      assert.deepEqual(await onDisk(path), bytes("eins\nzwölf\n"));
    });

    it("writes no NUL character that would make a text a binary file, unsaved neither", async () => {
      const path = await file("a.txt", "one\n");
      const insert = [{ start: 0, end: 0, text: "a\0b" }];
      await assert.rejects(workspace.replace(path, insert), /NUL character/);
      await assert.rejects(workspace.create(`${scratch}/new.txt`, "a\0b"), /NUL character/);
      assert.equal(await workspace.stat(`${scratch}/new.txt`), undefined);
      assert.equal((await onDisk(path)).toString(), "one\n");
      await typeAtStart(await open(path), "typed ");
      await assert.rejects(workspace.replace(path, insert), /NUL character/);
      assert.equal((await text(path)).text, "typed one\n");
    });

    it("leaves a file alone whose bytes are no text in its encoding", async () => {
      const bytes = Buffer.from("caf\xe9\nbar\n", "latin1");
      const path = await file("a.txt", bytes);
      await assert.rejects(workspace.read(path, signal), /not valid text in its encoding/);
      await assert.rejects(workspace.replace(path, [{ start: 0, end: 1, text: "x" }]), /not valid text/);
      assert.deepEqual(await onDisk(path), bytes);
    });

    it("keeps another encoding that the user has chosen, and refuses what it can't hold", async () => {
      const files = vscode.workspace.getConfiguration("files");
      await files.update("encoding", "iso88591", vscode.ConfigurationTarget.Workspace);
      try {
        const path = await file("a.txt", Buffer.from("caf\xe9\nbar\n", "latin1"));
        assert.equal((await text(path)).text, "café\nbar\n");
        await change(path, "bar", "thé");
        assert.deepEqual(await onDisk(path), Buffer.from("caf\xe9\nth\xe9\n", "latin1"));
        await assert.rejects(change(path, "thé", "茶"), /can't hold this text/);
        assert.deepEqual(await onDisk(path), Buffer.from("caf\xe9\nth\xe9\n", "latin1"));
      } finally {
        await files.update("encoding", undefined, vscode.ConfigurationTarget.Workspace);
      }
    });

    for (const content of ["one\ntwo\nthree\n", "one\r\ntwo\nthree\n"]) {
      it(`is one undo step for several ranges of ${JSON.stringify(content)}`, async () => {
        const path = await file("a.txt", content);
        const document = await open(path);
        const shown = document.getText();
        const place = (word: string, replacement: string) => {
          const start = content.indexOf(word);
          return { start, end: start + word.length, text: replacement };
        };
        await workspace.replace(path, [place("one", "1"), place("three", "3")]);
        assert.deepEqual(document.getText().split(/\r?\n/), ["1", "two", "3", ""]);
        await vscode.commands.executeCommand("undo");
        assert.equal(document.getText(), shown);
      });
    }

    it("builds on unsaved text, loses none of it, and leaves it unsaved", async () => {
      const path = await file("a.txt", "one\ntwo\n");
      const document = await open(path);
      await typeAtStart(document, "typed\n");
      assert.deepEqual(
        { text: (await text(path)).text, unsaved: (await text(path)).unsaved },
        { text: "typed\none\ntwo\n", unsaved: true },
      );
      const written = await change(path, "two", "2");
      assert.deepEqual(written, { text: "typed\none\n2\n", saved: false });
      assert.equal(document.getText(), "typed\none\n2\n");
      assert.equal((await onDisk(path)).toString(), "one\ntwo\n");
    });

    it("reports what saving made of the text", async () => {
      const files = vscode.workspace.getConfiguration("files");
      await files.update("insertFinalNewline", true, vscode.ConfigurationTarget.Workspace);
      try {
        const path = await file("a.txt", "one");
        assert.deepEqual(await change(path, "one", "two"), { text: "two\n", saved: true });
      } finally {
        await files.update("insertFinalNewline", undefined, vscode.ConfigurationTarget.Workspace);
      }
    });

    it("sees what another program wrote into a file that is open", async () => {
      const path = await file("a.txt", "one\n");
      const document = await open(path);
      await writeFile(join(root, path), "uno\ndos\n");
      assert.equal((await text(path)).text, "uno\ndos\n");
      await change(path, "dos", "2");
      assert.equal((await onDisk(path)).toString(), "uno\n2\n");
      assert.equal(document.getText(), "uno\n2\n");
    });

    it("refuses a text that is not the one expected", async () => {
      const path = await file("a.txt", "one\n");
      const { version } = await text(path);
      await writeFile(join(root, path), "two\n");
      const replacement = [{ start: 0, end: 3, text: "x" }];
      await assert.rejects(workspace.replace(path, replacement, version), /changed meanwhile/);
      assert.equal((await onDisk(path)).toString(), "two\n");
    });

    it("creates a file with its folders, once, and removes it", async () => {
      const path = `${scratch}/new/deep/a.ts`;
      assert.deepEqual(await workspace.create(path, "one\r\ntwo"), { text: "one\r\ntwo", saved: true });
      assert.equal((await onDisk(path)).toString(), "one\r\ntwo");
      await assert.rejects(workspace.create(path, "x"), /already exists/);
      await workspace.remove(path);
      assert.equal(await workspace.stat(path), undefined);
    });
  });

  it("refuses links that lead outside, to read, to write and to create below", async () => {
    const outside = await mkdtemp(join(tmpdir(), "arbor-outside-"));
    try {
      await writeFile(join(outside, "secret.txt"), "secret\n");
      await symlink(outside, join(root, scratch, "link"));
      const path = `${scratch}/link/secret.txt`;
      for (const attempt of [
        () => workspace.read(path, signal),
        () => workspace.stat(path),
        () => workspace.replace(path, [{ start: 0, end: 6, text: "x" }]),
        () => workspace.create(`${scratch}/link/a/new.txt`, "x"),
        () => workspace.remove(path),
        () => workspace.list(`${scratch}/link`, { depth: 1, limit: 9 }, signal),
      ]) {
        await assert.rejects(attempt, /outside the workspace/);
      }
      assert.equal(await readFile(join(outside, "secret.txt"), "utf8"), "secret\n");
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("distinguishes binary files, folders and images", async () => {
    const binary = await file("a.bin", Uint8Array.of(1, 0, 2));
    const png = await file("a.png", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
    await assert.rejects(workspace.read(binary, signal), /is a binary file/);
    await assert.rejects(workspace.read(scratch, signal), /is a folder/);
    await assert.rejects(workspace.read(`${scratch}/none`, signal), /does not exist/);
    assert.equal((await workspace.read(png, signal)).kind, "image");
  });

  it("lists a folder without what .gitignore names", async () => {
    await file(".gitignore", "*.log\n");
    await file("a.log", "");
    await mkdir(join(root, scratch, "sub"));
    await file("sub/b.ts", "");
    const { entries } = await workspace.list(scratch, { depth: 2, limit: 9 }, signal);
    assert.deepEqual(
      entries.map(({ path }) => path.slice(scratch.length + 1)),
      ["sub", "sub/b.ts", ".gitignore"],
    );
  });

  it("gives the diagnostics that an edit brings and takes", async () => {
    const path = await file("a.ts", 'export const count: number = "one";\n');
    const document = await vscode.workspace.openTextDocument(join(root, path));
    const spoken = new Promise<void>((resolve) => {
      const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (!uris.some((uri) => uri.toString() === document.uri.toString())) return;
        listener.dispose();
        resolve();
      });
    });
    // The server looks at files that have a tab only, and takes a while to start.
    await open(path);
    await spoken;
    const [problem] = await workspace.diagnostics(path);
    assert.deepEqual(
      { path: problem?.path, line: problem?.line, column: problem?.column, severity: problem?.severity },
      { path, line: 1, column: 14, severity: "error" },
    );
    assert.match(problem?.message ?? "", /not assignable to type 'number'/);
    await change(path, '"one"', "1");
    // On a machine under load the server may take longer than an edit waits for it.
    await eventually(async () => assert.deepEqual(await workspace.diagnostics(path), []));
    await change(path, "1", "true");
    await eventually(async () => assert.equal((await workspace.diagnostics(scratch)).length, 1));
  });
});
