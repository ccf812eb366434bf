import assert from "node:assert/strict";
import files from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { statOf } from "../../../src/extension/workspace/fileStat.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";

/** What of the file system is asked between an answer and the next request, for one file that is read. */
const maxCalls = 14;
const counted = ["access", "lstat", "open", "readFile", "readlink", "realpath", "stat"] as const;

describe("looking at files", () => {
  const workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  let folder: string;
  const at = (name: string) => vscode.Uri.file(path.join(folder, name));

  before(async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(root);
    folder = path.join(root, "looked-at");
    await files.mkdir(folder);
    await files.writeFile(path.join(folder, "plain.txt"), "some text\n");
    await files.symlink("plain.txt", path.join(folder, "link.txt"));
    await files.symlink("nowhere.txt", path.join(folder, "dangling.txt"));
    await files.symlink(".", path.join(folder, "folder-link"));
  });
  after(async () => {
    workspace.dispose();
    await files.rm(folder, { recursive: true });
  });

  for (const name of ["plain.txt", "link.txt", "dangling.txt", "folder-link", "."]) {
    it(`finds what the editor finds: ${name}`, async () => {
      const { type, size, mtime } = await vscode.workspace.fs.stat(at(name));
      const found = await statOf(at(name));
      assert.deepEqual({ type: found?.type, size: found?.size, mtime: found?.mtime }, { type, size, mtime });
    });
  }

  it("finds nothing where the editor finds nothing", async () => {
    assert.equal(await statOf(at("missing.txt")), undefined);
    await assert.rejects(Promise.resolve(statOf(at("plain.txt/below"))), /ENOTDIR|not a directory|NotADirectory/i);
  });

  it(`reads a file with at most ${maxCalls} calls of the file system`, async () => {
    const calls: string[] = [];
    const real = Object.fromEntries(counted.map((name) => [name, files[name]]));
    for (const name of counted) {
      const original = files[name] as (...given: unknown[]) => unknown;
      Object.assign(files, {
        [name]: (...given: unknown[]) => {
          calls.push(`${name} ${String(given[0])}`);
          return original(...given);
        },
      });
    }
    try {
      await workspace.stat("looked-at/plain.txt");
      await workspace.read("looked-at/plain.txt", AbortSignal.timeout(10_000));
    } finally {
      Object.assign(files, real);
    }
    assert.ok(calls.length >= 4, "the calls are seen");
    assert.ok(calls.length <= maxCalls, calls.join("\n"));
  });
});
