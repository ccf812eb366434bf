import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../../src/extension/common/userError.ts";
import { PausedCommands } from "../../../src/extension/terminal/pausedCommands.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import { type CommandBench, commandBench } from "../../extension/terminal/support.ts";
import { swapScript } from "../../support/swapping.ts";

const signal = new AbortController().signal;
const rounds = 25;

describe("What the editor does by names, while a command swaps a folder for a link", () => {
  let workspace: ReturnType<typeof vscodeWorkspace>;
  let bench: CommandBench;
  let root: string;
  let scratch: string;
  let outside: string;

  before(async () => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    scratch = (await mkdtemp(join(root, "scratch-"))).slice(root.length + 1);
    outside = await mkdtemp(join(tmpdir(), "arbor-outside-"));
    bench = await commandBench();
    await mkdir(join(root, scratch, "d"));
    for (const folder of [outside, join(root, scratch, "d")])
      for (const name of ["deleted.txt", "moved.txt", "saved.txt"]) await writeFile(join(folder, name), "text\n");
    // The editor's own process has a node that is none.
    const swap = `'${process.execPath}' -e '${swapScript}' "$1" "$1 aside" "$2"`;
    const swapping = await bench.start(
      `export ELECTRON_RUN_AS_NODE=1; set -- '${join(root, scratch, "d")}' '${outside}'; ${swap}`,
    );
    const paused = new PausedCommands();
    paused.include(swapping.processes);
    workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {}, undisturbed: (use) => paused.during(use) });
  });
  after(async () => {
    await bench.close();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    workspace.dispose();
    await rm(join(root, scratch), { recursive: true });
    await rm(outside, { recursive: true });
  });

  it("15 deletes, moves and saves nothing outside", async () => {
    const at = (name: string) => `${scratch}/d/${name}`;
    const done = { deleted: 0, moved: 0, saved: 0, refused: 0 };
    const failed: string[] = [];
    const count = async (what: keyof typeof done, step: () => Promise<unknown>) => {
      try {
        await step();
        done[what]++;
      } catch (error) {
        const reason = error instanceof UserError ? error.forModel : String(error);
        // What is judged to be there and inside must stay so until it is done.
        if (!/ is outside the workspace\.| does not exist|was not found/.test(reason))
          failed.push(`${what}: ${reason}`);
        done.refused++;
      }
    };
    for (let round = 0; round < rounds || Math.min(...Object.values(done)) === 0; round++) {
      await count("deleted", () => workspace.remove(at("deleted.txt")));
      await workspace.create(at("deleted.txt"), "text\n").catch(() => undefined);
      const [from, to] = round % 2 === 0 ? ["moved.txt", "other.txt"] : ["other.txt", "moved.txt"];
      await count("moved", () => workspace.move(at(from ?? ""), at(to ?? "")));
      await count("saved", async () => {
        const content = await workspace.read(at("saved.txt"), signal);
        assert.ok(content.kind === "text");
        await workspace.replace(at("saved.txt"), [{ start: 0, end: 0, text: "x" }], content.version);
      });
    }
    assert.deepEqual(failed, []);
    assert.deepEqual((await readdir(outside)).sort(), ["deleted.txt", "moved.txt", "saved.txt"]);
    for (const name of await readdir(outside)) assert.equal(await readFile(join(outside, name), "utf8"), "text\n");
  });
});
