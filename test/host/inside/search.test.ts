import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { FileAges } from "../../../src/extension/workspace/search/fileAges.ts";
import { ignoreRules } from "../../../src/extension/workspace/search/ignoreRules.ts";
import { NewestFiles } from "../../../src/extension/workspace/search/newestFiles.ts";
import { findRipgrep } from "../../../src/extension/workspace/search/ripgrep.ts";
import { findNewest, ripgrepSearch } from "../../../src/extension/workspace/search/ripgrepSearch.ts";
import { walkNewest, walkSearch } from "../../../src/extension/workspace/search/walkSearch.ts";
import { diskTree } from "../../support/diskTree.ts";
import { ripgrepRoot, searchCases, timeSearch, writeSearchTree } from "../../support/searchTree.ts";
import { isEverything } from "../../support/soak.ts";

const { signal } = new AbortController();

const noticeableMs = 150;
/** A search that does not leave the walk to ripgrep takes seconds on either. */
const many = isEverything ? 50_000 : 15_000;

describe("Searches by ripgrep", () => {
  let binary: string;
  let folder: string;

  before(async () => {
    const { platform, arch } = process;
    const places = { setting: "", appRoot: vscode.env.appRoot, searchPath: "", platform, arch };
    binary = (await findRipgrep(places)) ?? assert.fail("the editor has a ripgrep");
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-search-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = {
    ".gitignore": "/out\n*.log\n!keep.log\nlib/gen/\n",
    "a.ts": "needle",
    "b.log": "needle",
    "keep.log": "needle",
    "out/a.ts": "needle",
    "three.js/readme.md": "needle",
    "three.js/index.js": "needle",
    "src/a.ts": "needle",
    "src/b.tsx": "needle",
    "src/.hidden/c.ts": "needle",
    "src/deep/.gitignore": "c.ts\n",
    "src/deep/c.ts": "needle",
    "src/deep/d.ts": "needle",
    "src/deep/er/c.ts": "needle",
    "src/deep/er/e[1].ts": "needle",
    "lib/gen/a.ts": "needle",
    "lib/.ignore": "x?.ts\n",
    "lib/x1.ts": "needle",
    "lib/sub/x1.ts": "needle",
    "lib/sub/y1.ts": "needle",
  };
  const patterns = [
    "*.ts",
    "**/*.ts",
    "src/*.ts",
    "src/**/*.ts",
    "src/deep/**",
    "src/deep/er/*.ts",
    "src/deep/er/**/?.ts",
    "**/deep/*.ts",
    "src/*/c.ts",
    "lib/sub/*.ts",
    "lib/sub/**",
    "lib/gen/*.ts",
    "out/**",
    "*.js",
    "three.js",
    "src",
    "a.ts",
    "*.{ts,md}",
    "src/**/*.ts, *.md",
    "src/a.ts,lib/**/*.ts",
    "[ab].*",
    "src/deep/er/e\\[1\\].ts",
    "*.log",
    "**",
    "*",
    "src/*",
    "none/**/*.ts",
  ];

  it("find and search the same files as a walk does, whatever the glob and the ignore files", async () => {
    let age = 1_000;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
      // The newest first is an order of its own only when ages differ.
      await utimes(join(folder, path), ++age, age);
    }
    const tree = diskTree(folder);
    const rules = () => ignoreRules(tree, []);
    const root = () => ({ binary, folder, always: [], rules: rules() });
    for (const pattern of patterns) {
      const [walked, found] = [new NewestFiles(100), new NewestFiles(100)];
      await walkNewest(pattern, { tree, rules: rules(), signal }, walked);
      await findNewest({ root: root(), ages: new FileAges(folder), pattern }, found, signal);
      assert.deepEqual(found.found(), walked.found(), `find_files ${pattern}`);
      const search = {
        query: "needle",
        regex: false,
        caseSensitive: true,
        contextLines: 0,
        limit: 100,
        include: pattern,
      };
      const paths = async (matches: AsyncIterable<{ path: string }>) => {
        const list: string[] = [];
        for await (const { path } of matches) list.push(path);
        return list.sort();
      };
      assert.deepEqual(
        await paths(ripgrepSearch(root(), search, signal)),
        await paths(walkSearch(search, { tree, rules: rules(), signal })),
        `search_text in ${pattern}`,
      );
    }
  });

  it("give the newest where a glob matches 100,000 files, and say that there are more", async function () {
    this.timeout(300_000);
    await writeSearchTree(folder, 100_000);
    const newest = join(folder, "pkg50/src/mod1000/file3.js");
    const tomorrow = Date.now() / 1_000 + 86_400;
    await utimes(newest, tomorrow, tomorrow);
    const found = new NewestFiles(100);
    await findNewest({ root: ripgrepRoot(binary, folder), ages: new FileAges(folder), pattern: "**" }, found, signal);
    const { paths, truncated } = found.found();
    assert.equal(paths[0], "pkg50/src/mod1000/file3.js");
    assert.deepEqual([paths.length, truncated], [100, true]);
  });

  it(`take little longer on ${many.toLocaleString("en-US")} files than ripgrep alone`, async function () {
    this.timeout(300_000);
    await writeSearchTree(folder, many);
    const root = ripgrepRoot(binary, folder);
    for (const each of searchCases.filter(({ isBounded }) => isBounded)) {
      const { name, ours, raw, ratio } = await timeSearch(each, root, 5);
      const times = `${ours.toFixed(0)} ms to ${raw.toFixed(0)} ms`;
      // The goal, 1.15, is the benchmark's to show. Here a search that walks the tree on its own has to be noticed, which
      // takes twenty times as long, on a machine that does other things meanwhile: a few milliseconds decide nothing.
      const isClose = ratio < 1.75 || ours - raw < noticeableMs;
      assert.ok(isClose, `${name}: ${ratio.toFixed(2)} times ripgrep's own time (${times})`);
    }
  });
});
