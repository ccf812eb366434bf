import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoreRules } from "../../../../src/extension/workspace/search/ignoreRules.ts";
import { ripgrepSearch } from "../../../../src/extension/workspace/search/ripgrepSearch.ts";
import type { TextMatch } from "../../../../src/extension/workspace/workspace.ts";
import { diskTree } from "../../../support/diskTree.ts";
import { waitsOf } from "../../../support/fileWaits.ts";

/** Finds in what it is given, and in files what it found in them a moment ago, whatever they are now. */
const ripgrep = `#!${process.execPath}
const { readFileSync } = require("node:fs");
const event = (path, text, line) => JSON.stringify({
  type: "match", data: { path: { text: path }, lines: { text: text + "\\n" }, line_number: line, submatches: [{ start: 0 }] },
});
const print = (path, text) => text.split("\\n").forEach((each, index) => {
  if (each.includes("KEY")) console.log(event(path, each, index + 1));
});
if (process.argv.at(-1) === "-") print("<stdin>", readFileSync(0, "utf8"));
else for (const [path, text] of JSON.parse(readFileSync(process.argv[1] + ".json", "utf8"))) print("./" + path, text);
`;

describe("What a search found in a file that is another one by now", () => {
  let scratch: string;
  let folder: string;
  const write = (path: string, text: string) => writeFile(join(folder, path), text);

  beforeEach(async () => {
    scratch = await realpath(await mkdtemp(join(tmpdir(), "arbor-swapped-")));
    folder = join(scratch, "ws");
    await mkdir(join(folder, "d"), { recursive: true });
    await mkdir(join(scratch, "outside"));
    await writeFile(join(scratch, "outside/f"), "KEY=outside\n");
    await writeFile(join(scratch, "rg"), ripgrep);
    await chmod(join(scratch, "rg"), 0o755);
    await write("d/f", "one\nKEY=1\nthree\nKEY=2\n");
    await write(".env", "KEY=secret\n");
  });
  afterEach(() => rm(scratch, { recursive: true }));

  async function search(...found: (readonly [path: string, text: string])[]): Promise<string[]> {
    return searchUpTo(100, found);
  }

  async function searchUpTo(limit: number, found: readonly (readonly [path: string, text: string])[]) {
    await writeFile(join(scratch, "rg.json"), JSON.stringify(found));
    const rules = ignoreRules(diskTree(folder), []);
    const root = { binary: join(scratch, "rg"), folder, always: [], rules };
    const query = { query: "KEY", regex: false, caseSensitive: true, contextLines: 0, limit };
    const shown: TextMatch[] = [];
    for await (const match of ripgrepSearch(root, query, new AbortController().signal)) shown.push(match);
    return shown.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  }

  it("is shown where it is in it", async () => {
    assert.deepEqual(await search(["d/f", "one\nKEY=1\nthree\nKEY=2\n"]), ["d/f:2: KEY=1", "d/f:4: KEY=2"]);
  });

  it("leaves none of the next files open when enough was found", async function () {
    if (process.platform !== "linux") this.skip();
    const files = Array.from({ length: 10 }, (_, index) => [`d/f${index}`, `KEY=${index}\n`] as const);
    for (const [path, text] of files) await write(path, text);
    assert.deepEqual(await searchUpTo(2, files), ["d/f0:1: KEY=0", "d/f1:1: KEY=1"]);
    const open = readdirSync("/proc/self/fd").flatMap((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`);
      } catch {
        return [];
      }
    });
    assert.deepEqual(
      open.filter((path) => path.startsWith(folder)),
      [],
    );
  });

  it("is waited for together with what was found in the next files", async function () {
    if (process.platform !== "linux") this.skip();
    const files = Array.from({ length: 40 }, (_, index) => [`d/f${index}`, `KEY=${index}\n`] as const);
    for (const [path, text] of files) await write(path, text);
    let shown: string[] = [];
    const waits = await waitsOf(async () => {
      shown = await search(...files);
    });
    assert.deepEqual(
      shown,
      files.map(([path, text]) => `${path}:1: ${text.trim()}`),
    );
    // Each of them is opened, judged and read, which are three calls one after the other.
    assert.ok(waits < 0.75 * files.length, `${waits} waits`);
  });

  it("15 is what is in it now, where its folder was a link for a moment", async () => {
    assert.deepEqual(await search(["d/f", "KEY=outside\n"]), ["d/f:2: KEY=1", "d/f:4: KEY=2"]);
    assert.deepEqual(await search(["d/f", "a\nKEY=1\nKEY=outside\n"], [".env", "KEY=secret\n"]), [
      "d/f:2: KEY=1",
      "d/f:4: KEY=2",
      ".env:1: KEY=secret",
    ]);
  });

  it("4 15 is nothing where it has become a link, to outside or to a secret", async () => {
    await symlink(join(scratch, "outside"), join(folder, "out"));
    await symlink(".env", join(folder, "notes.txt"));
    assert.deepEqual(await search(["out/f", "KEY=outside\n"], ["notes.txt", "KEY=secret\n"], ["gone", "KEY\n"]), []);
  });
});
