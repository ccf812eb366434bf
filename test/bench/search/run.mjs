// Compares find_files and search_text with ripgrep itself, by turns, on 50,000 files: `npm run bench -- search`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findRipgrep } from "../../../src/extension/workspace/search/ripgrep.ts";
import { ripgrepRoot, searchCases, timeSearch, writeSearchTree } from "../../support/searchTree.ts";

const files = 50_000;
const editor = path.resolve(import.meta.dirname, "../../../.vscode-host/node_modules/code-server/lib/vscode");

/** @param {{ runs: number, only: string | undefined }} options */
export async function runSearchBench({ runs, only = "" }) {
  const { platform, arch, env } = process;
  const binary = await findRipgrep({ setting: "", appRoot: editor, searchPath: env.PATH ?? "", platform, arch });
  if (binary === undefined) {
    throw new Error("There is no ripgrep. Run the host tests once, which install an editor, or put rg on the PATH.");
  }
  const folder = await mkdtemp(path.join(tmpdir(), "arbor-bench-"));
  try {
    await writeSearchTree(folder, files);
    console.log(`${files} files, ${runs} rounds by turns, the middle one of each; ${binary}`);
    for (const each of searchCases.filter(({ name }) => name.includes(only))) {
      const { name, ours, raw, ratio } = await timeSearch(each, ripgrepRoot(binary, folder), runs);
      console.log(`${ratio.toFixed(2)}×  ${ours.toFixed(0)} ms to ${raw.toFixed(0)} ms  ${name}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
